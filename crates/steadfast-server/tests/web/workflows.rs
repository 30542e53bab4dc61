//! H2: workflows that are kept, on the page, on both stores.

use reqwest::Method;
use serde_json::{Value, json};
use steadfast_api::{Api, Local};
use steadfast_store::{Actor, Store};

use crate::roles::guarded;
use crate::stores::cases;
use crate::{HOSTILE, World, shows_without_harm, world, world_on};

cases! {
    a_workflow_is_listed_with_how_it_went_lately,
    a_workflow_is_shown_as_it_is_meant,
    an_execution_is_started_by_hand,
    what_cannot_be_started_is_said_at_its_field,
    many_workflows_are_read_page_by_page,
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

/// Keeps a workflow, and gives the address of its page.
pub(crate) async fn kept(world: &World, workflow: &Value) -> String {
    let api = Local::new(world.store.clone(), Actor::new("ada"));
    format!("/workflows/{}", api.keep_workflow(&workflow.to_string()).await.unwrap().id)
}

/// H2: every workflow, with the last execution of it and how the latest went.
async fn a_workflow_is_listed_with_how_it_went_lately(store: Store) {
    let world = world_on(store, |server| server).await;
    let path = kept(&world, &sign_up()).await;
    let html = world.get("/workflows").await.page(200);
    assert!(html.contains(&format!("<a href=\"{path}\">sign-up</a>")), "{html}");
    assert!(html.contains("none lately"), "{html}");
    let start = async || world.post(&path, &[("trigger", "{\"user\": 1}")]).await.redirect();
    let (first, last) = (start().await, start().await);
    world.post(&format!("{first}/cancel"), &[]).await.redirect();
    let html = world.get("/workflows").await.page(200);
    for part in [&*format!("href=\"{last}\""), ">1 running</a>", ">1 cancelled</a>"] {
        assert!(html.contains(part), "{part} in {html}");
    }
    let narrowed = "href=\"/executions?workflow=sign-up&amp;status=cancelled\"";
    assert!(html.contains(narrowed) && !html.contains("failed</a>"), "{html}");
}

/// W1: what each node waits for, who does it and how it is tried again; its secrets are not shown.
async fn a_workflow_is_shown_as_it_is_meant(store: Store) {
    let world = world_on(store, |server| server).await;
    let html = world.get(&kept(&world, &sign_up()).await).await.page(200);
    assert!(html.contains("<title>welcome: mail</title>"), "it is drawn: {html}");
    for part in
        ["tried again 3 times, after 1 min (fixed)", "tried once", "queue=people", "<td>http</td>"]
    {
        assert!(html.contains(part), "{part} in {html}");
    }
    assert!(html.contains("a.example") && !html.contains("hunter2"), "{html}");
    let hostile = json!({"name": HOSTILE, "nodes": [{"nodeId": HOSTILE, "type": HOSTILE}]});
    shows_without_harm(&world.get(&kept(&world, &hostile).await).await.page(200));
    shows_without_harm(&world.get("/workflows").await.page(200));
    let html = world.get("/workflows/99").await.page(404);
    assert!(html.contains("There is no workflow 99"), "{html}");
}

/// H2: started with what was typed, once for each form however often it is sent.
async fn an_execution_is_started_by_hand(store: Store) {
    let world = world_on(store, |server| server).await;
    let path = kept(&world, &sign_up()).await;
    let form = [("trigger", " {\"user\": \"ada\"} "), ("key", "page-1")];
    let started = world.post(&path, &form).await.redirect();
    assert_eq!(world.post(&path, &form).await.redirect(), started);
    let id = started.strip_prefix("/executions/").unwrap().parse().unwrap();
    let execution = world.store.execution(id).await.unwrap();
    assert_eq!((execution.trigger, execution.key), (json!({"user": "ada"}), Some("page-1".into())));
    assert!(world.get(&path).await.page(200).contains(&started));
    let plain = json!({"name": "plain", "nodes": [{"nodeId": "a", "type": "do"}]});
    let started = world.post(&kept(&world, &plain).await, &[("trigger", "")]).await.redirect();
    let id = started.strip_prefix("/executions/").unwrap().parse().unwrap();
    assert_eq!(world.store.execution(id).await.unwrap().trigger, Value::Null);
}

/// K4: what was typed stays, with what is wrong with it.
async fn what_cannot_be_started_is_said_at_its_field(store: Store) {
    let world = world_on(store, |server| server).await;
    let path = kept(&world, &sign_up()).await;
    for (trigger, told) in [
        ("{user: ada}", "key must be a string"),
        ("{\"user\": 1", "EOF while parsing an object"),
        ("1 2", "there is more than JSON"),
        ("{}", "/trigger/user"),
    ] {
        let html = world.post(&path, &[("trigger", trigger), ("key", "mine")]).await.page(400);
        assert!(html.contains(told) && html.contains("id=\"trigger-problem\""), "{told}: {html}");
        assert!(html.contains("value=\"mine\""), "{html}");
    }
    world.post(&path, &[("trigger", "{\"user\": 1}"), ("key", "mine")]).await.redirect();
    let other = [("trigger", "{\"user\": 2}"), ("key", "mine")];
    assert!(world.post(&path, &other).await.page(400).contains("belongs to execution"));
    world.post("/workflows/99", &[("trigger", "")]).await.page(404);
}

/// H2: the list goes on where a page ends.
async fn many_workflows_are_read_page_by_page(store: Store) {
    let world = world_on(store, |server| server).await;
    for name in ["a", "b", "c"] {
        kept(&world, &json!({"name": name, "nodes": [{"nodeId": "a", "type": "do"}]})).await;
    }
    let html = world.get("/workflows?limit=2").await.page(200);
    assert_eq!(html.matches("id=\"workflow-").count(), 2);
    let next = html.split("rel=\"next\" href=\"").nth(1).unwrap().split('"').next().unwrap();
    let html = world.get(&next.replace("&amp;", "&")).await.page(200);
    assert_eq!(html.matches("id=\"workflow-").count(), 1);
}

/// H2: where there is none it says how to begin, with a workflow that can be kept.
#[tokio::test]
async fn a_store_without_workflows_says_how_to_begin() {
    let world = world().await;
    let api = Local::new(world.store.clone(), Actor::new("ada"));
    for path in ["/workflows", "/executions"] {
        let html = world.get(path).await.page(200);
        assert!(html.contains(&format!("curl {}/api/v1/workflows ", world.url)), "{html}");
        assert!(html.contains(&format!("steadfast flow run - --server {}", world.url)), "{html}");
        let written = html.split("-d '").nth(1).unwrap().split('\'').next().unwrap();
        let workflow = written.replace("&quot;", "\"");
        let checked = api.check_workflow(&workflow).await.unwrap();
        assert!(checked.ok, "{checked:?}");
    }
}

/// K1: whoever may only look sees the workflow and no form, and cannot start it.
#[tokio::test]
async fn a_viewer_cannot_start_one() {
    let (world, viewer, operator, _folder) = guarded().await;
    let path = kept(&world, &sign_up()).await;
    let (viewer, operator) = (world.log_in(&viewer).await, world.log_in(&operator).await);
    let offer = "Start an execution";
    assert!(world.get_as(&operator, &path).await.page(200).contains(offer));
    let html = world.get_as(&viewer, &path).await.page(200);
    assert!(html.contains("tried once") && !html.contains(offer), "{html}");
    let request = world.request(Method::POST, &path).header("cookie", viewer);
    let request = request.header("sec-fetch-site", "same-origin");
    let kind = "application/x-www-form-urlencoded";
    world.send(request.header("content-type", kind).body("trigger=1")).await.page(403);
}
