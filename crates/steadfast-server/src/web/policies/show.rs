//! The page of one policy: schedule, rules, effective settings, what-if simulation.

use std::cmp::Reverse;

use maud::{Markup, html};
use steadfast::Policy;
use steadfast::decide::PlannedAttempt;
use steadfast::file::{Explained, Explanation, Layer};
use steadfast::guard::{BreakerSettings, BudgetSettings};
use steadfast::judge::Rule;
use steadfast::policy::{FIELDS, FieldKind};
use steadfast_api::{PolicyDetails, PolicySummary, policy_fields};
use steadfast_sim::draw;

use super::banner;
use super::what_if::{self, WhatIfQuery};
use crate::auth::Viewer;
use crate::http::{PathName, Query};
use crate::web::parts::{self, Number, Text};
use crate::web::{PageResult, Section, View, link};

/// How many attempts the schedule lists.
pub(super) const MAX_ATTEMPTS_SHOWN: u32 = 50;

pub(super) async fn show(
    view: View,
    Viewer(api): Viewer,
    PathName(name): PathName,
    Query(query): Query<WhatIfQuery>,
) -> PageResult {
    let known = api.policy(&name)?;
    let what_if = what_if::panel(&view.app.simulations, &known, &query).await;
    let content = html! {
        (head(&name, &known))
        (banner(&api))
        div class="columns policy" {
            div class="stack" { (plan(&known.policy)) (guards(&known.policy)) }
            (settings(&known.explanation))
        }
        (what_if)
    };
    let id = known.policy.id().unwrap_or(&name);
    Ok(view.show(Section::POLICIES, &format!("Policy {id}"), &content))
}

fn head(name: &str, known: &PolicyDetails) -> Markup {
    let policy = &known.policy;
    let id = policy.id().unwrap_or(name);
    let summary = PolicySummary::of(policy);
    html! {
        div class="task-head" {
            p class="muted" { a href="/policies" { "Policies" } " / " (parts::copyable(id, "ID")) }
            div class="page-head" {
                h1 { (policy.name().unwrap_or(id)) }
                @if !policy.is_enabled() { span class="tag open" { "disabled: runs once, never retries" } }
                div class="head-actions" {
                    a class="button" href=(link::filtered("/events", [("policy", id)])) { "View events" }
                    a class="button" href="#what-if" { "What-if" }
                }
            }
            @if let Some(description) = policy.description() { p { (description) } }
            @if name != id { p class="muted" { code { (name) } " resolves to this policy: " (known.route) } }
            p class="next" {
                (parts::pluralize(summary.attempts.into(), "attempt")) ", " (summary.backoff) ", "
                "total delay " @if summary.and_more { "over " } @else { "up to " } (parts::duration(summary.total_delay))
            }
        }
    }
}

