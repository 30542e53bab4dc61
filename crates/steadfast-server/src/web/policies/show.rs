//! The page of one policy: schedule, rules, effective settings, what-if simulation.

use maud::{Markup, html};
use steadfast_api::{PolicyDetails, PolicySummary};

use super::what_if::{self, WhatIfQuery};
use super::{banner, guards, plan, settings};
use crate::auth::Viewer;
use crate::http::{PathName, Query};
use crate::web::{PageResult, Section, View, link, parts};

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
            div class="stack" { (plan::plan(&known.policy)) (guards::guards(&known.policy)) }
            (settings::settings(&known.explanation))
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
