//! The charts of the overview, each with its numbers as a table behind it.

use jiff::Timestamp;
use maud::{Markup, html};
use steadfast_draw::{Axis, Chart};
use steadfast_store::{Activity, Status};

use super::link;
use super::parts::{self, Column, Looks};

const MINUTE: f64 = 60.0;
const HOUR: f64 = 3600.0;
/// The numbers are told by so many minutes at a time.
const TOLD_BY: usize = 10;
/// Fewer tasks than this do not fill a chart.
const FEW: u64 = 4;

/// What ended in the last hour.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lately {
    completed: u64,
    failed: u64,
}

impl Lately {
    /// The share of it that went well; of nothing there is none.
    pub(super) fn success_rate(self) -> Option<f64> {
        let all = self.completed + self.failed;
        (all > 0).then(|| self.completed as f64 / all as f64)
    }
}

/// How much ended in the last hour, and how.
pub(super) fn in_an_hour(activity: &Activity) -> Lately {
    let sum = |of: fn(&steadfast_store::Ended) -> u64| activity.ended.iter().map(of).sum::<u64>();
    Lately { completed: sum(|ended| ended.completed), failed: sum(|ended| ended.failed) }
}

/// What ended in each minute of the last hour. One that is requeued is where it ends next: a task
/// has one end.
pub(super) fn ended(activity: &Activity) -> Markup {
    let minutes = (0..).map(f64::from).zip(&activity.ended);
    let bars = |value: fn(&steadfast_store::Ended) -> u64| {
        let minutes = minutes.clone().map(move |(minute, ended)| {
            let from = (minute - activity.ended.len() as f64) * MINUTE;
            (from, from + MINUTE, value(ended) as f64)
        });
        minutes.collect::<Vec<_>>()
    };
    let chart = Chart::new("Tasks that last ended in each minute of the last hour")
        .x(Axis::seconds("time from now"))
        .y(tasks(activity.ended.iter().map(|it| it.completed + it.failed)))
        .bars("completed", bars(|ended| ended.completed))
        .bars("failed", bars(|ended| ended.failed));
    let Lately { completed, failed } = in_an_hour(activity);
    let beside = html! {
        span {
            a href=(since(Status::Completed, activity.now)) { (parts::count(completed)) " completed" } ", "
            a href=(since(Status::Failed, activity.now)) { (parts::count(failed)) " failed" }
            span class="muted" { " in an hour" }
        }
    };
    parts::panel_with(
        "Tasks by when they last ended",
        beside,
        html! {
            (parts::chart(&chart, Looks::Outcomes))
            (table(["Minutes ago", "Completed", "Failed"], activity.ended.chunks(TOLD_BY).enumerate().map(|(place, ended)| {
                let left = activity.ended.len() - place * TOLD_BY;
                let sum = |value: fn(&steadfast_store::Ended) -> u64| parts::count(ended.iter().map(value).sum());
                [format!("{left} to {}", left.saturating_sub(TOLD_BY)), sum(|it| it.completed), sum(|it| it.failed)]
            })))
        },
    )
}

/// Those that have ended so in the hour before this time.
pub(super) fn since(status: Status, now: Timestamp) -> String {
    let hour_ago = Timestamp::from_second(now.as_second() - 3600).unwrap_or(now);
    let after = hour_ago.to_string();
    link::narrowed("/tasks", &[("status", status.name()), ("ended_after", &after)])
}

/// What is due in each hour of the next day.
pub(super) fn due(activity: &Activity) -> Markup {
    let hours = (0..).map(f64::from).zip(&activity.due);
    let bars = hours.map(|(hour, tasks)| (hour * HOUR, (hour + 1.0) * HOUR, *tasks as f64));
    let chart = Chart::new("Scheduled tasks that are due in each hour of the next day")
        .x(Axis::seconds("time from now"))
        .y(tasks(activity.due.iter().copied()))
        .bars("due", bars);
    let beside = html! {
        a href="/tasks?due_within=24h" { (parts::count(activity.due.iter().sum())) " in 24 hours" }
    };
    parts::panel_with(
        "Due per hour",
        beside,
        html! {
            (parts::chart(&chart, Looks::Due))
            (table(["In hours", "Due"], activity.due.iter().enumerate().map(|(hour, tasks)| {
                [format!("{hour} to {}", hour + 1), parts::count(*tasks)]
            })))
        },
    )
}

/// An axis of whole tasks that has some height where there are none.
fn tasks(values: impl Iterator<Item = u64>) -> Axis {
    let axis = Axis::count("").from_zero();
    match values.max() {
        Some(most) if most >= FEW => axis,
        _ => axis.max(FEW as f64),
    }
}

fn table<const N: usize>(heads: [&str; N], rows: impl Iterator<Item = [String; N]>) -> Markup {
    html! {
        details class="table" {
            summary { "As a table" }
            (parts::plain_table("", &heads.map(Column::Number), html! {
                @for row in rows { tr { @for cell in row { td class="number" { (cell) } } } }
            }))
        }
    }
}
