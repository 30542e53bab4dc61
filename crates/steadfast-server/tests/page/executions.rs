//! H2: workflows on the page.

use serde_json::json;
use steadfast_api::{Api, Local, NewExecution};
use steadfast_store::By;

use crate::{HOSTILE, shows_without_harm, world};

/// H2: an execution is listed, shown with its nodes, called off and let go on.
#[tokio::test]
async fn an_execution_is_shown_and_steered() {
    let world = world().await;
    assert!(world.get("/executions").await.page(200).contains("No executions yet"));
    let api = Local::new(world.store.clone(), By::new("ada"));
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
    assert!(page.contains("waiting") && page.contains("submitted"), "{page}");
    assert_eq!(world.post(&format!("{path}/cancel"), &[]).await.redirect(), path);
    assert!(world.get(&path).await.page(200).contains("Called off"));
    assert_eq!(world.post(&format!("{path}/resume"), &[]).await.redirect(), path);
    assert!(world.get(&path).await.page(200).contains("Under way"));
}
