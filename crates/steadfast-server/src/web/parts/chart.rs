//! Charts as inline SVG.

use maud::{Markup, PreEscaped, html};
use steadfast_draw::{Chart, SvgOptions, Theme};

/// A chart of half the page width, or the full width of a phone. The palette is a class.
pub(crate) fn chart(chart: &Chart, palette: &str) -> Markup {
    sized(chart, palette, 600)
}

pub(crate) fn side_chart(chart: &Chart, palette: &str) -> Markup {
    sized(chart, palette, 450)
}

/// Rendered once for wide and once for narrow containers: scaling down makes the text unreadable.
fn sized(chart: &Chart, palette: &str, width: u32) -> Markup {
    let chart = &chart.clone().without_heading();
    html! {
        figure class={ "chart " (palette) } {
            div class="wide" { (svg(chart, width, 220)) }
            div class="narrow" { (svg(chart, 340, 220)) }
        }
    }
}

fn svg(chart: &Chart, width: u32, height: u32) -> Markup {
    let options = SvgOptions { width, height, theme: Theme::Page };
    PreEscaped(chart.svg(&options))
}
