//! The retry schedule of a policy if every attempt fails, as a chart and a table.

use maud::{Markup, html};
use steadfast::Policy;
use steadfast::decide::PlannedAttempt;
use steadfast_sim::draw;

use crate::web::parts::{self, Number};

pub(super) const MAX_ATTEMPTS_SHOWN: u32 = 50;

pub(super) fn plan(policy: &Policy) -> Markup {
    let retries = draw::retries(policy, MAX_ATTEMPTS_SHOWN);
    let content = html! {
        @if retries.is_empty() {
            div class="empty small" { p { "This policy never retries: " (no_retry_reason(policy)) } }
        } @else {
            @let chart = draw::delay_chart("Delay before each attempt", false);
            (parts::chart(&draw::delays(chart, "", policy, MAX_ATTEMPTS_SHOWN), "accent"))
            details class="table" open[retries.len() <= 8] {
                summary { "Schedule by attempt" }
                (table(policy, &retries))
            }
        }
    };
    parts::panel("Retry delays", content)
}

fn no_retry_reason(policy: &Policy) -> &'static str {
    match policy.max_attempts() {
        _ if !policy.is_enabled() => "it is disabled",
        1 => "it allows one attempt",
        _ => "its time limit leaves no room for a second attempt",
    }
}

fn table(policy: &Policy, retries: &[PlannedAttempt]) -> Markup {
    let max = policy.plan().size_hint().1.unwrap_or(usize::MAX);
    let rest = max.saturating_sub(1 + retries.len());
    let columns = [Number("Attempt"), Number("Delay"), Number("With jitter"), Number("Cumulative")];
    html! {
        (parts::read_only_table("Schedule", "", &columns, retries.iter().map(row)))
        @if rest > 0 { p class="panel-body muted" { (omitted(policy, retries, rest)) } }
    }
}

fn row(retry: &PlannedAttempt) -> Markup {
    html! {
        tr {
            td class="number" { (retry.attempt) }
            td class="number" { (parts::duration(retry.delay)) }
            td class="number" { (parts::duration_range(retry.min, retry.max)) }
            td class="number" { (parts::duration_range(retry.total_min, retry.total_max)) }
        }
    }
}

/// The attempts that the table omits. P5: those that would start too late are not made.
fn omitted(policy: &Policy, retries: &[PlannedAttempt], rest: usize) -> String {
    let rest = parts::count(rest as u64);
    match policy.max_duration() {
        Some(limit) if retries.len() + 1 < MAX_ATTEMPTS_SHOWN as usize => {
            format!(
                "{rest} more would start after the time limit of {} and are not made.",
                parts::duration(limit)
            )
        }
        _ => format!("{rest} more not shown."),
    }
}
