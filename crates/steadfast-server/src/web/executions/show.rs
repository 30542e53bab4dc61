//! One execution: where each of its nodes is, what it waits for, and what can be done.

use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};
use steadfast::observe::Redactor;
use steadfast_api::{Api, ExecutionView, NodeView};
use steadfast_store::{ExecutionStatus, Status};

use super::standing::{self, Tasks};
use super::{Drawn, draw, list, looks, place, status};
use crate::app::App;
use crate::extract::Ask;
use crate::path_parameters::Execution;
use crate::problem::Problem;
use crate::web::parts::Column::Text;
use crate::web::section::Section;
use crate::web::view::View;
use crate::web::{link, parts};

/// One execution.
pub(super) async fn show(
    view: View,
    Ask(api): Ask,
    State(app): State<App>,
    Execution(id): Execution,
) -> Result<Response, Problem> {
    let execution = api.execution(id).await?.without_secrets(Redactor::installed());
    let chain = api.execution_chain(id).await?;
    let title = format!("{} {}", execution.workflow, execution.status);
    let tasks = Tasks::of(execution.nodes.as_deref().unwrap_or_default(), app.store()).await?;
    Ok(view.show(Section::Workflows, &title, &inside(&view, &execution, &tasks, &chain)))
}

fn inside(
    view: &View,
    execution: &ExecutionView,
    tasks: &Tasks,
    chain: &[ExecutionView],
) -> Markup {
    html! {
        div class="task-head" {
            p class="muted" {
                a href="/workflows" { "Workflows" } " / " a href="/executions" { "Executions" } " / "
                (parts::copyable(&execution.id.to_string(), "the id"))
            }
            div class="page-head" {
                h1 { (execution.workflow) }
                (status(execution.status))
                @if view.may_change() { div class="beside" { (actions(execution)) } }
            }
            p class="next" id="next" { (next(view, execution, tasks)) }
        }
        (parts::panel("Nodes", nodes(view, execution, tasks)))
        (facts(view, execution))
        @if let Some(trigger) = &execution.trigger {
            (parts::panel("Trigger", html! { div class="within" { (parts::document("the trigger", trigger)) } }))
        }
        @if chain.len() > 1 { (parts::panel("Its chain", list::rows(view, chain))) }
    }
}

/// One sentence: what happens now, or what happened last.
fn next(view: &View, execution: &ExecutionView, tasks: &Tasks) -> Markup {
    let ended = |words: &str| {
        html! {
            (words) " " @if let Some(time) = execution.ended_at { (parts::at(view.now, time)) }
            @if let Some(message) = &execution.message { ": " (message) }
        }
    };
    match execution.status {
        ExecutionStatus::Running if execution.due_at > view.now => html! {
            "Try " (execution.attempt) " begins " (parts::at(view.now, execution.due_at))
        },
        ExecutionStatus::Running => html! {
            "Under way since " (parts::at(view.now, execution.due_at)) (waits_for(view, execution, tasks))
        },
        ExecutionStatus::Completed => ended("Done"),
        ExecutionStatus::Failed => ended("Failed"),
        ExecutionStatus::Cancelled => ended("Called off"),
    }
}

/// What all of it waits for, if nothing runs: the node that goes on first.
fn waits_for(view: &View, execution: &ExecutionView, tasks: &Tasks) -> Markup {
    let nodes = execution.nodes.as_deref().unwrap_or_default();
    let begun: Vec<_> =
        nodes.iter().filter_map(|node| Some((node, tasks.of_node(node)?))).collect();
    if begun.iter().any(|(_, task)| task.status == Status::Running) {
        return html! {};
    }
    let first = begun.iter().min_by_key(|(_, task)| task.scheduled_at);
    html! {
        @if let Some((node, task)) = first {
            ". Waits for " a href={ "/tasks/" (task.id) } { (node.node_id) } ", " (standing::now(view, task))
        }
    }
}

