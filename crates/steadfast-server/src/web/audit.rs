//! Who did what, when, from where (K3).

use axum::response::Response;
use maud::{Markup, html};
use serde_json::Value;
use steadfast_api::{Api, AuditFilter, Page};
use steadfast_store::{AuditEntry, TaskId};

use super::chosen::Chosen;
use super::parts::Column::Text;
use super::section::Section;
use super::view::View;
use super::{link, parts};
use crate::extract::Admin;
use crate::problem::Problem;
use crate::read_permits::Turn;

/// What was done, newest first.
pub(super) async fn list(
    view: View,
    Admin(api): Admin,
    Chosen { filter, page }: Chosen<AuditFilter>,
    _turn: Turn,
) -> Result<Response, Problem> {
    let entries = api.audit(&filter, &page).await?;
    let inside = html! {
        (parts::head("Audit", html! {}))
        (bar(&filter))
        section class="panel" aria-label="Audit" { (found(&view, &filter, &entries)) }
        (parts::pager("/audit", &filter, &page, entries.next.as_ref()))
    };
    Ok(view.show(Section::Audit, "Audit", &inside))
}

fn bar(filter: &AuditFilter) -> Markup {
    let is_narrowed = *filter != AuditFilter::default();
    let since = filter.since.map(|since| since.to_string());
    let fields = html! {
        (parts::filter("actor", "Who", filter.actor.as_deref(), "ada"))
        (parts::filter("action", "What", filter.action.as_deref(), "task.cancel"))
        (parts::filter("target", "To what", filter.target.as_deref(), "a task's id, a queue, a policy"))
        (parts::filter("since", "Since", since.as_deref(), parts::A_TIME))
    };
    parts::filter_bar("/audit", is_narrowed, None, fields)
}

fn found(view: &View, filter: &AuditFilter, entries: &Page<AuditEntry>) -> Markup {
    if entries.items.is_empty() && entries.next.is_some() {
        return parts::empty(
            "None of the latest is like that",
            html! { p { "Go on to older ones below." } },
        );
    }
    if entries.items.is_empty() {
        return match *filter == AuditFilter::default() {
            true => parts::empty(
                "Nobody has done anything yet",
                html! { p { "Whoever cancels, requeues, pauses or steers a breaker is written down here, for good." } },
            ),
            false => parts::empty(
                "Nothing is like that",
                html! { p { "Names are matched as they are written. " a href="/audit" { "See everything" } "." } },
            ),
        };
    }
    let columns = [Text("When"), Text("Who"), Text("What"), Text("To what"), Text("Besides")];
    parts::table(
        "stacked audit",
        &columns,
        html! { @for entry in &entries.items { (row(view, entry)) } },
    )
}

fn row(view: &View, entry: &AuditEntry) -> Markup {
    let by = &entry.by;
    html! {
        tr id=[entry.number.map(|number| format!("deed-{number}"))] data-row {
            td class="when" { @if let Some(time) = entry.at { (parts::at(view.now, time)) } }
            td {
                a href=(link::narrowed("/audit", &[("actor", &by.actor)])) { (by.actor) }
                @if let Some(from) = &by.from { span class="muted" { " from " (from) } }
            }
            td { a href=(link::narrowed("/audit", &[("action", &entry.action)])) { code { (entry.action) } } }
            td class="target" { @if let Some(target) = &entry.target { (leads_to(&entry.action, target)) } }
            td class="wide muted" { (besides(&entry.detail)) }
        }
    }
}

/// What was done to something links to it.
fn leads_to(action: &str, target: &str) -> Markup {
    let kind = action.split('.').next().unwrap_or_default();
    let id = target.parse::<TaskId>().ok();
    html! {
        @match (kind, id) {
            ("task", Some(id)) => { a href=(link::task(id)) { (parts::id(id)) } }
            ("execution", Some(id)) => { a href=(link::to("/executions", target)) { (parts::id(id)) } }
            ("queue", _) => { a href=(link::queue(target)) { (target) } }
            ("policy", _) => { a href="/policies" { (target) } }
            ("breaker", _) => { a href=(link::within("/breakers", &format!("of-{target}"))) { (target) } }
            _ => (target),
        }
    }
}

/// What else there is to know, on one line.
fn besides(detail: &Value) -> String {
    match detail {
        Value::Null => String::new(),
        Value::Object(fields) if fields.is_empty() => String::new(),
        Value::Object(fields) => {
            let told = fields.iter().map(|(name, value)| match value.as_str() {
                Some(text) => format!("{name}: {text}"),
                None => format!("{name}: {value}"),
            });
            told.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}
