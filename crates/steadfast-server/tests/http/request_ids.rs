//! What a request is called, in its answer and in problems (O2).

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

/// O2: the sender's own name for it is echoed, and is in a problem's body.
#[tokio::test]
async fn a_request_keeps_the_id_that_it_came_with() {
    let world = world().await;
    let response = ask(&world, "/api/v1/stats", Some("deploy-7")).await;
    assert_eq!((response.status().as_u16(), id(&response)), (200, "deploy-7".to_owned()));
    let response = ask(&world, "/api/v1/nothing", Some("deploy-8")).await;
    assert_eq!((response.status().as_u16(), id(&response)), (404, "deploy-8".to_owned()));
    let problem: Value = response.json().await.unwrap();
    assert_eq!(problem["request_id"], "deploy-8");
}

/// O2, K4: whoever sends none, or one that is not fit for a log, gets a fresh one.
#[tokio::test]
async fn a_request_without_a_sane_id_gets_one() {
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
