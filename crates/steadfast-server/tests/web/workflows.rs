//! The pages of workflows, on both stores (H2).

use reqwest::Method;
use serde_json::{Value, json};
use steadfast_api::{Api, Local};
use steadfast_store::{Actor, Store};

use crate::roles::guarded;
use crate::stores::cases;
use crate::{HOSTILE, TestApp, app, app_on, assert_escaped};

cases! {
    workflow_list_counts_recent_outcomes,
    workflow_page_shows_nodes_and_retries,
    form_starts_an_execution_once,
    invalid_trigger_is_reported_at_its_field,
    workflow_list_is_paged,
}

pub(crate) fn sign_up() -> Value {
    let retry = json!({
        "enabled": true, "strategy": "fixed_delay", "maxAttempts": 3, "delaySeconds": 60,
    });
    json!({"name": "sign-up", "queue": "people", "retry": retry, "nodes": [
        {"nodeId": "create", "type": "action", "subType": "api-call", "retry": retry,
         "config": {"url": "http://a.example", "body": {"$from": "/trigger/user"},
                    "headers": {"Authorization": "Bearer hunter2"}}},
        {"nodeId": "welcome", "type": "mail", "dependsOn": ["create"]},
    ]})
}

/// Registers a workflow and returns the URL of its page.
pub(crate) async fn register(app: &TestApp, workflow: &Value) -> String {
    let api = Local::new(app.store.clone(), Actor::new("ada"));
    format!("/workflows/{}", api.save_workflow(&workflow.to_string()).await.unwrap().id)
}

/// H2: each workflow has its last execution and recent outcomes.
async fn workflow_list_counts_recent_outcomes(store: Store) {
    let app = app_on(store, |server| server).await;
    let path = register(&app, &sign_up()).await;
    let html = app.get("/workflows").await.page(200);
    assert!(html.contains(&format!("<a href=\"{path}\">sign-up</a>")), "{html}");
    assert!(html.contains(">none</span>"), "{html}");
    let start = async || app.post(&path, &[("trigger", "{\"user\": 1}")]).await.redirect();
    let (first, last) = (start().await, start().await);
    app.post(&format!("{first}/cancel"), &[]).await.redirect();
    let html = app.get("/workflows").await.page(200);
    for part in [&*format!("href=\"{last}\""), ">1 running</a>", ">1 cancelled</a>"] {
        assert!(html.contains(part), "{part} in {html}");
    }
    let filtered = "href=\"/executions?workflow=sign-up&amp;status=cancelled\"";
    assert!(html.contains(filtered) && !html.contains("failed</a>"), "{html}");
}

/// W1: nodes have dependencies, queue and retries; secrets are redacted.
async fn workflow_page_shows_nodes_and_retries(store: Store) {
    let app = app_on(store, |server| server).await;
    let html = app.get(&register(&app, &sign_up()).await).await.page(200);
    assert!(html.contains("<title>welcome: mail</title>"), "it has a graph: {html}");
    let lost = "retried only if the worker is lost (up to 3 times)";
    for part in ["3 retries after 1 min (fixed)", lost, "queue=people", "<td>http</td>"] {
        assert!(html.contains(part), "{part} in {html}");
    }
    assert!(html.contains("a.example") && !html.contains("hunter2"), "{html}");
    let hostile = json!({"name": HOSTILE, "nodes": [{"nodeId": HOSTILE, "type": HOSTILE}]});
    assert_escaped(&app.get(&register(&app, &hostile).await).await.page(200));
    assert_escaped(&app.get("/workflows").await.page(200));
    let html = app.get("/workflows/99").await.page(404);
    assert!(html.contains("No workflow 99"), "{html}");
}

