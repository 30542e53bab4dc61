//! Responses of a server of an earlier version.

use serde_json::json;
use steadfast_api::{BreakerView, Execution, WorkflowView};
use steadfast_store::{AuditEntry, BreakerCommand};

/// H1: the fields of a breaker and of an audit entry are read by their former names.
#[test]
fn actor_is_read_by_its_former_names() {
    let by = json!({"actor": "ada", "from": "cli@host"});
    let at = "2026-01-29T12:00:00Z";
    let order = json!({"number": 1, "policy": "p", "wish": "isolate", "by": by, "at": at});
    let breaker = json!({"policy": "p", "instances": [], "order": order});
    let breaker: BreakerView = serde_json::from_value(breaker).unwrap();
    let last = breaker.last_override.unwrap();
    assert_eq!((last.command, last.actor.name.as_str()), (BreakerCommand::Isolate, "ada"));

    let entry = json!({"number": 1, "at": at, "by": by, "action": "queue.pause", "detail": null});
    let entry: AuditEntry = serde_json::from_value(entry).unwrap();
    assert_eq!(entry.actor.origin.as_deref(), Some("cli@host"));
}

/// H1, W1: the fields of a workflow and of a node are read by their former names.
#[test]
fn workflow_and_node_are_read_by_their_former_names() {
    let at = "2026-01-29T12:00:00Z";
    let workflow = json!({"id": 7, "name": "w", "kept_at": at, "workflow": {}});
    let workflow: WorkflowView = serde_json::from_value(workflow).unwrap();
    assert_eq!(workflow.saved_at.to_string(), at);

    let id = "0198a5e0-0000-7000-8000-000000000000";
    let node = json!({
        "node_id": "a", "kind": "http", "depends_on": [], "status": "completed", "task": id,
        "began_at": at, "ended_at": at, "result": null, "left_out": 9, "message": null,
    });
    let execution = json!({
        "id": id, "workflow": "w", "workflow_id": 7, "status": "running", "attempt": 1,
        "started_at": at, "due_at": at, "nodes": [node],
    });
    let execution: Execution = serde_json::from_value(execution).unwrap();
    let node = &execution.nodes[0];
    assert_eq!((node.omitted_bytes, node.started_at), (Some(9), Some(execution.started_at)));
}
