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
}

impl Looks {
    const fn name(self) -> &'static str {
        match self {
            Self::Outcomes => "outcomes",
            Self::Due => "due",
            Self::Plain => "accent",
        }
    }
}

/// A chart, once for a wide place and once for a narrow one: a drawing that is made smaller as a
/// whole cannot be read.
pub(crate) fn chart(chart: &Chart, looks: Looks) -> Markup {
    let chart = &chart.clone().without_heading();
    html! {
        figure class={ "chart " (looks.name()) } {
            div class="wide" { (drawn(chart, 600, 220)) }
            div class="narrow" { (drawn(chart, 340, 220)) }
        }
    }
}

fn drawn(chart: &Chart, width: u32, height: u32) -> Markup {
    let options = SvgOptions { width, height, theme: Theme::Page };
    PreEscaped(chart.svg(&options))
}
