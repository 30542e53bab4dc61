//! The list of executions.

use axum::response::Response;
use maud::{Markup, html};
use steadfast_api::{Api, ExecutionFilter, ExecutionView, Page};
use steadfast_store::ExecutionStatus;

use super::status;
use crate::extract::Ask;
use crate::problem::Problem;
use crate::read_permits::Turn;
use crate::web::chosen::Chosen;
use crate::web::parts::Column::{Number, Text};
use crate::web::parts::{self, Tab};
use crate::web::section::Section;
use crate::web::view::View;
use crate::web::{link, workflows};

/// Some executions, newest first.
pub(super) async fn list(
    view: View,
    Ask(api): Ask,
    Chosen { filter, page }: Chosen<ExecutionFilter>,
    _turn: Turn,
) -> Result<Response, Problem> {
    let executions = api.executions(&filter, &page).await?;
    let inside = html! {
        div class="task-head" {
            p class="muted" { a href="/workflows" { "Workflows" } }
            (parts::head("Executions", html! {}))
        }
        (tabs(&filter))
        (by_workflow(&filter))
        section class="panel" aria-label="Executions" { (found(&view, &filter, &executions)) }
        (parts::pager("/executions", &filter, &page, executions.next.as_ref()))
    };
    Ok(view.show(Section::Workflows, "Executions", &inside))
}

fn tabs(filter: &ExecutionFilter) -> Markup {
    let every = [None].into_iter().chain(ExecutionStatus::ALL.map(Some));
    parts::tabs(
        "Status",
        every.map(|wanted| Tab {
            address: address(filter, wanted),
            is_current: filter.status == wanted,
            shows: wanted.map_or_else(|| html! { "all" }, status),
        }),
    )
}

fn by_workflow(filter: &ExecutionFilter) -> Markup {
    let is_narrowed = filter.workflow.is_some();
    let along = filter.status.map(|status| ("status", status.name()));
    let field = parts::filter("workflow", "Workflow", filter.workflow.as_deref(), "its name");
    parts::filter_bar("/executions", is_narrowed, along, field)
}

/// The same choice, of another status.
fn address(filter: &ExecutionFilter, status: Option<ExecutionStatus>) -> String {
    link::filtered("/executions", &ExecutionFilter { status, ..filter.clone() })
}

fn found(view: &View, filter: &ExecutionFilter, executions: &Page<ExecutionView>) -> Markup {
    if !executions.items.is_empty() {
        return rows(view, &executions.items);
    }
    match *filter == ExecutionFilter::default() {
        true => workflows::first(view, "No executions yet"),
        false => parts::empty(
            "No execution is like that",
            html! { p { "Ended ones are forgotten in time. " a href="/executions" { "See all of them" } "." } },
        ),
    }
}

/// A table of executions.
pub(crate) fn rows(view: &View, executions: &[ExecutionView]) -> Markup {
    let columns = [
        Text("Status"),
        Text("Execution"),
        Number("Try"),
        Text("Started"),
        Text("Ended"),
        Text("Why"),
    ];
    parts::table(
        "stacked",
        &columns,
        html! { @for execution in executions { (row(view, execution)) } },
    )
}

fn row(view: &View, execution: &ExecutionView) -> Markup {
    html! {
        tr id={ "execution-" (execution.id) } data-row {
            td { (status(execution.status)) }
            td class="name" {
                a href=(link::execution(execution.id)) { code { (execution.id) } }
                " " a class="muted" href=(link::workflow(execution.workflow_id)) { (execution.workflow) ", version " (execution.workflow_id) }
            }
            td class="number" data-label="try" { (execution.attempt) }
            td class="when" data-label="started" { (parts::at(view.now, execution.started_at)) }
            td class="when" data-label="ended" { @if let Some(time) = execution.ended_at { (parts::at(view.now, time)) } }
            td class="wide muted" { @if let Some(message) = &execution.message { (message) } }
        }
    }
}
