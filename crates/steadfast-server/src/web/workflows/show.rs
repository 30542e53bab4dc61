//! One workflow: what waits for what, how each node is tried again, and how it went.

use axum::response::Response;
use http::StatusCode;
use maud::{Markup, html};
use steadfast::observe::Redactor;
use steadfast_api::{
    Api, ApiError, ExecutionFilter, ExecutionView, Local, Page, PageQuery, WorkflowView,
};
use steadfast_flow::{Node, Workflow};

use super::again;
use super::start::{Typed, form};
use crate::extract::Ask;
use crate::path_parameters::Number;
use crate::problem::Problem;
use crate::web::executions::{Drawn, draw, rows};
use crate::web::parts::Column::Text;
use crate::web::section::Section;
use crate::web::view::View;
use crate::web::{link, parts};

/// So many of its executions are shown.
const SHOWN: u32 = 20;

/// One workflow.
pub(super) async fn show(
    view: View,
    Ask(api): Ask,
    Number(id): Number,
) -> Result<Response, Problem> {
    answer(&view, &api, id, &Typed::fresh(), None).await
}

/// The page, with what was typed and what is wrong with it.
pub(super) async fn answer(
    view: &View,
    api: &Local,
    id: i64,
    typed: &Typed,
    problem: Option<&ApiError>,
) -> Result<Response, Problem> {
    let kept = api.workflow(id).await?.without_secrets(Redactor::installed());
    let filter = ExecutionFilter { workflow: Some(kept.name.clone()), status: None };
    let executions = api.executions(&filter, &PageQuery { limit: SHOWN, after: None }).await?;
    let workflow = api.flow().workflow(id).await.map_err(ApiError::from);
    let inside = html! {
        (head(&kept))
        @match &workflow {
            Ok(workflow) => (definition(view, id, workflow, typed, problem)),
            Err(error) => p class="form-problem" { (error.detail) @if let Some(next) = &error.next { "; " (next) } },
        }
        (parts::panel_with("Executions", all(&kept), began(view, &executions)))
        (parts::panel("As it was written", html! {
            div class="within" { (parts::document("the workflow", &kept.workflow)) }
        }))
    };
    let status = if problem.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    Ok(view.answer(status, Some(Section::Workflows), &kept.name, &inside))
}

fn head(kept: &WorkflowView) -> Markup {
    html! {
        div class="task-head" {
            p class="muted" { a href="/workflows" { "Workflows" } " / version " (kept.id) }
            div class="page-head" { h1 { (kept.name) } }
        }
    }
}

fn definition(
    view: &View,
    id: i64,
    workflow: &Workflow,
    typed: &Typed,
    problem: Option<&ApiError>,
) -> Markup {
    html! {
        (parts::panel("Nodes", nodes(workflow)))
        div class="columns" {
            @if view.may_change() { (form(id, typed, problem)) }
            (parts::panel("Facts", html! {
                dl class="facts" {
                    dt { "An execution that fails" } dd { (again::of_execution(workflow.retry().map(|policy| &**policy))) }
                    dt { "Version" } dd { (parts::copyable(&id.to_string(), "the version")) }
                }
            }))
        }
    }
}

fn nodes(workflow: &Workflow) -> Markup {
    let drawn: Vec<_> = workflow.nodes().iter().map(drawn).collect();
    let columns =
        [Text("Node"), Text("Type"), Text("Waits for"), Text("Queue"), Text("If it fails")];
    html! {
        @if let Some(drawing) = draw(&drawn) { (drawing) }
        (parts::read_only_table("Nodes", "stacked", &columns, html! { @for node in workflow.nodes() { (row(workflow, node)) } }))
    }
}

fn drawn(node: &Node) -> Drawn<'_> {
    Drawn { name: node.id(), waits_for: node.depends_on(), says: node.kind(), looks: "" }
}

fn row(workflow: &Workflow, node: &Node) -> Markup {
    html! {
        tr id={ "node-" (node.id()) } {
            td class="name" { (node.id()) }
            td { (node.kind()) }
            td class="muted" { (node.depends_on().join(", ")) }
            td { @if let Some(queue) = workflow.queue_of(node) { a href=(link::queue(queue)) { (queue) } } }
            td class="wide" { (again::of_node(node)) }
        }
    }
}

/// All executions of this name, of whichever version.
fn all(kept: &WorkflowView) -> Markup {
    html! { a href=(link::narrowed("/executions", &[("workflow", &kept.name)])) { "All of them" } }
}

fn began(view: &View, executions: &Page<ExecutionView>) -> Markup {
    match executions.items.is_empty() {
        true => parts::empty("No executions yet", html! {}),
        false => rows(view, &executions.items),
    }
}
