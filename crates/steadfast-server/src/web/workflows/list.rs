//! The list of workflows.
//!
//! Outcomes are counted over the latest executions only: counting all of them takes longer the more
//! there are.

use std::collections::BTreeSet;

use maud::{Markup, html};
use serde_json::Value;
use steadfast_api::{Api, ApiError, Local, Page, PageQuery, WorkflowView};
use steadfast_flow::{Execution, ExecutionFilter};
use steadfast_store::{ExecutionStatus, PageRequest};

use crate::auth::Viewer;
use crate::http::Query;
use crate::web::executions::execution_status;
use crate::web::parts::{self, Number, Text};
use crate::web::{PageResult, Section, View, link};

const RECENT_EXECUTIONS: u32 = 20;

/// Workflows, newest first.
pub(super) async fn list(
    view: View,
    Viewer(api): Viewer,
    Query(page): Query<PageQuery>,
) -> PageResult {
    let workflows = api.workflows(&page).await?;
    let latest = latest(&api, &workflows.items).await?;
    let content = html! {
        (parts::head("Workflows", html! { a class="button" href="/executions" { "Executions" } }))
        section class="panel" aria-label="Workflows" { (results(&view, &workflows, &latest)) }
        (parts::pager("/workflows", &(), &page, workflows.next.as_ref()))
    };
    Ok(view.show(Section::WORKFLOWS, "Workflows", &content))
}

/// The latest executions of each name, which all versions of a workflow share.
async fn latest(api: &Local, workflows: &[WorkflowView]) -> Result<Vec<Execution>, ApiError> {
    let names: BTreeSet<_> = workflows.iter().map(|workflow| workflow.name.as_str()).collect();
    let page = PageRequest { limit: RECENT_EXECUTIONS, after: None };
    let mut latest = Vec::new();
    for name in names {
        let of_name = ExecutionFilter::all().workflow(name);
        latest.extend(api.flow().executions(&of_name, &page).await?.items);
    }
    Ok(latest)
}

fn results(view: &View, workflows: &Page<WorkflowView>, latest: &[Execution]) -> Markup {
    if workflows.items.is_empty() {
        return get_started(view, "No workflows yet");
    }
    let outcomes = format!("Last {RECENT_EXECUTIONS} executions");
    let columns = [
        Text("Workflow"),
        Number("Definition"),
        Number("Nodes"),
        Text("Created"),
        Text("Last execution"),
        Text(&outcomes),
    ];
    let rows = workflows.items.iter().map(|workflow| row(view, workflow, latest));
    parts::table("stacked", &columns, rows)
}

/// How to register and start a first workflow on this server.
pub(crate) fn get_started(view: &View, title: &str) -> Markup {
    let workflow = "{\"name\": \"hello\", \"nodes\": [{\"nodeId\": \"call\", \"type\": \"http\", \
                    \"config\": {\"url\": \"https://example.com/\"}}]}";
    let run = format!("echo '{workflow}' |\n  steadfast flow run - --server {}", view.base_url);
    let instructions = html! {
        p { "Register a workflow, then start it from the " a href="/workflows" { "list of workflows" } ":" }
        (parts::token_note(view))
        (parts::curl(view, "/workflows", workflow))
        p { "Or register and start it in one step:" }
        (parts::command(&run))
    };
    parts::empty(title, instructions)
}

fn row(view: &View, workflow: &WorkflowView, latest: &[Execution]) -> Markup {
    let nodes = workflow.workflow.get("nodes").and_then(Value::as_array).map_or(0, Vec::len);
    let executions: Vec<_> = latest.iter().filter(|it| it.workflow_id == workflow.id).collect();
    html! {
        tr id={ "workflow-" (workflow.id) } data-row {
            td class="name" { a href=(link::workflow(workflow.id)) { (workflow.name) } }
            td class="number" data-label="definition" { (workflow.id) }
            td class="number" data-label="nodes" { (parts::count(nodes as u64)) }
            td class="when" { (parts::at(view.now, workflow.saved_at)) }
            td {
                @match executions.first() {
                    Some(last) => {
                        (execution_status(view.now, last)) " "
                        a href=(link::execution(last.id)) { (parts::at(view.now, last.started_at)) }
                    }
                    None => span class="muted" { "none" },
                }
            }
            td class="wide" { @for wanted in ExecutionStatus::ALL { (outcome_count(workflow, &executions, wanted)) } }
        }
    }
}

/// The number of executions with this status, linked to their list.
fn outcome_count(
    workflow: &WorkflowView,
    executions: &[&Execution],
    wanted: ExecutionStatus,
) -> Markup {
    let count = executions.iter().filter(|execution| execution.status == wanted).count();
    let query = [("workflow", workflow.name.as_str()), ("status", wanted.name())];
    html! {
        @if count > 0 {
            a href=(link::filtered("/executions", query)) { (count) " " (wanted.name()) } " "
        }
    }
}
