//! One policy: what it will do, who wrote what, and what if it said something else.

use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};
use steadfast_api::{KnownPolicy, PolicySummary};

use super::banner::banner;
use super::what_if::{self, Asked};
use super::{guards, plan, values};
use crate::app::App;
use crate::extract::Ask;
use crate::path_parameters::Named;
use crate::problem::Problem;
use crate::query::Query;
use crate::web::link;
use crate::web::parts;
use crate::web::section::Section;
use crate::web::view::View;

/// The policy that a name leads to.
pub(super) async fn show(
    view: View,
    Ask(api): Ask,
    State(app): State<App>,
    Named(name): Named,
    Query(asked): Query<Asked>,
) -> Result<Response, Problem> {
    let known = api.policy(&name)?;
    let what_if = what_if::panel(app.simulations(), &known, &asked).await;
    let inside = html! {
        (head(&name, &known))
        (banner(&api))
        div class="columns policy" {
            div class="stack" { (plan::plan(&known.policy)) (guards::guards(&known.policy)) }
            (values::values(&known.explanation))
        }
        (what_if)
    };
    let id = known.policy.id().unwrap_or(&name);
    Ok(view.show(Section::Policies, &format!("Policy {id}"), &inside))
}

fn head(name: &str, known: &KnownPolicy) -> Markup {
    let policy = &known.policy;
    let id = policy.id().unwrap_or(name);
    let summary = PolicySummary::of(policy);
    html! {
        div class="task-head" {
            p class="muted" { a href="/policies" { "Policies" } " / " (parts::copyable(id, "the id")) }
            div class="page-head" {
                h1 { (policy.name().unwrap_or(id)) }
                @if !policy.is_enabled() { span class="tag open" { "off: runs once, never retries" } }
                div class="beside" {
                    a class="button" href=(link::narrowed("/events", &[("policy", id)])) { "Its events" }
                    a class="button" href="#what-if" { "What if" }
                }
            }
            @if let Some(description) = policy.description() { p { (description) } }
            @if name != id { p class="muted" { code { (name) } " leads here: " (known.route) } }
            p class="next" {
                (parts::counted(summary.attempts.into(), "attempt")) ", " (summary.backoff) ", "
                @if summary.and_more { "over " } (parts::lasting(summary.total_delay)) " of waiting at most"
            }
        }
    }
}
