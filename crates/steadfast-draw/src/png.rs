//! PNG output: the rasterised SVG.
//!
//! Containers and servers often have no fonts, so a dependency provides one: Ubuntu Light of
//! `epaint_default_fonts`. It is used even if other fonts are installed, so that a chart looks the
//! same on every machine. It covers Latin, Greek and Cyrillic; other scripts use the system's fonts.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg;
use resvg::usvg::fontdb::{Database, ID, Source};

use crate::palette::{DARK, LIGHT, Palette};
use crate::{Chart, ChartStack, SvgOptions, Theme};

/// The size and theme of a PNG.
#[derive(Clone, Debug, PartialEq)]
pub struct PngOptions {
    /// The width before scaling, as in [`SvgOptions`].
    pub width: u32,
    /// The height before scaling, as in [`SvgOptions`].
    pub height: u32,
    /// Pixels per unit of width and height.
    pub scale: f32,
    /// Light unless it is [`Theme::Dark`]: a picture has a fixed theme.
    pub theme: Theme,
}

impl Default for PngOptions {
    /// 720 by 400, light, at twice the size: sharp on today's screens.
    fn default() -> Self {
        Self { width: 720, height: 400, scale: 2.0, theme: Theme::Light }
    }
}

/// An error of PNG output.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DrawError {
    /// The scale is not a number above zero.
    #[error("scale must be greater than 0, not {0}; 2 is usual")]
    Scale(f32),
    /// The picture would have more pixels along a side than can be drawn.
    #[error(
        "the picture would be {width} by {height} pixels, and the limit is {MAX_SIDE_PIXELS} per side; use a smaller width, height or scale"
    )]
    TooLarge {
        /// In pixels, scaled.
        width: u64,
        /// In pixels, scaled.
        height: u64,
    },
    /// The SVG was not understood by the rasteriser.
    #[error("cannot rasterise the chart: {0}; write an SVG instead")]
    Rasterise(String),
    /// The picture could not be written as PNG.
    #[error("cannot encode the PNG: {0}")]
    Encode(String),
}

/// The longest side of a picture.
const MAX_SIDE_PIXELS: u64 = 8192;

impl Chart {
    /// The chart as a PNG file.
    ///
    /// ```
    /// use steadfast_draw::{Chart, PngOptions};
    ///
    /// let chart = Chart::new("Delay").line("delay", [(1.0, 0.5), (2.0, 1.0), (3.0, 2.0)]);
    /// let png = chart.png(&PngOptions::default())?;
    /// assert!(png.starts_with(b"\x89PNG"));
    /// # Ok::<(), steadfast_draw::DrawError>(())
    /// ```
    ///
    /// # Errors
    /// The scale is not above zero, or the picture would be too large.
    pub fn png(&self, options: &PngOptions) -> Result<Vec<u8>, DrawError> {
        ChartStack::from(self.clone()).png(options)
    }
}

impl ChartStack {
    /// The charts as a PNG file. The height is that of all charts together.
    ///
    /// # Errors
    /// As for [`Chart::png`].
    pub fn png(&self, options: &PngOptions) -> Result<Vec<u8>, DrawError> {
        if !(options.scale.is_finite() && options.scale > 0.0) {
            return Err(DrawError::Scale(options.scale));
        }
        let theme = if options.theme == Theme::Dark { Theme::Dark } else { Theme::Light };
        let svg = SvgOptions { width: options.width, height: options.height, theme };
        let each = self.each(&svg);
        let height = each.height.saturating_mul(u32::try_from(self.len()).unwrap_or(u32::MAX));
        let svg = SvgOptions { height, ..each };
        let size = scaled(&svg, options.scale)?;
        rasterise(&self.svg(&svg), size, options)
    }
}

fn scaled(svg: &SvgOptions, scale: f32) -> Result<(u32, u32), DrawError> {
    let side = |length: u32| (f64::from(length) * f64::from(scale)).round().max(1.0) as u64;
    let (width, height) = (side(svg.width), side(svg.height));
    if width.max(height) > MAX_SIDE_PIXELS {
        return Err(DrawError::TooLarge { width, height });
    }
    Ok((width as u32, height as u32))
}

fn rasterise(
    svg: &str,
    (width, height): (u32, u32),
    options: &PngOptions,
) -> Result<Vec<u8>, DrawError> {
    let (fonts, ours) = fonts(svg);
    let parsing = usvg::Options {
        fontdb: Arc::new(fonts),
        font_resolver: usvg::FontResolver {
            select_font: Box::new(move |_, _| ours),
            select_fallback: usvg::FontResolver::default_fallback_selector(),
        },
        style_sheet: Some(heavier(if options.theme == Theme::Dark { &DARK } else { &LIGHT })),
        ..usvg::Options::default()
    };
    let tree = usvg::Tree::from_str(svg, &parsing)
        .map_err(|error| DrawError::Rasterise(error.to_string()))?;
    let mut picture = Pixmap::new(width, height)
        .ok_or_else(|| DrawError::Rasterise("out of memory".to_owned()))?;
    let scale = Transform::from_scale(options.scale, options.scale);
    resvg::render(&tree, scale, &mut picture.as_mut());
    picture.encode_png().map_err(|error| DrawError::Encode(error.to_string()))
}

/// The fonts that the text needs, and the bundled one among them.
fn fonts(svg: &str) -> (Database, Option<ID>) {
    let mut fonts = Database::new();
    let ours = fonts.load_font_source(Source::Binary(Arc::new(epaint_default_fonts::UBUNTU_LIGHT)));
    // Scanning the system's fonts is slow.
    if !svg.chars().all(is_in_our_font) {
        fonts.load_system_fonts();
    }
    (fonts, ours.first().copied())
}

/// Latin, Greek, Cyrillic and their punctuation.
fn is_in_our_font(c: char) -> bool {
    c <= '\u{52f}' || matches!(c, '–' | '—' | '‘' | '’' | '“' | '”' | '…' | '€')
}

/// The bundled font has only a light weight, so a thin outline makes labels regular and titles bold.
fn heavier(palette: &Palette) -> String {
    let (ink, muted) = (palette.ink, palette.muted);
    format!(
        ".sd-title{{stroke:{ink};stroke-width:.7px}}\
         .sd-subtitle,.sd-label,.sd-tick,.sd-empty{{stroke:{muted};stroke-width:.25px}}"
    )
}
