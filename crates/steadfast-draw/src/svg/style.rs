//! The style sheet of an SVG, light, dark or both.
//!
//! Colours are custom properties, so that a page can override them. The PNG rasteriser does not
//! support custom properties, so a fixed theme has literal colours.

use std::fmt::Write;

use crate::palette::{Colour, DARK, LIGHT, Palette};

/// The colour theme of an SVG.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Theme {
    /// Light or dark, by the preferred colour scheme.
    #[default]
    Auto,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
    /// No embedded style: the page's style sheet includes [`stylesheet`]. For pages whose content
    /// security policy forbids inline styles.
    Page,
}

/// The style sheet of [`Theme::Auto`], for pages with charts of [`Theme::Page`].
///
/// A page overrides the custom properties of `.sd-chart` to set its own colours:
/// `--sd-background`, `--sd-ink`, `--sd-muted`, `--sd-axis`, `--sd-grid` and `--sd-s1` to
/// `--sd-s6`.
///
/// ```
/// let css = steadfast_draw::stylesheet();
/// assert!(css.contains("--sd-background"));
/// assert!(css.contains("prefers-color-scheme: dark"));
/// ```
pub fn stylesheet() -> String {
    automatic(true)
}

fn automatic(has_bars: bool) -> String {
    let [light, dark] = [&LIGHT, &DARK].map(|palette| {
        let properties = named(palette).into_iter();
        properties.map(|(name, colour)| format!("--sd-{name}:{colour};")).collect::<String>()
    });
    let rules = rules(|name, _| format!("var(--sd-{name})"), &LIGHT, has_bars);
    format!(
        ".sd-chart{{color-scheme:light dark;{light}}}\n\
         @media (prefers-color-scheme: dark){{.sd-chart{{{dark}}}}}\n{rules}"
    )
}

/// The embedded style sheet, if any. The rules for bars are included only if the chart has bars.
pub(super) fn of(theme: Theme, has_bars: bool) -> Option<String> {
    let fixed = |palette| rules(|_, colour| colour.to_string(), palette, has_bars);
    match theme {
        Theme::Auto => Some(automatic(has_bars)),
        Theme::Light => Some(fixed(&LIGHT)),
        Theme::Dark => Some(fixed(&DARK)),
        Theme::Page => None,
    }
}

fn named(palette: &Palette) -> Vec<(String, Colour)> {
    let fixed = [
        ("background", palette.background),
        ("ink", palette.ink),
        ("muted", palette.muted),
        ("axis", palette.axis),
        ("grid", palette.grid),
    ];
    let fixed = fixed.into_iter().map(|(name, colour)| (name.to_owned(), colour));
    let series = palette.series.into_iter().enumerate();
    fixed.chain(series.map(|(i, colour)| (format!("s{}", i + 1), colour))).collect()
}

/// The rules, with each colour as `paint` writes it.
fn rules(paint: impl Fn(&str, Colour) -> String, palette: &Palette, has_bars: bool) -> String {
    let background = paint("background", palette.background);
    let ink = paint("ink", palette.ink);
    let muted = paint("muted", palette.muted);
    let axis = paint("axis", palette.axis);
    let grid = paint("grid", palette.grid);
    let mut css = format!(
        "\
.sd-chart{{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;font-variant-numeric:tabular-nums;max-width:100%;height:auto}}
.sd-background{{fill:{background}}}
.sd-title{{font-size:18px;font-weight:600;fill:{ink}}}
.sd-subtitle{{font-size:13px;fill:{muted}}}
.sd-label{{font-size:12px;fill:{muted}}}
.sd-tick{{font-size:12px;fill:{muted}}}
.sd-empty{{font-size:14px;fill:{muted};text-anchor:middle}}
.sd-end{{text-anchor:end}}
.sd-middle{{text-anchor:middle}}
.sd-grid{{stroke:{grid};stroke-width:1}}
.sd-axis{{stroke:{axis};stroke-width:1}}
.sd-region{{fill:{muted};fill-opacity:.12}}
.sd-line{{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}}
.sd-dashed{{stroke-dasharray:6 4}}
.sd-band{{fill-opacity:.18;stroke:none}}
.sd-dot{{stroke:{background};stroke-width:1.5}}
.sd-hover{{fill-opacity:0;stroke:none}}
"
    );
    let series: Vec<(String, String)> = (palette.series.into_iter().zip(1..))
        .map(|(colour, number)| (format!("s{number}"), colour))
        .map(|(name, colour)| (name.clone(), paint(&name, colour)))
        .collect();
    for (name, colour) in &series {
        _ = writeln!(css, ".sd-line.sd-{name}{{stroke:{colour}}}");
        _ = writeln!(css, ".sd-band.sd-{name},.sd-dot.sd-{name}{{fill:{colour}}}");
    }
    for (name, colour) in series.iter().filter(|_| has_bars) {
        _ = writeln!(css, ".sd-bar.sd-{name}{{fill:{colour}}}");
    }
    css
}
