//! The list of executions.

use axum::response::Response;
use maud::{Markup, html};
use steadfast_api::{Api, ExecutionFilter, ExecutionView, Page};
use steadfast_store::ExecutionStatus;

use super::status;
use crate::ask::Ask;
use crate::page::chosen::Chosen;
use crate::page::section::Section;
use crate::page::view::View;
use crate::page::{link, parts};
use crate::problem::Problem;

/// Some executions, newest first.
pub(super) async fn list(
    view: View,
    Ask(api): Ask,
    Chosen { filter, page }: Chosen<ExecutionFilter>,
) -> Result<Response, Problem> {
    let executions = api.executions(&filter, &page).await?;
    let inside = html! {
        (parts::head("Workflows", html! {}))
        (tabs(&filter))
        section class="panel" aria-label="Executions" { (found(&view, &filter, &executions)) }
        (parts::pager("/executions", &filter, &page, executions.next.as_ref()))
    };
    Ok(view.show(Section::Workflows, "Workflows", &inside))
}

fn tabs(filter: &ExecutionFilter) -> Markup {
    let every = [None].into_iter().chain(ExecutionStatus::ALL.map(Some));
    html! {
        nav class="tabs" aria-label="Status" {
            @for wanted in every {
                a href=(address(filter, wanted)) aria-current=[(filter.status == wanted).then_some("true")] {
                    @match wanted { Some(wanted) => (status(wanted)), None => "all" }
                }
            }
        }
    }
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
        true => first(view),
        false => parts::empty(
            "No execution is like that",
            html! { p { "Ended ones are forgotten in time. " a href="/executions" { "See all of them" } "." } },
        ),
    }
}

/// How to start a first one, at the address that this page was opened at.
fn first(view: &View) -> Markup {
    let keep = format!(
        "curl {}/api/v1/workflows -H 'Content-Type: application/json' \\\n  \
         -d '{{\"name\": \"hello\", \"nodes\": [{{\"nodeId\": \"call\", \"type\": \"http\", \
         \"config\": {{\"url\": \"https://example.com/\"}}}}]}}'",
        view.address
    );
    let start = format!(
        "curl {}/api/v1/workflows/1/executions -H 'Content-Type: application/json' -d '{{}}'",
        view.address
    );
    parts::empty(
        "No executions yet",
        html! {
            p { "Keep a workflow, and start an execution by the id that is answered:" }
            (parts::command(&keep))
            (parts::command(&start))
        },
    )
}

/// A table of executions.
pub(super) fn rows(view: &View, executions: &[ExecutionView]) -> Markup {
    html! {
        div class="scroll" {
            table class="stacked" {
                thead { tr {
                    th scope="col" { "Status" }
                    th scope="col" { "Execution" }
                    th scope="col" class="number" { "Try" }
                    th scope="col" { "Started" }
                    th scope="col" { "Ended" }
                    th scope="col" { "Why" }
                } }
                tbody { @for execution in executions { (row(view, execution)) } }
            }
        }
    }
}

fn row(view: &View, execution: &ExecutionView) -> Markup {
    let of_workflow = link::narrowed("/executions", &[("workflow", &execution.workflow)]);
    html! {
        tr id={ "execution-" (execution.id) } data-row {
            td { (status(execution.status)) }
            td class="name" {
                a href={ "/executions/" (execution.id) } { code { (execution.id) } }
                " " a class="muted" href=(of_workflow) { (execution.workflow) }
            }
            td class="number" data-label="try" { (execution.attempt) }
            td class="when" { (parts::at(view.now, execution.started_at)) }
            td class="when" { @if let Some(time) = execution.ended_at { (parts::at(view.now, time)) } }
            td class="wide muted" { @if let Some(message) = &execution.message { (message) } }
        }
    }
}
