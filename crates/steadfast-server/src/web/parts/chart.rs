//! Charts in a page.

use maud::{Markup, PreEscaped, html};
use steadfast_draw::{Chart, SvgOptions, Theme};

/// What the colours of a chart mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Looks {
    /// Completed, failed.
    Outcomes,
    /// What is due later.
    Due,
    /// One accent.
    Plain,
    /// What is, and what would be.
    Compared,
}

impl Looks {
    const fn name(self) -> &'static str {
        match self {
            Self::Outcomes => "outcomes",
            Self::Due => "due",
            Self::Plain => "accent",
            Self::Compared => "compared",
        }
    }
}

/// A chart that has half of a page, or the whole of a phone.
pub(crate) fn chart(chart: &Chart, looks: Looks) -> Markup {
    sized(chart, looks, 600)
}

/// A chart that stands at the side.
pub(crate) fn side_chart(chart: &Chart, looks: Looks) -> Markup {
    sized(chart, looks, 450)
}

/// Once for a wide place and once for a narrow one: a drawing that is made smaller as a whole
/// cannot be read.
fn sized(chart: &Chart, looks: Looks, width: u32) -> Markup {
    let chart = &chart.clone().without_heading();
    html! {
        figure class={ "chart " (looks.name()) } {
            div class="wide" { (drawn(chart, width, 220)) }
            div class="narrow" { (drawn(chart, 340, 220)) }
        }
    }
}

fn drawn(chart: &Chart, width: u32, height: u32) -> Markup {
    let options = SvgOptions { width, height, theme: Theme::Page };
    PreEscaped(chart.svg(&options))
}
