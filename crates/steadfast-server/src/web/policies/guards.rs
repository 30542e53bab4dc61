//! The panel of retry rules, breaker, budget and durable handover.

use maud::{Markup, html};
use steadfast::Policy;
use steadfast::guard::{BreakerSettings, BudgetSettings};
use steadfast::judge::Rule;

use crate::web::{link, parts};

pub(super) fn guards(policy: &Policy) -> Markup {
    let rules = policy.rules();
    let link = html! {
        @if policy.breaker().is_some() {
            @let id = format!("of-{}", policy.id().unwrap_or_default());
            a href=(link::anchor("/breakers", &id)) { "Breaker status" }
        }
    };
    let content = html! {
        dl class="facts" {
            dt { "Retries on" }
            dd { @match rules.retry_on() {
                Some(on) if !on.is_empty() => (tags(on, "retryable")),
                _ => span class="muted" { "errors that the default rules classify as retryable" },
            } }
            dt { "Aborts on" }
            dd {
                @if rules.abort_on().is_empty() { span class="muted" { "no additional rules" } }
                @else { (tags(rules.abort_on(), "final")) }
            }
            dt { "Unknown outcomes" }
            dd { @if policy.is_idempotent() { "retried: the operation is idempotent" } @else { "not retried: the operation is not idempotent" } }
            dt { "Breaker" }
            dd { @match policy.breaker() {
                Some(breaker) => (breaker_settings(breaker)),
                None => span class="muted" { "none" },
            } }
            dt { "Budget" }
            dd { @match policy.budget() { Some(budget) => (budget_limit(budget)), None => span class="muted" { "none" } } }
            @if let Some(durable) = policy.durable() {
                dt { "Durable handover" }
                dd { "continues in the task store" @if let Some(id) = durable.id() { " with policy " a href=(link::to("/policies", id)) { (id) } } }
            }
        }
    };
    parts::panel_with("Rules and guards", link, content)
}

fn tags(rules: &[Rule], class: &str) -> Markup {
    html! { @for rule in rules { span class={ "tag " (class) } { (rule) } " " } }
}

fn breaker_settings(breaker: &BreakerSettings) -> String {
    let timeout = parts::duration(breaker.timeout);
    let by_rate = breaker.failure_rate.map(|rate| format!("when {} % of calls fail", rate * 100.0));
    let by_count = breaker.threshold.map(|count| format!("after {count} consecutive failures"));
    let when = match (by_count, by_rate) {
        (Some(count), Some(rate)) => format!("{count} or {rate}"),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => "after 5 consecutive failures".to_owned(),
    };
    format!("opens {when}, for {timeout}")
}

pub(in crate::web) fn budget_limit(budget: &BudgetSettings) -> String {
    match budget {
        BudgetSettings::Rate { retries_per_second } => {
            format!("{retries_per_second} retries per second")
        }
        BudgetSettings::Ratio { ratio, min_per_second, window } => format!(
            "{ratio} retries per success of the last {}, plus {min_per_second} per second",
            parts::duration(*window)
        ),
        BudgetSettings::Tokens { max_tokens, token_ratio } => {
            format!("{max_tokens} tokens; each success returns {token_ratio}")
        }
    }
}