/// What can be done to an execution that is here.
fn actions(execution: &ExecutionView) -> Markup {
    let path = link::execution(execution.id);
    let is_bad = matches!(execution.status, ExecutionStatus::Failed | ExecutionStatus::Cancelled);
    html! {
        @if is_bad && execution.next.is_none() {
            form method="post" action={ (path) "/resume" } {
                button class="button main" { "Go on" }
            }
            form method="post" action={ (path) "/retry" } {
                button class="button" data-yes="Start another"
                    data-confirm="Start another execution from the same trigger? All of its nodes run again." {
                    "Start again"
                }
            }
        }
        @if execution.status == ExecutionStatus::Running {
            form method="post" action={ (path) "/cancel" } {
                button class="button danger" data-yes="Cancel the execution"
                    data-confirm={ "Cancel this execution of " (execution.workflow) "? What is under way is called off. You can let it go on later." } {
                    "Cancel"
                }
            }
        }
    }
}

fn nodes(view: &View, execution: &ExecutionView, tasks: &Tasks) -> Markup {
    let nodes = execution.nodes.as_deref().unwrap_or_default();
    let drawn: Vec<_> = nodes.iter().map(|node| drawn(node, tasks)).collect();
    let columns = [
        Text("Status"),
        Text("Node"),
        Text("Waits for"),
        Text("Began"),
        Text("Ended"),
        Text("What came of it"),
    ];
    html! {
        @if let Some(drawing) = draw(&drawn) { (drawing) }
        (parts::table("stacked", &columns, html! { @for node in nodes { (row(view, node, tasks)) } }))
    }
}

fn drawn<'n>(node: &'n NodeView, tasks: &Tasks) -> Drawn<'n> {
    let (name, waits_for) = (node.node_id.as_str(), node.depends_on.as_slice());
    let (says, looks) = match tasks.of_node(node) {
        Some(task) => (task.status.name(), task.status.name()),
        None => (node.status.name(), looks(node.status)),
    };
    Drawn { name, waits_for, says, looks }
}

fn row(view: &View, node: &NodeView, tasks: &Tasks) -> Markup {
    let task = tasks.of_node(node);
    let at = |time| parts::at(view.now, time);
    html! {
        tr id={ "node-" (node.node_id) } data-row {
            td { @match task { Some(task) => (parts::status(task.status)), None => (place(node.status)) } }
            td class="name" {
                @match node.task {
                    Some(task) => { a href=(link::task(task)) { (node.node_id) } }
                    None => (node.node_id),
                }
                " " span class="muted" { (node.kind) }
            }
            td class="muted" data-label="waits for" { (node.depends_on.join(", ")) }
            td class="when" data-label="began" { @if let Some(time) = node.began_at { (at(time)) } }
            td class="when" data-label="ended" { @if let Some(time) = node.ended_at { (at(time)) } }
            td class="wide" {
                @if let Some(task) = task { span class="muted" { (standing::now(view, task)) } }
                @if let Some(message) = &node.message { span class="muted" { (message) } }
                @if let (Some(bytes), Some(task)) = (node.left_out, node.task) {
                    a href=(link::task(task)) { "Its answer: " (bytes) " bytes" }
                }
                @if let Some(result) = &node.result {
                    details class="answer" {
                        summary { "Its answer" }
                        (parts::document("the answer", result))
                    }
                }
            }
        }
    }
}

fn facts(view: &View, execution: &ExecutionView) -> Markup {
    let at = |time| parts::at(view.now, time);
    let tasks = link::narrowed("/tasks", &[("correlation_id", &execution.id.to_string())]);
    parts::panel(
        "Facts",
        html! {
            dl class="facts" {
                dt { "Workflow" } dd { a href=(link::workflow(execution.workflow_id)) { (execution.workflow) ", version " (execution.workflow_id) } }
                dt { "Try" } dd { (execution.attempt) }
                dt { "Started" } dd { (at(execution.started_at)) }
                dt { "Tasks" } dd { a href=(tasks) { "of this execution" } }
                @if let Some(key) = &execution.key { dt { "Key" } dd { (parts::copyable(key, "the key")) } }
                @if let Some(id) = execution.previous { dt { "Follows" } dd { a href=(link::execution(id)) { code { (id) } } } }
                @if let Some(id) = execution.next { dt { "Followed by" } dd { a href=(link::execution(id)) { code { (id) } } } }
            }
        },
    )
}