/// H2: a form starts one execution, however often it is submitted.
async fn form_starts_an_execution_once(store: Store) {
    let app = app_on(store, |server| server).await;
    let path = register(&app, &sign_up()).await;
    let form = [("trigger", " {\"user\": \"ada\"} "), ("key", "page-1")];
    let started = app.post(&path, &form).await.redirect();
    assert_eq!(app.post(&path, &form).await.redirect(), started);
    let id = started.strip_prefix("/executions/").unwrap().parse().unwrap();
    let execution = app.store.execution(id).await.unwrap();
    assert_eq!((execution.trigger, execution.key), (json!({"user": "ada"}), Some("page-1".into())));
    assert!(app.get(&path).await.page(200).contains(&started));
    let plain = json!({"name": "plain", "nodes": [{"nodeId": "a", "type": "do"}]});
    let started = app.post(&register(&app, &plain).await, &[("trigger", "")]).await.redirect();
    let id = started.strip_prefix("/executions/").unwrap().parse().unwrap();
    assert_eq!(app.store.execution(id).await.unwrap().trigger, Value::Null);
}

/// K4: an invalid trigger is reported at its field, and all values are kept.
async fn invalid_trigger_is_reported_at_its_field(store: Store) {
    let app = app_on(store, |server| server).await;
    let path = register(&app, &sign_up()).await;
    for (trigger, message) in [
        ("{user: ada}", "key must be a string"),
        ("{\"user\": 1", "EOF while parsing an object"),
        ("1 2", "unexpected text after JSON"),
        ("{}", "/trigger/user"),
    ] {
        let html = app.post(&path, &[("trigger", trigger), ("key", "mine")]).await.page(400);
        assert!(
            html.contains(message) && html.contains("id=\"trigger-problem\""),
            "{message}: {html}"
        );
        assert!(html.contains("value=\"mine\""), "{html}");
    }
    app.post(&path, &[("trigger", "{\"user\": 1}"), ("key", "mine")]).await.redirect();
    let other = [("trigger", "{\"user\": 2}"), ("key", "mine")];
    let html = app.post(&path, &other).await.page(400);
    assert!(html.contains("key `mine` was already used for execution"), "{html}");
    assert_eq!(html.matches("use a different key").count(), 1, "{html}");
    app.post("/workflows/99", &[("trigger", "")]).await.page(404);
}

/// H2: the list is paged.
async fn workflow_list_is_paged(store: Store) {
    let app = app_on(store, |server| server).await;
    for name in ["a", "b", "c"] {
        register(&app, &json!({"name": name, "nodes": [{"nodeId": "a", "type": "do"}]})).await;
    }
    let html = app.get("/workflows?limit=2").await.page(200);
    assert_eq!(html.matches("id=\"workflow-").count(), 2);
    let next = html.split("rel=\"next\" href=\"").nth(1).unwrap().split('"').next().unwrap();
    let html = app.get(&next.replace("&amp;", "&")).await.page(200);
    assert_eq!(html.matches("id=\"workflow-").count(), 1);
}

/// H2: the empty state shows how to register a valid workflow.
#[tokio::test]
async fn no_workflows_shows_instructions() {
    let app = app().await;
    let api = Local::new(app.store.clone(), Actor::new("ada"));
    for path in ["/workflows", "/executions"] {
        let html = app.get(path).await.page(200);
        assert!(html.contains(&format!("curl {}/api/v1/workflows ", app.url)), "{html}");
        assert!(html.contains(&format!("steadfast flow run - --server {}", app.url)), "{html}");
        let shown = html.split("-d '").nth(1).unwrap().split('\'').next().unwrap();
        let workflow = shown.replace("&quot;", "\"");
        let checked = api.check_workflow(&workflow).await.unwrap();
        assert!(checked.ok, "{checked:?}");
    }
}

/// K1: a viewer sees the workflow but cannot start it.
#[tokio::test]
async fn viewer_cannot_start_a_workflow() {
    let (app, viewer, operator, _folder) = guarded().await;
    let path = register(&app, &sign_up()).await;
    let (viewer, operator) = (app.log_in(&viewer).await, app.log_in(&operator).await);
    let offer = "Start an execution";
    assert!(app.get_as(&operator, &path).await.page(200).contains(offer));
    let html = app.get_as(&viewer, &path).await.page(200);
    assert!(html.contains("retried only if") && !html.contains(offer), "{html}");
    let request = app.request(Method::POST, &path).header("cookie", viewer);
    let request = request.header("sec-fetch-site", "same-origin");
    let kind = "application/x-www-form-urlencoded";
    app.send(request.header("content-type", kind).body("trigger=1")).await.page(403);
}
