//! The PNG: the right size, with text that can be read on a machine without fonts.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use std::io::Cursor;
use std::sync::LazyLock;

use steadfast_draw::{Chart, DrawError, PngOptions, Theme};

use common::{backoff, oddities};

struct Picture {
    width: usize,
    height: usize,
    /// Red, green, blue and opacity of each pixel.
    pixels: Vec<[u8; 4]>,
}

impl Picture {
    fn of(chart: &Chart, options: &PngOptions) -> Self {
        let bytes = chart.png(options).unwrap();
        let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().unwrap();
        let mut buffer = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut buffer).unwrap();
        assert_eq!(info.color_type, png::ColorType::Rgba);
        let pixels = buffer.chunks_exact(4).map(|p| [p[0], p[1], p[2], p[3]]).collect();
        Self { width: info.width as usize, height: info.height as usize, pixels }
    }

    /// Pixels of a rectangle that are like `wanted`.
    fn count(
        &self,
        columns: std::ops::Range<usize>,
        rows: std::ops::Range<usize>,
        wanted: impl Fn([u8; 4]) -> bool,
    ) -> usize {
        let rows = rows.map(|row| &self.pixels[row * self.width..][columns.clone()]);
        rows.flatten().filter(|pixel| wanted(**pixel)).count()
    }
}

/// Drawn once: a large picture takes a while in a debug build.
static BACKOFF: LazyLock<Picture> =
    LazyLock::new(|| Picture::of(&backoff(), &PngOptions::default()));

fn small() -> PngOptions {
    PngOptions { width: 300, height: 200, scale: 1.5, ..PngOptions::default() }
}

fn is_dark([red, green, blue, _]: [u8; 4]) -> bool {
    red < 0x60 && green < 0x60 && blue < 0x60
}

fn is_light([red, green, blue, _]: [u8; 4]) -> bool {
    red > 0xb0 && green > 0xb0 && blue > 0xb0
}

/// Where the title is, at twice the size.
const TITLE: (std::ops::Range<usize>, std::ops::Range<usize>) = (40..400, 30..80);

#[test]
fn png_has_twice_the_size_by_default() {
    let picture = &*BACKOFF;
    assert_eq!((picture.width, picture.height), (1440, 800));
    let picture = Picture::of(&backoff(), &small());
    assert_eq!((picture.width, picture.height), (450, 300));
}

/// The font is bundled: the fonts of the machine are not used.
#[test]
fn title_is_dark_in_the_light_theme() {
    let picture = &*BACKOFF;
    assert!(picture.count(TITLE.0, TITLE.1, is_dark) > 500);
    assert_eq!(picture.pixels[0], [255, 255, 255, 255]);
    let untitled = Picture::of(&Chart::new("").line("", [(0.0, 0.0)]), &PngOptions::default());
    assert_eq!(untitled.count(TITLE.0, TITLE.1, is_dark), 0);
}

#[test]
fn title_is_light_in_the_dark_theme() {
    let dark = PngOptions { theme: Theme::Dark, ..PngOptions::default() };
    let picture = Picture::of(&backoff(), &dark);
    assert!(picture.count(TITLE.0, TITLE.1, is_light) > 500);
    assert!(is_dark(picture.pixels[0]));
}

/// Characters of the bundled font are shown, whichever fonts the system has.
#[test]
fn characters_missing_in_the_font_do_not_hide_other_text() {
    let picture = Picture::of(&Chart::new("Delay 重試"), &PngOptions::default());
    assert!(picture.count(40..130, TITLE.1, is_dark) > 150);
}

#[test]
fn line_has_its_colour() {
    let picture = &*BACKOFF;
    let blue = |pixel: [u8; 4]| pixel == [0x00, 0x72, 0xb2, 0xff];
    assert!(picture.count(0..1440, 200..800, blue) > 1000);
}

#[test]
fn unusual_charts_are_rendered() {
    for (what, chart) in oddities() {
        let picture = Picture::of(&chart, &small());
        assert!(picture.pixels.iter().any(|pixel| *pixel != picture.pixels[0]), "{what} is blank");
    }
}

#[test]
fn rendering_is_deterministic() {
    let bytes = || backoff().png(&small()).unwrap();
    assert_eq!(bytes(), bytes());
}

#[test]
fn invalid_scale_is_rejected() {
    for scale in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let error = backoff().png(&PngOptions { scale, ..PngOptions::default() }).unwrap_err();
        assert!(matches!(error, DrawError::Scale(_)), "{error}");
        assert!(error.to_string().contains("must be greater than 0"), "{error}");
    }
}

#[test]
fn oversized_png_is_rejected_with_its_size() {
    let options = PngOptions { width: 5000, ..PngOptions::default() };
    assert_eq!(
        backoff().png(&options).unwrap_err().to_string(),
        "the picture would be 10000 by 800 pixels, and the limit is 8192 per side; use a smaller \
         width, height or scale"
    );
}
