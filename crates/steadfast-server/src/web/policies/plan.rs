//! What a policy will do if every attempt fails: a curve, and a table behind it.

use maud::{Markup, html};
use steadfast::Policy;
use steadfast::decide::PlannedAttempt;
use steadfast_sim::draw;

use crate::web::parts::Column::Number;
use crate::web::parts::{self, Looks};

/// How many attempts are drawn and listed; nobody reads more.
pub(super) const SHOWN: u32 = 50;

/// The curve with its band, and the table.
pub(super) fn plan(policy: &Policy) -> Markup {
    let retries = draw::retries(policy, SHOWN);
    parts::panel(
        "Delays",
        html! {
            @if retries.is_empty() {
                div class="empty small" { p { "It never retries: " (why_never(policy)) "." } }
            } @else {
                @let chart = draw::delay_chart("Delay before each attempt", false);
                (parts::chart(&draw::delays(chart, "", policy, SHOWN), Looks::Plain))
                details class="table" open[retries.len() <= 8] {
                    summary { "The plan, attempt by attempt" }
                    (table(policy, &retries))
                }
            }
        },
    )
}

fn why_never(policy: &Policy) -> &'static str {
    if !policy.is_enabled() {
        return "it is off";
    }
    if policy.max_attempts() == 1 {
        "it has one attempt"
    } else {
        "it has no time for a second attempt"
    }
}

fn table(policy: &Policy, retries: &[PlannedAttempt]) -> Markup {
    let most = policy.plan().size_hint().1.unwrap_or(usize::MAX);
    let rest = most.saturating_sub(1 + retries.len());
    let columns =
        [Number("Attempt"), Number("Delay"), Number("With jitter"), Number("Running total")];
    html! {
        (parts::read_only_table("The plan", "", &columns, html! { @for retry in retries { (row(retry)) } }))
        @if rest > 0 { p class="within muted" { (why_less(policy, retries, rest)) } }
    }
}

fn row(retry: &PlannedAttempt) -> Markup {
    html! {
        tr {
            td class="number" { (retry.attempt) }
            td class="number" { (parts::lasting(retry.delay)) }
            td class="number" { (parts::band(retry.min, retry.max)) }
            td class="number" { (parts::band(retry.total_min, retry.total_max)) }
        }
    }
}

/// P5: what could not start in time is not waited for.
fn why_less(policy: &Policy, retries: &[PlannedAttempt], rest: usize) -> String {
    let rest = parts::count(rest as u64);
    match policy.max_duration() {
        Some(limit) if retries.len() + 1 < SHOWN as usize => {
            format!(
                "{rest} more would not start within {} and are not made.",
                parts::lasting(limit)
            )
        }
        _ => format!("And {rest} more."),
    }
}
