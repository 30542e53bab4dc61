//! The audit log page (K3).

use maud::{Markup, html};
use serde_json::Value;
use steadfast_api::{Api, AuditFilter, Page};
use steadfast_store::{AuditEntry, TaskId};

use super::parts::{self, Text};
use super::{FormListQuery, PageResult, Section, View, link};
use crate::auth::Admin;
use crate::limits::ReadPermit;

/// Audit entries, newest first.
pub(super) async fn list(
    view: View,
    Admin(api): Admin,
    FormListQuery { filter, page }: FormListQuery<AuditFilter>,
    _permit: ReadPermit,
) -> PageResult {
    let entries = api.audit(&filter, &page).await?;
    let content = html! {
        (parts::head("Audit log", html! {}))
        (bar(&filter))
        section class="panel" aria-label="Audit log" { (results(&view, &filter, &entries)) }
        (parts::pager("/audit", &filter, &page, entries.next.as_ref()))
    };
    Ok(view.show(Section::AUDIT, "Audit log", &content))
}

fn bar(filter: &AuditFilter) -> Markup {
    let is_filtered = *filter != AuditFilter::default();
    let since = filter.since.map(|since| since.to_string());
    let fields = html! {
        (parts::filter("actor", "Actor", filter.actor.as_deref(), "ada"))
        (parts::filter("action", "Action", filter.action.as_deref(), "task.cancel"))
        (parts::filter("target", "Target", filter.target.as_deref(), "task ID, queue or policy"))
        (parts::filter("since", "Since", since.as_deref(), parts::TIME_PLACEHOLDER))
    };
    parts::filter_bar("/audit", is_filtered, None, fields)
}

fn results(view: &View, filter: &AuditFilter, entries: &Page<AuditEntry>) -> Markup {
    if entries.items.is_empty() && entries.next.is_some() {
        return parts::no_matches_here("Older entries may match.");
    }
    if entries.items.is_empty() {
        return match *filter == AuditFilter::default() {
            true => parts::empty(
                "No audit entries yet",
                html! { p { "Actions such as cancel, requeue, pause and breaker commands are recorded here." } },
            ),
            false => parts::no_matches("entries", "Filters match exact names.", "/audit"),
        };
    }
    let columns = [Text("Time"), Text("Actor"), Text("Action"), Text("Target"), Text("Details")];
    parts::table("stacked audit", &columns, entries.items.iter().map(|entry| row(view, entry)))
}

fn row(view: &View, entry: &AuditEntry) -> Markup {
    let by = &entry.actor;
    html! {
        tr id=[entry.number.map(|number| format!("audit-{number}"))] data-row {
            td class="when" { @if let Some(time) = entry.at { (parts::at(view.now, time)) } }
            td {
                a href=(link::filtered("/audit", [("actor", &by.name)])) { (by.name) }
                @if let Some(from) = &by.origin { span class="muted" { " from " (from) } }
            }
            td { a href=(link::filtered("/audit", [("action", &entry.action)])) { code { (entry.action) } } }
            td class="target" { @if let Some(target) = &entry.target { (target_link(&entry.action, target)) } }
            td class="wide muted" { (details(&entry.detail)) }
        }
    }
}

fn target_link(action: &str, target: &str) -> Markup {
    let kind = action.split('.').next().unwrap_or_default();
    let id = target.parse::<TaskId>().ok();
    html! {
        @match (kind, id) {
            ("task", Some(id)) => { a href=(link::task(id)) { (parts::id(id)) } }
            ("execution", Some(id)) => { a href=(link::to("/executions", target)) { (parts::id(id)) } }
            ("queue", _) => { a href=(link::queue(target)) { (target) } }
            ("policy", _) => { a href="/policies" { (target) } }
            ("breaker", _) => { a href=(link::anchor("/breakers", &format!("of-{target}"))) { (target) } }
            _ => (target),
        }
    }
}

fn details(detail: &Value) -> String {
    match detail {
        Value::Null => String::new(),
        Value::Object(fields) if fields.is_empty() => String::new(),
        Value::Object(fields) => {
            let pairs = fields.iter().map(|(name, value)| match value.as_str() {
                Some(text) => format!("{name}: {text}"),
                None => format!("{name}: {value}"),
            });
            pairs.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}
