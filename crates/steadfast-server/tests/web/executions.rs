//! H2: executions of workflows on the page, on both stores.

use serde_json::json;
use steadfast_api::{Api, Local, NewExecution};
use steadfast_store::{Actor, Store};

use crate::hands::Hands;
use crate::stores::cases;
use crate::{HOSTILE, shows_without_harm, world_on};

cases! {
    an_execution_is_shown_and_steered,
    executions_are_chosen_by_their_workflow,
    one_that_is_started_again_is_shown_with_its_chain,
    one_that_waits_for_a_retry_says_so,
}

/// H2: an execution is listed, shown with its nodes, called off and let go on.
async fn an_execution_is_shown_and_steered(store: Store) {
    let world = world_on(store, |server| server).await;
    assert!(world.get("/executions").await.page(200).contains("No executions yet"));
    let api = Local::new(world.store.clone(), Actor::new("ada"));
    let workflow = json!({"name": HOSTILE, "nodes": [
        {"nodeId": "first", "type": "do"},
        {"nodeId": "second", "type": "do", "dependsOn": ["first"]},
    ]});
    let kept = api.keep_workflow(&workflow.to_string()).await.unwrap();
    let started = api.start_execution(kept.id, NewExecution::default()).await.unwrap();
    let path = format!("/executions/{}", started.execution.id);
    assert!(world.get("/executions").await.page(200).contains(&path));
    let page = world.get(&path).await.page(200);
    shows_without_harm(&page);
    let task = started.execution.nodes.unwrap()[0].task.unwrap();
    assert!(page.contains(&format!("/tasks/{task}")), "{page}");
    assert!(page.contains(&format!("href=\"/workflows/{}\"", kept.id)), "{page}");
    assert!(page.contains("waiting") && page.contains("</svg>pending</span>"), "{page}");
    assert_eq!(world.post(&format!("{path}/cancel"), &[]).await.redirect(), path);
    assert!(world.get(&path).await.page(200).contains("Called off"));
    assert_eq!(world.post(&format!("{path}/resume"), &[]).await.redirect(), path);
    assert!(world.get(&path).await.page(200).contains("Under way"));
}

/// H2: what is chosen stands in the address and in the field.
async fn executions_are_chosen_by_their_workflow(store: Store) {
    let world = world_on(store, |server| server).await;
    let api = Local::new(world.store.clone(), Actor::new("ada"));
    for name in ["one", "two"] {
        let workflow = json!({"name": name, "nodes": [{"nodeId": "a", "type": "do"}]});
        let kept = api.keep_workflow(&workflow.to_string()).await.unwrap();
        api.start_execution(kept.id, NewExecution::default()).await.unwrap();
    }
    let rows = |html: &str| html.matches("id=\"execution-").count();
    assert_eq!(rows(&world.get("/executions?workflow=").await.page(200)), 2);
    let html = world.get("/executions?status=running&workflow=two").await.page(200);
    assert!(rows(&html) == 1 && html.contains("value=\"two\""), "{html}");
    let html = world.get("/executions?workflow=three").await.page(200);
    assert!(html.contains("No execution is like that"), "{html}");
}

/// W3: the one that follows is shown, and each leads to the other.
async fn one_that_is_started_again_is_shown_with_its_chain(store: Store) {
    let world = world_on(store, |server| server).await;
    let api = Local::new(world.store.clone(), Actor::new("ada"));
    let workflow = json!({"name": "w", "nodes": [{"nodeId": "a", "type": "do"}]});
    let kept = api.keep_workflow(&workflow.to_string()).await.unwrap();
    let first = api.start_execution(kept.id, NewExecution::default()).await.unwrap().execution.id;
    api.cancel_execution(first).await.unwrap();
    let path = format!("/executions/{first}");
    assert!(!world.get(&path).await.page(200).contains("Its chain"));
    let next = world.post(&format!("{path}/retry"), &[]).await.redirect();
    assert_ne!(next, path);
    for (from, to) in [(&path, &next), (&next, &path)] {
        let html = world.get(from).await.page(200);
        assert!(html.contains("Its chain") && html.contains(&format!("href=\"{to}\"")), "{html}");
    }
    let html = world.post(&format!("{path}/retry"), &[]).await.page(409);
    assert!(html.contains("followed by another already"), "{html}");
}

/// H2: an execution that stands still says what it waits for, and why.
async fn one_that_waits_for_a_retry_says_so(store: Store) {
    let world = world_on(store, |server| server).await;
    let api = Local::new(world.store.clone(), Actor::new("ada"));
    let retry = json!({
        "enabled": true, "strategy": "fixed_delay", "maxAttempts": 3, "delaySeconds": 1800,
    });
    let workflow =
        json!({"name": "w", "nodes": [{"nodeId": "transform", "type": "do", "retry": retry}]});
    let kept = api.keep_workflow(&workflow.to_string()).await.unwrap();
    let id = api.start_execution(kept.id, NewExecution::default()).await.unwrap().execution.id;
    Hands::of(&world.store).fail_next(json!({"http_status": 503, "message": "busy"})).await;
    let html = world.get(&format!("/executions/{id}")).await.page(200);
    assert!(html.contains("class=\"status scheduled\""), "{html}");
    assert!(html.contains("Waits for <a") && html.contains("attempt 2 of"), "{html}");
    assert_eq!(html.matches("busy").count(), 2, "in the headline and at its node: {html}");
}
