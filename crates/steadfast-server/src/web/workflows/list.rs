//! The list of workflows.
//!
//! How executions of each went is told of the latest alone: to count all of them takes the longer
//! the more there were.

use std::collections::BTreeSet;

use axum::response::Response;
use maud::{Markup, html};
use serde_json::Value;
use steadfast_api::{Api, ApiError, Local, Page, PageQuery, WorkflowView};
use steadfast_flow::{Execution, ExecutionFilter};
use steadfast_store::{ExecutionStatus, PageRequest};

use crate::extract::Ask;
use crate::problem::Problem;
use crate::query::Query;
use crate::web::executions::status;
use crate::web::parts::Column::{Number, Text};
use crate::web::section::Section;
use crate::web::view::View;
use crate::web::{link, parts};

/// Of so many of the latest executions of a name is told how they went.
const LATEST: u32 = 20;

/// Some workflows, newest first.
pub(super) async fn list(
    view: View,
    Ask(api): Ask,
    Query(page): Query<PageQuery>,
) -> Result<Response, Problem> {
    let workflows = api.workflows(&page).await?;
    let latest = latest(&api, &workflows.items).await?;
    let inside = html! {
        (parts::head("Workflows", html! { a class="button" href="/executions" { "Executions" } }))
        section class="panel" aria-label="Workflows" { (found(&view, &workflows, &latest)) }
        (parts::pager("/workflows", &(), &page, workflows.next.as_ref()))
    };
    Ok(view.show(Section::Workflows, "Workflows", &inside))
}

/// The latest executions of each name. Versions of a workflow share it.
async fn latest(api: &Local, workflows: &[WorkflowView]) -> Result<Vec<Execution>, ApiError> {
    let names: BTreeSet<_> = workflows.iter().map(|workflow| workflow.name.as_str()).collect();
    let page = PageRequest { limit: LATEST, after: None };
    let mut latest = Vec::new();
    for name in names {
        let of_name = ExecutionFilter::all().workflow(name);
        latest.extend(api.flow().executions(&of_name, &page).await?.items);
    }
    Ok(latest)
}

fn found(view: &View, workflows: &Page<WorkflowView>, latest: &[Execution]) -> Markup {
    if workflows.items.is_empty() {
        return first(view, "No workflows yet");
    }
    let of_the_latest = format!("Of the latest {LATEST}");
    let columns = [
        Text("Workflow"),
        Number("Version"),
        Number("Nodes"),
        Text("Kept"),
        Text("Last execution"),
        Text(&of_the_latest),
    ];
    parts::table(
        "stacked",
        &columns,
        html! { @for workflow in &workflows.items { (row(view, workflow, latest)) } },
    )
}

/// How to keep a first one and start it, at the address that this page was opened at.
pub(crate) fn first(view: &View, title: &str) -> Markup {
    let workflow = "{\"name\": \"hello\", \"nodes\": [{\"nodeId\": \"call\", \"type\": \"http\", \
                    \"config\": {\"url\": \"https://example.com/\"}}]}";
    let run = format!("echo '{workflow}' |\n  steadfast flow run - --server {}", view.address);
    parts::empty(
        title,
        html! {
            p { "Keep a workflow. It is listed " a href="/workflows" { "here" } ", and can be started:" }
            (parts::token_first(view))
            (parts::curl(view, "/workflows", workflow))
            p { "Or keep it and start it at once:" }
            (parts::command(&run))
        },
    )
}

fn row(view: &View, workflow: &WorkflowView, latest: &[Execution]) -> Markup {
    let nodes = workflow.workflow.get("nodes").and_then(Value::as_array).map_or(0, Vec::len);
    let of_it: Vec<_> = latest.iter().filter(|it| it.workflow_number == workflow.id).collect();
    html! {
        tr id={ "workflow-" (workflow.id) } data-row {
            td class="name" { a href=(link::workflow(workflow.id)) { (workflow.name) } }
            td class="number" data-label="version" { (workflow.id) }
            td class="number" data-label="nodes" { (parts::count(nodes as u64)) }
            td class="when" { (parts::at(view.now, workflow.kept_at)) }
            td {
                @match of_it.first() {
                    Some(last) => {
                        (status(last.status)) " "
                        a href=(link::execution(last.id)) { (parts::at(view.now, last.started_at)) }
                    }
                    None => span class="muted" { "none lately" },
                }
            }
            td class="wide" { @for wanted in ExecutionStatus::ALL { (went(workflow, &of_it, wanted)) } }
        }
    }
}

/// How many of them went so, and the way to all that did.
fn went(workflow: &WorkflowView, of_it: &[&Execution], wanted: ExecutionStatus) -> Markup {
    let many = of_it.iter().filter(|execution| execution.status == wanted).count();
    let query = [("workflow", workflow.name.as_str()), ("status", wanted.name())];
    html! {
        @if many > 0 {
            a href=(link::narrowed("/executions", &query)) { (many) " " (wanted.name()) } " "
        }
    }
}
