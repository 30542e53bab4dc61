//! The page of one execution: its nodes, their dependencies, and the available actions.

use maud::{Markup, html};
use steadfast::observe::Redactor;
use steadfast_api::{Api, Execution, ExecutionNode};
use steadfast_store::{ExecutionStatus, Status};

use super::node_tasks::{self, NodeTasks};
use super::{GraphNode, execution_status, graph, is_scheduled, list, similar_task_status};
use crate::auth::Viewer;
use crate::http::PathExecutionId;
use crate::web::parts::{self, Text};
use crate::web::{PageResult, Section, View, link};

pub(super) async fn show(
    view: View,
    Viewer(api): Viewer,
    PathExecutionId(id): PathExecutionId,
) -> PageResult {
    let execution = api.execution(id).await?.without_secrets(Redactor::installed());
    let chain = api.execution_chain(id).await?;
    let status_name = match is_scheduled(view.now, &execution) {
        true => Status::Scheduled.name(),
        false => execution.status.name(),
    };
    let title = format!("{} {status_name}", execution.workflow);
    let tasks = NodeTasks::load(&execution.nodes, &view.app.store).await?;
    let content = html! {
        div class="task-head" {
            p class="muted" {
                a href="/workflows" { "Workflows" } " / " a href="/executions" { "Executions" } " / "
                (parts::copyable(&execution.id.to_string(), "ID"))
            }
            div class="page-head" {
                h1 { (execution.workflow) }
                (execution_status(view.now, &execution))
                @if view.can_operate() { div class="head-actions" { (buttons(&execution)) } }
            }
            p class="next" id="next" { (headline(&view, &execution, &tasks)) }
        }
        (parts::panel("Nodes", nodes(&view, &execution, &tasks)))
        (details(&view, &execution))
        @if let Some(trigger) = &execution.trigger { (parts::document_panel("Trigger", "trigger", trigger)) }
        @if chain.len() > 1 { (parts::panel("Execution chain", list::rows(&view, &chain))) }
    };
    Ok(view.show(Section::WORKFLOWS, &title, &content))
}

/// One sentence on the current state.
fn headline(view: &View, execution: &Execution, tasks: &NodeTasks) -> Markup {
    let finished = |label: &str| {
        html! {
            (label) " " @if let Some(time) = execution.ended_at { (parts::at(view.now, time)) }
            @if let Some(message) = &execution.message { ": " (parts::node_error(message)) }
        }
    };
    match execution.status {
        ExecutionStatus::Running if is_scheduled(view.now, execution) => html! {
            "Attempt " (execution.attempt) " starts " (parts::at(view.now, execution.due_at))
        },
        ExecutionStatus::Running => html! {
            "Running, started " (parts::at(view.now, execution.due_at)) (waits_for(view, execution, tasks))
        },
        ExecutionStatus::Completed => finished("Completed"),
        ExecutionStatus::Failed => finished("Failed"),
        ExecutionStatus::Cancelled => finished("Cancelled"),
    }
}

/// The node that continues first, if none is running.
fn waits_for(view: &View, execution: &Execution, tasks: &NodeTasks) -> Markup {
    let nodes = &execution.nodes;
    let in_progress: Vec<_> =
        nodes.iter().filter_map(|node| Some((node, tasks.get(node)?))).collect();
    if in_progress.iter().any(|(_, task)| task.status == Status::Running) {
        return html! {};
    }
    let first = in_progress.iter().min_by_key(|(_, task)| task.scheduled_at);
    html! {
        @if let Some((node, task)) = first {
            ". Waiting for " a href={ "/tasks/" (task.id) } { (node.node_id) } ", " (node_tasks::progress(view, task))
        }
    }
}

