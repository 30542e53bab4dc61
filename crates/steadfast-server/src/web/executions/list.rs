//! The list of executions.

use maud::{Markup, html};
use steadfast_api::{Api, Execution, ExecutionFilter, Page};
use steadfast_store::ExecutionStatus;

use super::{execution_status, status};
use crate::auth::Viewer;
use crate::limits::ReadPermit;
use crate::web::parts::{self, Number, Text};
use crate::web::{FormListQuery, PageResult, Section, View, link, workflows};

/// Executions, newest first.
pub(super) async fn list(
    view: View,
    Viewer(api): Viewer,
    FormListQuery { filter, page }: FormListQuery<ExecutionFilter>,
    _permit: ReadPermit,
) -> PageResult {
    let executions = api.executions(&filter, &page).await?;
    let content = html! {
        div class="task-head" {
            p class="muted" { a href="/workflows" { "Workflows" } }
            (parts::head("Executions", html! {}))
        }
        (bar(&filter))
        section class="panel" aria-label="Executions" { (results(&view, &filter, &executions)) }
        (parts::pager("/executions", &filter, &page, executions.next.as_ref()))
    };
    Ok(view.show(Section::WORKFLOWS, "Executions", &content))
}

fn bar(filter: &ExecutionFilter) -> Markup {
    let tab = filter.status.map(|status| ("status", status.name()));
    let field = parts::filter("workflow", "Workflow", filter.workflow.as_deref(), "name");
    let url = |status| link::filtered("/executions", ExecutionFilter { status, ..filter.clone() });
    html! {
        (parts::filter_tabs("Status", ExecutionStatus::ALL, filter.status, status, url))
        (parts::filter_bar("/executions", filter.workflow.is_some(), tab, field))
    }
}

fn results(view: &View, filter: &ExecutionFilter, executions: &Page<Execution>) -> Markup {
    if !executions.items.is_empty() {
        return rows(view, &executions.items);
    }
    match *filter == ExecutionFilter::default() {
        true => workflows::get_started(view, "No executions yet"),
        false => {
            let why = "Finished executions are deleted after the retention period.";
            parts::no_matches("executions", why, "/executions")
        }
    }
}

pub(crate) fn rows(view: &View, executions: &[Execution]) -> Markup {
    let columns = [
        Text("Status"),
        Text("Execution"),
        Number("Attempt"),
        Text("Created"),
        Text("Finished"),
        Text("Message"),
    ];
    parts::table("stacked", &columns, executions.iter().map(|execution| row(view, execution)))
}

fn row(view: &View, execution: &Execution) -> Markup {
    html! {
        tr id={ "execution-" (execution.id) } data-row {
            td { (execution_status(view.now, execution)) }
            td class="name" {
                a href=(link::execution(execution.id)) { code { (execution.id) } }
                " " a class="muted" href=(link::workflow(execution.workflow_id)) { (execution.workflow) ", definition " (execution.workflow_id) }
            }
            td class="number" data-label="attempt" { (execution.attempt) }
            td class="when" data-label="created" { (parts::at(view.now, execution.started_at)) }
            td class="when" data-label="finished" { @if let Some(time) = execution.ended_at { (parts::at(view.now, time)) } }
            td class="wide muted" { @if let Some(message) = &execution.message { (parts::node_error(message)) } }
        }
    }
}
