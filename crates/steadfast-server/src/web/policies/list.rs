//! The list of policies, presets and mappings.

use std::sync::Arc;

use maud::{Markup, html};
use steadfast::Policy;
use steadfast::file::{Explanation, Layer, MappedName, Policies};
use steadfast_api::{PoliciesView, PolicySummary};

use super::banner;
use super::show::file_name;
use crate::auth::Viewer;
use crate::web::parts::{self, Number, Text};
use crate::web::{PageResult, Section, View, link};

pub(super) async fn list(view: View, Viewer(api): Viewer) -> PageResult {
    let policies = api.active_policies()?;
    let known = PoliciesView::of(&policies);
    let content = html! {
        (parts::head("Policies", html! {}))
        (banner(&api))
        @if known.policies.is_empty() { section class="panel" { (no_file()) } }
        @else { (parts::panel("From the policy file", table(&policies, &known.policies))) }
        @if !known.presets.is_empty() {
            (parts::panel("Presets", table(&policies, &known.presets)))
        }
        @if !known.names.is_empty() { (parts::panel("Mappings", mappings(&known.names))) }
    };
    Ok(view.show(Section::POLICIES, "Policies", &content))
}

fn no_file() -> Markup {
    let instructions = html! {
        p { "The presets below can be used by name. To define your own, write a policy file and start the server with it:" }
        (parts::yaml("version: '1.1.0'\npolicies:\n  billing: {max_attempts: 6, base_delay: 5s, max_delay: 10m, jitter: full}"))
        (parts::command("steadfast -c steadfast.yaml serve"))
    };
    parts::empty("No custom policies yet", instructions)
}

fn table(all: &Policies, policies: &[Arc<Policy>]) -> Markup {
    let columns = [
        Text("Policy"),
        Number("Attempts"),
        Text("Backoff"),
        Text("Delays"),
        Text("Total delay"),
        Text("Source"),
    ];
    parts::table("stacked policies", &columns, policies.iter().map(|policy| row(all, policy)))
}

fn row(all: &Policies, policy: &Policy) -> Markup {
    let id = policy.id().unwrap_or_default();
    let summary = PolicySummary::of(policy);
    let source = source(&all.explain(id));
    let description = policy.description().or_else(|| policy.name().filter(|name| *name != id));
    html! {
        tr id={ "policy-" (id) } data-row {
            td class="wide" {
                a href=(link::to("/policies", id)) { (id) }
                @if !policy.is_enabled() { " " span class="tag" { "disabled" } }
                @if let Some(description) = description { span class="muted" { " " (description) } }
            }
            td class="number" data-label="attempts" { (parts::count(summary.attempts.into())) }
            td { (summary.backoff) }
            td { (parts::duration_range(summary.first_delay, summary.longest_delay)) }
            td data-label="total delay" { @if summary.and_more { "over " } (parts::duration(summary.total_delay)) }
            td class="muted" title=(source) { (file_name(&source)) }
        }
    }
}

/// The file and line of the policy, and whether the environment overrides it.
fn source(explanation: &Explanation) -> String {
    let of = |layer: Layer| explanation.values.iter().find(|it| it.origin.layer() == layer);
    let own = of(Layer::Policy).map(|it| it.origin.to_string());
    let own = own.unwrap_or_else(|| "built-in".to_owned());
    match of(Layer::Environment) {
        Some(_) => format!("{own}, environment"),
        None => own,
    }
}

fn mappings(names: &[MappedName]) -> Markup {
    let row = |mapped: &MappedName| {
        html! {
            tr {
                td class="wide" { code { (mapped.name) } }
                td { a href=(link::to("/policies", &mapped.policy)) { (mapped.policy) } }
            }
        }
    };
    parts::table("names", &[Text("Name"), Text("Policy")], names.iter().map(row))
}
