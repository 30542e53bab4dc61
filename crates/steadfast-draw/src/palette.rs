//! The colours of a chart.
//!
//! Every series colour has a contrast of at least 3:1 to the background, as WCAG 2 requires, and all
//! pairs are distinguishable with red-green colour blindness.
//! The hues are Okabe and Ito's; no single list of theirs is legible both on white and on black,
//! so each is darkened for the one and lightened for the other.

/// A colour in sRGB: red, green and blue, a byte each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Colour(pub(crate) u32);

impl std::fmt::Display for Colour {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{:06x}", self.0)
    }
}

/// The number of series colours; further series repeat them, dashed.
pub(crate) const SERIES: usize = 6;

/// A set of colours.
#[derive(Debug)]
pub(crate) struct Palette {
    pub(crate) background: Colour,
    /// The title.
    pub(crate) ink: Colour,
    /// Labels and secondary text.
    pub(crate) muted: Colour,
    /// Axis lines.
    pub(crate) axis: Colour,
    /// Grid lines.
    pub(crate) grid: Colour,
    /// The accent first.
    pub(crate) series: [Colour; SERIES],
}

pub(crate) const LIGHT: Palette = Palette {
    background: Colour(0xffffff),
    ink: Colour(0x161b22),
    muted: Colour(0x57606a),
    axis: Colour(0x8c959f),
    grid: Colour(0xe6e9ed),
    series: colours([0x0072b2, 0xd55e00, 0x009e73, 0x7a2860, 0x6b5600, 0x23282e]),
};

pub(crate) const DARK: Palette = Palette {
    background: Colour(0x12171e),
    ink: Colour(0xf0f3f6),
    muted: Colour(0xa3adb8),
    axis: Colour(0x6b7683),
    grid: Colour(0x272e37),
    series: colours([0x56b4e9, 0xf28c28, 0x1fc294, 0xb45a92, 0xf0e442, 0xe9edf1]),
};

const fn colours([a, b, c, d, e, f]: [u32; SERIES]) -> [Colour; SERIES] {
    [Colour(a), Colour(b), Colour(c), Colour(d), Colour(e), Colour(f)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linear(Colour(rgb): Colour) -> [f64; 3] {
        let [_, red, green, blue] = rgb.to_be_bytes();
        [red, green, blue].map(|channel| {
            let share = f64::from(channel) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        })
    }

    fn luminance(colour: Colour) -> f64 {
        let [red, green, blue] = linear(colour);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    /// WCAG 2's contrast ratio.
    fn contrast(a: Colour, b: Colour) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn contrast_is_computed_as_in_wcag() {
        assert!((contrast(LIGHT.background, Colour(0)) - 21.0).abs() < 1e-9);
        assert!((contrast(LIGHT.background, Colour(0x777777)) - 4.48).abs() < 0.01);
    }

    #[test]
    fn series_contrast_is_at_least_three_to_one() {
        for palette in [LIGHT, DARK] {
            for colour in palette.series {
                let ratio = contrast(colour, palette.background);
                assert!(ratio >= 3.0, "{colour} on {}: {ratio:.2}", palette.background);
            }
        }
    }

    #[test]
    fn text_contrast_is_at_least_four_and_a_half_to_one() {
        for palette in [LIGHT, DARK] {
            for colour in [palette.ink, palette.muted] {
                let ratio = contrast(colour, palette.background);
                assert!(ratio >= 4.5, "{colour} on {}: {ratio:.2}", palette.background);
            }
        }
    }

    /// Linear red, green and blue as perceived without one kind of cone (Machado, Oliveira and
    /// Fernandes 2009, full severity).
    const WITHOUT_RED: [[f64; 3]; 3] = [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ];
    const WITHOUT_GREEN: [[f64; 3]; 3] = [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ];

    fn times(matrix: [[f64; 3]; 3], [a, b, c]: [f64; 3]) -> [f64; 3] {
        matrix.map(|[x, y, z]| (x * a + y * b + z * c).clamp(0.0, 1.0))
    }

    /// Oklab, in which distances approximate perceived differences.
    fn oklab([red, green, blue]: [f64; 3]) -> [f64; 3] {
        let long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue).cbrt();
        let middle = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue).cbrt();
        let short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue).cbrt();
        [
            0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
            1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
            0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
        ]
    }

    fn distance(matrix: [[f64; 3]; 3], a: Colour, b: Colour) -> f64 {
        let [a, b] = [a, b].map(|colour| oklab(times(matrix, linear(colour))));
        a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
    }

    /// About five times the just noticeable difference of large patches, because lines are thin.
    #[test]
    fn every_two_series_differ_for_colour_blind_readers() {
        for palette in [LIGHT, DARK] {
            for (place, a) in palette.series.into_iter().enumerate() {
                for b in palette.series.into_iter().skip(place + 1) {
                    for matrix in [WITHOUT_RED, WITHOUT_GREEN] {
                        let distance = distance(matrix, a, b);
                        assert!(distance >= 0.1, "{a} and {b}: {distance:.3}");
                    }
                }
            }
        }
    }
}
