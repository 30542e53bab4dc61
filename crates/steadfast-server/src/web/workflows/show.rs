//! The page of one workflow: nodes, retry settings, executions and definition.

use http::StatusCode;
use maud::{Markup, html};
use steadfast::observe::Redactor;
use steadfast_api::{Api, ApiError, ExecutionFilter, Local, PageQuery, WorkflowView};
use steadfast_flow::{Node, Workflow};

use super::retry_summary;
use super::start::{StartForm, form};
use crate::auth::Viewer;
use crate::http::PathWorkflowId;
use crate::web::executions::{GraphNode, graph, rows};
use crate::web::parts::{self, Text};
use crate::web::{PageResult, Section, View, link};

const MAX_EXECUTIONS: u32 = 20;

pub(super) async fn show(
    view: View,
    Viewer(api): Viewer,
    PathWorkflowId(id): PathWorkflowId,
) -> PageResult {
    answer(&view, &api, id, &StartForm::fresh(), None).await
}

pub(super) async fn answer(
    view: &View,
    api: &Local,
    id: i64,
    values: &StartForm,
    problem: Option<&ApiError>,
) -> PageResult {
    let stored = api.workflow(id).await?.without_secrets(Redactor::installed());
    let filter = ExecutionFilter { workflow: Some(stored.name.clone()), status: None };
    let executions =
        api.executions(&filter, &PageQuery { limit: MAX_EXECUTIONS, after: None }).await?;
    let workflow = api.flow().workflow(id).await.map_err(ApiError::from);
    let url = link::filtered("/executions", [("workflow", &stored.name)]);
    let all_executions = html! { a href=(url) { "View all executions" } };
    let execution_rows = match executions.items.as_slice() {
        [] => parts::empty("No executions yet", html! {}),
        executions => rows(view, executions),
    };
    let content = html! {
        (head(&stored))
        @match &workflow {
            Ok(workflow) => (details(view, id, workflow, values, problem)),
            Err(error) => p class="form-problem" { (error.detail) @if let Some(next) = &error.next { "; " (next) } },
        }
        (parts::panel_with("Executions", all_executions, execution_rows))
        (parts::document_panel("Definition", "workflow", &stored.workflow))
    };
    let status = if problem.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    Ok(view.answer(status, Some(Section::WORKFLOWS), &stored.name, &content))
}

fn head(stored: &WorkflowView) -> Markup {
    html! {
        div class="task-head" {
            p class="muted" { a href="/workflows" { "Workflows" } " / definition " (stored.id) }
            div class="page-head" { h1 { (stored.name) } }
        }
    }
}

fn details(
    view: &View,
    id: i64,
    workflow: &Workflow,
    values: &StartForm,
    problem: Option<&ApiError>,
) -> Markup {
    html! {
        (parts::panel("Nodes", nodes(workflow)))
        div class="columns" {
            @if view.can_operate() { (form(id, values, problem)) }
            (parts::panel("Details", html! {
                dl class="facts" {
                    dt { "Failed executions" } dd { (retry_summary::of_execution(workflow.retry().map(|policy| &**policy))) }
                    dt { "Definition" } dd { (parts::copyable(&id.to_string(), "definition")) }
                }
            }))
        }
    }
}

fn nodes(workflow: &Workflow) -> Markup {
    let graph_nodes: Vec<_> = workflow.nodes().iter().map(graph_node).collect();
    let columns = [Text("Node"), Text("Type"), Text("Depends on"), Text("Queue"), Text("Retries")];
    html! {
        @if let Some(graph) = graph(&graph_nodes) { (graph) }
        (parts::read_only_table("Nodes", "stacked", &columns, workflow.nodes().iter().map(|node| row(workflow, node))))
        p class="panel-body muted" { code { "maxAttempts" } " in a workflow counts retries: the first attempt is not included." }
    }
}

fn graph_node(node: &Node) -> GraphNode<'_> {
    GraphNode { name: node.id(), depends_on: node.depends_on(), tooltip: node.kind(), class: "" }
}

fn row(workflow: &Workflow, node: &Node) -> Markup {
    html! {
        tr id={ "node-" (node.id()) } {
            td class="name" { (node.id()) }
            td { (node.kind()) }
            td class="muted" { (node.depends_on().join(", ")) }
            td { @if let Some(queue) = workflow.queue_of(node) { a href=(link::queue(queue)) { (queue) } } }
            td class="wide" { (retry_summary::of_node(node)) }
        }
    }
}
