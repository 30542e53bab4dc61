//! The attempts that are left, drawn: when each is due, between the earliest and the latest moment
//! that the jitter allows (D18).

use jiff::Timestamp;
use maud::{Markup, html};
use steadfast_api::NextAttempt;
use steadfast_draw::{Axis, Chart};

use crate::web::parts::{self, Looks};

/// A line of fewer says nothing.
const FEWEST: usize = 3;
/// A task may have thousands.
const MOST: usize = 100;

/// The attempts to come as a chart, where there are enough of them.
///
/// They are counted from the first of them: nobody knows when one that waits for a worker begins.
pub(super) fn schedule(next: &[NextAttempt]) -> Markup {
    let Some(first) = next.first().filter(|_| next.len() >= FEWEST) else {
        return html! {};
    };
    let next = next.iter().take(MOST);
    let away = |time: Timestamp| time.duration_since(first.earliest).as_secs_f64().max(0.0);
    let band = next.clone().map(|it| (f64::from(it.attempt), away(it.earliest), away(it.latest)));
    let middle =
        next.map(|it| (f64::from(it.attempt), (away(it.earliest) + away(it.latest)) / 2.0));
    let chart = Chart::new("When each attempt that is left is due, if all of them fail")
        .x(Axis::count("attempt"))
        .y(Axis::seconds(format!("after attempt {}", first.attempt)).from_zero())
        .band("earliest to latest", band)
        .line("middle", middle);
    parts::panel("Schedule if every attempt fails", parts::side_chart(&chart, Looks::Plain))
}
