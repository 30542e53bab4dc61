//! The charts of the overview, each with its data as a table.

use jiff::Timestamp;
use maud::{Markup, html};
use steadfast_draw::{Axis, Chart};
use steadfast_store::{Activity, Status};

use super::link;
use super::parts::{self, Number};

const MINUTE: f64 = 60.0;
const HOUR: f64 = 3600.0;
const MINUTES_PER_ROW: usize = 10;
/// The smallest upper end of the y axis.
const MIN_AXIS_TASKS: u64 = 4;

/// The numbers of completed and of failed tasks of the last hour.
pub(super) fn last_hour(activity: &Activity) -> (u64, u64) {
    let ended = &activity.ended;
    (ended.iter().map(|it| it.completed).sum(), ended.iter().map(|it| it.failed).sum())
}

/// Finished tasks per minute of the last hour. A requeued task counts once, where it finishes last.
pub(super) fn finished(activity: &Activity) -> Markup {
    let minutes = (0..).map(f64::from).zip(&activity.ended);
    let bars = |value: fn(&steadfast_store::Ended) -> u64| {
        let minutes = minutes.clone().map(move |(minute, ended)| {
            let from = (minute - activity.ended.len() as f64) * MINUTE;
            (from, from + MINUTE, value(ended) as f64)
        });
        minutes.collect::<Vec<_>>()
    };
    let chart = Chart::new("Finished tasks per minute, last hour")
        .x(Axis::seconds_ago("time ago"))
        .y(tasks(activity.ended.iter().map(|it| it.completed + it.failed)))
        .bars("completed", bars(|ended| ended.completed))
        .bars("failed", bars(|ended| ended.failed));
    let (completed, failed) = last_hour(activity);
    let links = html! {
        span {
            a href=(since(Status::Completed, activity.now)) { (parts::count(completed)) " completed" } ", "
            a href=(since(Status::Failed, activity.now)) { (parts::count(failed)) " failed" }
            span class="muted" { " in the last hour" }
        }
    };
    let content = html! {
        (parts::chart(&chart, "outcomes"))
        (table(["Minutes ago", "Completed", "Failed"], activity.ended.chunks(MINUTES_PER_ROW).enumerate().map(|(row, ended)| {
            let left = activity.ended.len() - row * MINUTES_PER_ROW;
            let sum = |value: fn(&steadfast_store::Ended) -> u64| parts::count(ended.iter().map(value).sum());
            [format!("{left} to {}", left.saturating_sub(MINUTES_PER_ROW)), sum(|it| it.completed), sum(|it| it.failed)]
        })))
    };
    parts::panel_with("Finished tasks per minute", links, content)
}

/// The list of tasks that reached this status in the hour before `now`.
pub(super) fn since(status: Status, now: Timestamp) -> String {
    let hour_ago = Timestamp::from_second(now.as_second() - 3600).unwrap_or(now);
    let after = hour_ago.to_string();
    link::filtered("/tasks", [("status", status.name()), ("ended_after", &after)])
}

/// Scheduled tasks per hour of the next day.
pub(super) fn scheduled(activity: &Activity) -> Markup {
    let hours = (0..).map(f64::from).zip(&activity.due);
    let bars = hours.map(|(hour, tasks)| (hour * HOUR, (hour + 1.0) * HOUR, *tasks as f64));
    let chart = Chart::new("Scheduled tasks per hour, next 24 hours")
        .x(Axis::seconds("time from now"))
        .y(tasks(activity.due.iter().copied()))
        .bars("scheduled", bars);
    let links = html! {
        a href="/tasks?due_within=24h" { (parts::count(activity.due.iter().sum())) " in the next 24 hours" }
    };
    let content = html! {
        (parts::chart(&chart, "scheduled"))
        (table(["Hours from now", "Scheduled"], activity.due.iter().enumerate().map(|(hour, tasks)| {
            [format!("{hour} to {}", hour + 1), parts::count(*tasks)]
        })))
    };
    parts::panel_with("Scheduled tasks per hour", links, content)
}

/// An axis of whole tasks with a minimum height.
fn tasks(values: impl Iterator<Item = u64>) -> Axis {
    let axis = Axis::count("").from_zero();
    match values.max() {
        Some(most) if most >= MIN_AXIS_TASKS => axis,
        _ => axis.max(MIN_AXIS_TASKS as f64),
    }
}

fn table<const N: usize>(heads: [&str; N], rows: impl Iterator<Item = [String; N]>) -> Markup {
    html! {
        details class="table" {
            summary { "Show as table" }
            (parts::plain_table("", &heads.map(Number), rows.map(|row| html! {
                tr { @for cell in row { td class="number" { (cell) } } }
            })))
        }
    }
}
