//! Request ids in responses and problems (O2).

use reqwest::{Method, Response};
use serde_json::Value;

use crate::{World, world};

async fn ask(world: &World, path: &str, id: Option<&str>) -> Response {
    let request = world.request(Method::GET, path);
    match id {
        Some(id) => request.header("x-request-id", id).send().await.unwrap(),
        None => request.send().await.unwrap(),
    }
}

fn id(response: &Response) -> String {
    response.headers()["x-request-id"].to_str().unwrap().to_owned()
}

/// O2: the client's id is echoed in the header and in problems.
#[tokio::test]
async fn request_id_of_client_is_echoed() {
    let world = world().await;
    let response = ask(&world, "/api/v1/stats", Some("deploy-7")).await;
    assert_eq!((response.status().as_u16(), id(&response)), (200, "deploy-7".to_owned()));
    let response = ask(&world, "/api/v1/nothing", Some("deploy-8")).await;
    assert_eq!((response.status().as_u16(), id(&response)), (404, "deploy-8".to_owned()));
    let problem: Value = response.json().await.unwrap();
    assert_eq!(problem["request_id"], "deploy-8");
}

/// O2, K4: a missing or unloggable id is replaced.
#[tokio::test]
async fn invalid_request_id_is_replaced() {
    let world = world().await;
    let long = "x".repeat(129);
    let mut seen = Vec::new();
    for sent in [None, Some("a b"), Some("{\"a\":1}"), Some(&*long)] {
        let given = id(&ask(&world, "/healthz", sent).await);
        assert_eq!(given.len(), 32, "{sent:?}");
        assert!(!seen.contains(&given));
        seen.push(given);
    }
}