fn buttons(execution: &Execution) -> Markup {
    let path = link::execution(execution.id);
    let can_resume =
        matches!(execution.status, ExecutionStatus::Failed | ExecutionStatus::Cancelled);
    let url = |action: &str| format!("{path}/{action}");
    let cancel = format!(
        "Cancel this execution of {}? Running nodes are cancelled. You can resume it later.",
        execution.workflow
    );
    let retry = "Start a new execution with the same trigger? All nodes run again.";
    html! {
        @if can_resume && execution.next.is_none() {
            (parts::post_button(&url("resume"), "button main", "Resume", None))
            (parts::post_button(&url("retry"), "button", "Retry", Some(("Retry execution", retry))))
        }
        @if execution.status == ExecutionStatus::Running {
            (parts::post_button(&url("cancel"), "button danger", "Cancel", Some(("Cancel execution", &cancel))))
        }
    }
}

fn nodes(view: &View, execution: &Execution, tasks: &NodeTasks) -> Markup {
    let nodes = &execution.nodes;
    let graph_nodes: Vec<_> = nodes.iter().map(|node| graph_node(node, tasks)).collect();
    let columns = ["Status", "Node", "Depends on", "Started", "Finished", "Result"].map(Text);
    html! {
        @if let Some(graph) = graph(&graph_nodes) { (graph) }
        (parts::table("stacked", &columns, nodes.iter().map(|node| row(view, node, tasks))))
    }
}

fn graph_node<'n>(node: &'n ExecutionNode, tasks: &NodeTasks) -> GraphNode<'n> {
    let (name, depends_on) = (node.node_id.as_str(), node.depends_on.as_slice());
    let (tooltip, class) = match tasks.get(node) {
        Some(task) => (task.status.name(), task.status.name()),
        None => (node.status.name(), similar_task_status(node.status).name()),
    };
    GraphNode { name, depends_on, tooltip, class }
}

fn row(view: &View, node: &ExecutionNode, tasks: &NodeTasks) -> Markup {
    let task = tasks.get(node);
    let at = |time| parts::at(view.now, time);
    html! {
        tr id={ "node-" (node.node_id) } data-row {
            td { @match task { Some(task) => (parts::status(task.status)), None => (parts::badge(similar_task_status(node.status), node.status.name())) } }
            td class="name" {
                @match node.task {
                    Some(task) => { a href=(link::task(task)) { (node.node_id) } }
                    None => (node.node_id),
                }
                " " span class="muted" { (node.kind) }
            }
            td class="muted" data-label="depends on" { (node.depends_on.join(", ")) }
            td class="when" data-label="started" { @if let Some(time) = node.started_at { (at(time)) } }
            td class="when" data-label="finished" { @if let Some(time) = node.ended_at { (at(time)) } }
            td class="wide" {
                @if let Some(task) = task { span class="muted" { (node_tasks::progress(view, task)) } }
                @if let Some(message) = &node.message { span class="muted" { (parts::error(message)) } }
                @if let (Some(bytes), Some(task)) = (node.omitted_bytes, node.task) {
                    a href=(link::task(task)) { "Response: " (bytes) " bytes" }
                }
                @if let Some(result) = &node.result {
                    details class="response" {
                        summary { "Response" }
                        (parts::document("response", result))
                    }
                }
            }
        }
    }
}

fn details(view: &View, execution: &Execution) -> Markup {
    let at = |time| parts::at(view.now, time);
    let tasks = link::filtered("/tasks", [("correlation_id", &execution.id.to_string())]);
    let content = html! {
        dl class="facts" {
            dt { "Workflow" } dd { a href=(link::workflow(execution.workflow_id)) { (execution.workflow) ", definition " (execution.workflow_id) } }
            dt { "Attempt" } dd { (execution.attempt) }
            dt { "Created" } dd { (at(execution.started_at)) }
            dt { "Tasks" } dd { a href=(tasks) { "View tasks" } }
            @if let Some(key) = &execution.key { dt { "Key" } dd { (parts::copyable(key, "key")) } }
            @if let Some(id) = execution.previous { dt { "Previous execution" } dd { a href=(link::execution(id)) { code { (id) } } } }
            @if let Some(id) = execution.next { dt { "Next execution" } dd { a href=(link::execution(id)) { code { (id) } } } }
        }
    };
    parts::panel("Details", content)
}
