//! The chart of remaining attempts: when each is due, between the earliest and the latest time that
//! the jitter allows (D18).

use jiff::Timestamp;
use maud::{Markup, html};
use steadfast_api::NextAttempt;
use steadfast_draw::{Axis, Chart};

use crate::web::parts;

/// Fewer attempts than this have no chart.
const MIN_ATTEMPTS: usize = 3;
const MAX_ATTEMPTS: usize = 100;

/// The chart, if there are enough attempts.
///
/// Times are relative to the first attempt, whose start is unknown while it waits for a worker.
pub(super) fn schedule(next: &[NextAttempt]) -> Markup {
    let Some(first) = next.first().filter(|_| next.len() >= MIN_ATTEMPTS) else {
        return html! {};
    };
    let next = next.iter().take(MAX_ATTEMPTS);
    let offset = |time: Timestamp| time.duration_since(first.earliest).as_secs_f64().max(0.0);
    let band =
        next.clone().map(|it| (f64::from(it.attempt), offset(it.earliest), offset(it.latest)));
    let midpoint =
        next.map(|it| (f64::from(it.attempt), (offset(it.earliest) + offset(it.latest)) / 2.0));
    let chart = Chart::new("Remaining attempts if every attempt fails")
        .x(Axis::count("attempt"))
        .y(Axis::seconds(format!("time since attempt {}", first.attempt)).from_zero())
        .band("earliest to latest", band)
        .line("midpoint", midpoint);
    parts::panel("Schedule if every attempt fails", parts::side_chart(&chart, "accent"))
}