/// The retry schedule if every attempt fails, as a chart and a table.
fn plan(policy: &Policy) -> Markup {
    let retries = draw::retries(policy, MAX_ATTEMPTS_SHOWN);
    let content = html! {
        @if retries.is_empty() {
            div class="empty small" { p { "This policy never retries: " (no_retry_reason(policy)) } }
        } @else {
            @let chart = draw::delay_chart("Delay before each attempt", false);
            (parts::chart(&draw::delays(chart, "", policy, MAX_ATTEMPTS_SHOWN), "accent"))
            details class="table" open[retries.len() <= 8] {
                summary { "Schedule by attempt" }
                (plan_table(policy, &retries))
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

fn plan_table(policy: &Policy, retries: &[PlannedAttempt]) -> Markup {
    let max = policy.plan().size_hint().1.unwrap_or(usize::MAX);
    let rest = max.saturating_sub(1 + retries.len());
    let columns = [Number("Attempt"), Number("Delay"), Number("With jitter"), Number("Cumulative")];
    html! {
        (parts::read_only_table("Schedule", "", &columns, retries.iter().map(plan_row)))
        @if rest > 0 { p class="panel-body muted" { (omitted(policy, retries, rest)) } }
    }
}

fn plan_row(retry: &PlannedAttempt) -> Markup {
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

/// The retry rules, breaker, budget and durable handover.
fn guards(policy: &Policy) -> Markup {
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
            dd { @match policy.idempotent() {
                Some(true) => "retried: the operation is idempotent",
                Some(false) => "not retried: the operation is not idempotent",
                None => "retried unless the operation is known not to be idempotent, such as a POST without a key",
            } }
            dt { "Breaker" }
            dd { @match policy.breaker() {
                Some(breaker) => (breaker_settings(breaker)),
                None => span class="muted" { "none" },
            } }
            dt { "Budget" }
            dd { @match policy.budget() { Some(budget) => (budget_limit(budget)), None => span class="muted" { "none" } } }
            @if let Some(durable) = policy.durable() {
                dt { "After the last attempt" }
                dd { "continues as a durable task" @if let Some(id) = durable.id() { " with policy " a href=(link::to("/policies", id)) { (id) } } }
            }
        }
    };
    parts::panel_with("Rules, breaker and budget", link, content)
}

fn tags(rules: &[Rule], class: &str) -> Markup {
    html! { @for rule in rules { span class={ "tag " (class) } { (rule) } " " } }
}

fn breaker_settings(breaker: &BreakerSettings) -> String {
    let timeout = parts::duration(breaker.timeout);
    let by_rate = breaker.failure_rate.map(|rate| format!("when {}% of calls fail", rate * 100.0));
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
            "{ratio} retries per success in the last {}, plus {min_per_second} per second",
            parts::duration(*window)
        ),
        BudgetSettings::Tokens { max_tokens, token_ratio } => {
            format!("{max_tokens} tokens; each success returns {token_ratio}")
        }
        other => format!("{other:?}"),
    }
}

/// The effective settings and their sources (F3). Configured ones come first; defaults are collapsed.
fn settings(explanation: &Explanation) -> Markup {
    let (defaults, mut configured): (Vec<&Explained>, Vec<&Explained>) =
        explanation.values.iter().partition(|it| it.origin.layer() == Layer::BuiltIn);
    configured.sort_by_key(|it| Reverse(it.origin.layer()));
    let is_preset = configured.is_empty();
    let content = html! {
        @if !is_preset { (settings_table("Configured settings", &configured)) }
        details class="table" open[is_preset] {
            summary { (parts::pluralize(defaults.len() as u64, "default")) }
            (settings_table("Default settings", &defaults))
        }
    };
    parts::panel("Effective settings and their sources", content)
}

fn settings_table(name: &str, values: &[&Explained]) -> Markup {
    let row = |it: &&Explained| {
        html! {
            tr {
                td { code title=[about(&it.field)] { (it.field) } }
                td class="value" { @match policy_fields::value(&it.field, &it.value) {
                    Some(value) => (value), None => span class="muted" { (unset(&it.field)) },
                } }
                td class="muted" title=(source(it)) { (file_name(&source(it))) }
            }
        }
    };
    let columns = [Text("Setting"), Text("Value"), Text("Source")];
    parts::read_only_table(name, "values stacked", &columns, values.iter().map(row))
}

/// What applies where a setting has no value.
fn unset(field: &str) -> &'static str {
    match field.rsplit('.').next() {
        Some("retry_on") => "default rules",
        _ => "not set",
    }
}

/// The description of a field, also of one in a group such as `budget.ratio`.
fn about(field: &str) -> Option<&'static str> {
    let mut fields = FIELDS;
    let mut about = None;
    for name in field.split('.') {
        let found = fields.iter().find(|field| field.name == name)?;
        about = Some(found.about);
        fields = match found.kind {
            FieldKind::Fields(inner) => inner,
            FieldKind::Stage => FIELDS,
            _ => &[],
        };
    }
    about
}

/// The file name without its directory, which the tooltip shows.
pub(super) fn file_name(source: &str) -> &str {
    source.rsplit_once(['/', '\\']).map_or(source, |(_, last)| last)
}

/// The source of a setting. A line of `global_defaults` is marked as such.
fn source(value: &Explained) -> String {
    match value.origin.layer() {
        Layer::GlobalDefaults => format!("{} (global_defaults)", value.origin),
        _ => value.origin.to_string(),
    }
}
