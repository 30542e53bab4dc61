//! What a policy retries, and what holds it back.

use maud::{Markup, html};
use steadfast::Policy;
use steadfast::guard::{BreakerSettings, BudgetSettings};
use steadfast::judge::Rule;

use crate::web::link;
use crate::web::parts;

/// Rules and guards.
pub(super) fn guards(policy: &Policy) -> Markup {
    let rules = policy.rules();
    let beside = html! {
        @if policy.breaker().is_some() {
            @let of = format!("of-{}", policy.id().unwrap_or_default());
            a href=(link::within("/breakers", &of)) { "How its breaker stands" }
        }
    };
    parts::panel_with(
        "Rules and guards",
        beside,
        html! {
            dl class="facts" {
                dt { "Retries on" }
                dd { @match rules.retry_on() {
                    Some(on) if !on.is_empty() => (tags(on, "retryable")),
                    _ => span class="muted" { "what the default rules call retryable" },
                } }
                dt { "Gives up on" }
                dd {
                    @if rules.abort_on().is_empty() { span class="muted" { "nothing besides" } }
                    @else { (tags(rules.abort_on(), "final")) }
                }
                dt { "Unknown outcomes" }
                dd { @if policy.is_idempotent() { "are retried: it is idempotent" } @else { "are not retried: it is not idempotent" } }
                dt { "Breaker" }
                dd { @match policy.breaker() {
                    Some(breaker) => (opens(breaker)),
                    None => span class="muted" { "none" },
                } }
                dt { "Budget" }
                dd { @match policy.budget() { Some(budget) => (allows(budget)), None => span class="muted" { "none" } } }
                @if let Some(durable) = policy.durable() {
                    dt { "Afterwards" }
                    dd { "goes on in the store" @if let Some(id) = durable.id() { " as " a href=(link::to("/policies", id)) { (id) } } }
                }
            }
        },
    )
}

fn tags(rules: &[Rule], looks: &str) -> Markup {
    html! { @for rule in rules { span class={ "tag " (looks) } { (rule) } " " } }
}

fn opens(breaker: &BreakerSettings) -> String {
    let timeout = parts::lasting(breaker.timeout);
    let by_rate = breaker.failure_rate.map(|rate| format!("when {} % of calls fail", rate * 100.0));
    let in_a_row = breaker.threshold.map(|count| format!("after {count} failures in a row"));
    let when = match (in_a_row, by_rate) {
        (Some(count), Some(rate)) => format!("{count} or {rate}"),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => "after 5 failures in a row".to_owned(),
    };
    format!("opens {when}, for {timeout}")
}

/// How much a budget allows, in words.
pub(in crate::web) fn allows(budget: &BudgetSettings) -> String {
    match budget {
        BudgetSettings::Rate { retries_per_second } => {
            format!("{retries_per_second} retries a second")
        }
        BudgetSettings::Ratio { ratio, min_per_second, window } => format!(
            "{ratio} retries for each success of the last {}, and {min_per_second} a second besides",
            parts::lasting(*window)
        ),
        BudgetSettings::Tokens { max_tokens, token_ratio } => {
            format!("{max_tokens} tokens; a success gives {token_ratio} back")
        }
    }
}
