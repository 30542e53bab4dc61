//! The pages of executions, on both stores (H2).

use serde_json::json;
use steadfast_api::{Api, Local, NewExecution};
use steadfast_store::{Actor, Store};

use crate::stores::cases;
use crate::test_worker::TestWorker;
use crate::{HOSTILE, app_on, assert_escaped};

cases! {
    execution_is_shown_cancelled_and_resumed,
    executions_are_filtered_by_workflow,
    retried_execution_shows_its_chain,
    waiting_execution_shows_its_node_and_error,
}

/// H2: an execution is listed, shown with its nodes, cancelled and resumed.
async fn execution_is_shown_cancelled_and_resumed(store: Store) {
    let app = app_on(store, |server| server).await;
    assert!(app.get("/executions").await.page(200).contains("No executions yet"));
    let api = Local::new(app.store.clone(), Actor::new("ada"));
    let workflow = json!({"name": HOSTILE, "nodes": [
        {"nodeId": "first", "type": "do"},
        {"nodeId": "second", "type": "do", "dependsOn": ["first"]},
    ]});
    let stored = api.save_workflow(&workflow.to_string()).await.unwrap();
    let started = api.start_execution(stored.id, NewExecution::default()).await.unwrap();
    let path = format!("/executions/{}", started.execution.id);
    assert!(app.get("/executions").await.page(200).contains(&path));
    let page = app.get(&path).await.page(200);
    assert_escaped(&page);
    let task = started.execution.nodes[0].task.unwrap();
    assert!(page.contains(&format!("/tasks/{task}")), "{page}");
    assert!(page.contains(&format!("href=\"/workflows/{}\"", stored.id)), "{page}");
    assert!(page.contains("waiting") && page.contains("</svg>pending</span>"), "{page}");
    assert_eq!(app.post(&format!("{path}/cancel"), &[]).await.redirect(), path);
    assert!(app.get(&path).await.page(200).contains("Cancelled "));
    assert_eq!(app.post(&format!("{path}/resume"), &[]).await.redirect(), path);
    assert!(app.get(&path).await.page(200).contains("Running, started"));
}

/// H2: the filter is kept in the URL and in the form.
async fn executions_are_filtered_by_workflow(store: Store) {
    let app = app_on(store, |server| server).await;
    let api = Local::new(app.store.clone(), Actor::new("ada"));
    for name in ["one", "two"] {
        let workflow = json!({"name": name, "nodes": [{"nodeId": "a", "type": "do"}]});
        let stored = api.save_workflow(&workflow.to_string()).await.unwrap();
        api.start_execution(stored.id, NewExecution::default()).await.unwrap();
    }
    let rows = |html: &str| html.matches("id=\"execution-").count();
    assert_eq!(rows(&app.get("/executions?workflow=").await.page(200)), 2);
    let html = app.get("/executions?status=running&workflow=two").await.page(200);
    assert!(rows(&html) == 1 && html.contains("value=\"two\""), "{html}");
    let html = app.get("/executions?workflow=three").await.page(200);
    assert!(html.contains("No matching executions"), "{html}");
}

/// W3: the executions of a chain link to each other.
async fn retried_execution_shows_its_chain(store: Store) {
    let app = app_on(store, |server| server).await;
    let api = Local::new(app.store.clone(), Actor::new("ada"));
    let workflow = json!({"name": "w", "nodes": [{"nodeId": "a", "type": "do"}]});
    let stored = api.save_workflow(&workflow.to_string()).await.unwrap();
    let first = api.start_execution(stored.id, NewExecution::default()).await.unwrap().execution.id;
    api.cancel_execution(first).await.unwrap();
    let path = format!("/executions/{first}");
    assert!(!app.get(&path).await.page(200).contains("Execution chain"));
    let next = app.post(&format!("{path}/retry"), &[]).await.redirect();
    assert_ne!(next, path);
    for (from, to) in [(&path, &next), (&next, &path)] {
        let html = app.get(from).await.page(200);
        assert!(
            html.contains("Execution chain") && html.contains(&format!("href=\"{to}\"")),
            "{html}"
        );
    }
    let html = app.post(&format!("{path}/retry"), &[]).await.page(409);
    let new = next.trim_start_matches("/executions/");
    assert!(html.contains(&format!("was already retried as execution {new}")), "{html}");
    let html = app.get("/workflows").await.page(200);
    assert!(html.contains(">Definition</th>") && !html.contains("Version"), "{html}");
}

/// H2: a waiting execution shows the node it waits for and its error.
async fn waiting_execution_shows_its_node_and_error(store: Store) {
    let app = app_on(store, |server| server).await;
    let api = Local::new(app.store.clone(), Actor::new("ada"));
    let retry = json!({
        "enabled": true, "strategy": "fixed_delay", "maxAttempts": 3, "delaySeconds": 1800,
    });
    let workflow =
        json!({"name": "w", "nodes": [{"nodeId": "transform", "type": "do", "retry": retry}]});
    let stored = api.save_workflow(&workflow.to_string()).await.unwrap();
    let id = api.start_execution(stored.id, NewExecution::default()).await.unwrap().execution.id;
    TestWorker::new(&app.store).fail_next(json!({"http_status": 503, "message": "busy"})).await;
    let html = app.get(&format!("/executions/{id}")).await.page(200);
    assert!(html.contains("class=\"status scheduled\""), "{html}");
    assert!(html.contains("Waiting for <a") && html.contains("attempt 2 of"), "{html}");
    assert_eq!(html.matches("busy").count(), 2, "in the headline and at its node: {html}");
}
