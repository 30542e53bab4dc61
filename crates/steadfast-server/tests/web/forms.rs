//! What forms do (H2): they end on a page that shows what became of it.

use serde_json::json;
use steadfast_store::{Status, Task, When};

use crate::hands::Hands;
use crate::policies::world_with;
use crate::{HOSTILE, world};

const AN_HOUR: When = When::After(std::time::Duration::from_secs(3600));

/// H2: a task is called off, and can go on as if it had not been.
#[tokio::test]
async fn a_task_is_cancelled_and_the_cancelling_undone() {
    let world = world().await;
    let id = Hands::of(&world.store).retrying(Task::new("send", &1).policy("patient")).await;
    let place = format!("/tasks/{id}");
    let due = world.store.task(id).await.unwrap().scheduled_at;
    assert_eq!(world.post(&format!("{place}/cancel"), &[]).await.redirect(), place);
    assert_eq!(world.store.task(id).await.unwrap().status, Status::Cancelled);
    let html = world.get(&place).await.page(200);
    assert!(html.contains("name=\"time\" value=\"kept\">Undo: go on"), "{html}");
    assert!(html.contains("data-confirm=\"It was not due yet. Do it now?\""), "{html}");
    let undo = [("time", "kept")];
    assert_eq!(world.post(&format!("{place}/requeue"), &undo).await.redirect(), place);
    let task = world.store.task(id).await.unwrap();
    assert_eq!((task.status, task.attempts), (Status::Scheduled, 1));
    assert_eq!(task.scheduled_at, due);
}

/// H2: what is done is not done again without a question, and what failed is.
#[tokio::test]
async fn a_completed_task_is_not_done_again_without_a_question() {
    let world = world().await;
    let hands = Hands::of(&world.store);
    let done = hands.completed(Task::new("send", &1), json!(null)).await;
    let html = world.get(&format!("/tasks/{done}")).await.page(200);
    assert_eq!(
        html.matches("data-confirm=\"It has completed. Do it again?\"").count(),
        2,
        "{html}"
    );
    let failed = hands.failed_for_good(Task::new("send", &1), "gone").await;
    let html = world.get(&format!("/tasks/{failed}")).await.page(200);
    assert!(html.contains("Retry once") && !html.contains("data-confirm"), "{html}");
}

/// D10: a task that has ended is tried again, from the start if so wished.
#[tokio::test]
async fn a_failed_task_is_requeued_from_the_start() {
    let world = world().await;
    let id = Hands::of(&world.store).failed_for_good(Task::new("send", &1), "gone").await;
    let place = format!("/tasks/{id}");
    assert_eq!(
        world.post(&format!("{place}/requeue"), &[("count", "fresh")]).await.redirect(),
        place
    );
    let task = world.store.task(id).await.unwrap();
    assert_eq!((task.status, task.attempts), (Status::Pending, 0));
}

/// D10: a task that waits is run now, and its expiry changed.
#[tokio::test]
async fn a_task_is_run_now_and_its_expiry_changed() {
    let world = world().await;
    let id = world
        .store
        .submit(Task::new("send", &1).expires(AN_HOUR).after(std::time::Duration::from_secs(60)))
        .await
        .unwrap()
        .id;
    let place = format!("/tasks/{id}");
    assert!(world.get(&place).await.page(200).contains("Run now"));
    assert_eq!(world.post(&format!("{place}/run-now"), &[]).await.redirect(), place);
    assert_eq!(world.store.task(id).await.unwrap().status, Status::Pending);
    assert_eq!(
        world.post(&format!("{place}/expiry"), &[("expires_at", "")]).await.redirect(),
        place
    );
    assert_eq!(world.store.task(id).await.unwrap().expires_at, None);
    let html = world.post(&format!("{place}/expiry"), &[("expires_at", "soon")]).await.page(400);
    assert!(
        html.contains("id=\"expires_at-problem\"") && html.contains("value=\"soon\""),
        "{html}"
    );
    assert!(html.contains("how long from now") && html.contains("id=\"next\""), "{html}");
    world.get(&format!("{place}/expiry")).await.page(200);
}

/// K4: what cannot happen is a page that says what can.
#[tokio::test]
async fn what_cannot_be_done_now_is_explained() {
    let world = world().await;
    let id = Hands::of(&world.store).completed(Task::new("send", &1), json!(null)).await;
    let html = world.post(&format!("/tasks/{id}/cancel"), &[]).await.page(409);
    assert!(html.contains("requeue it to have it tried again"), "{html}");
    let html =
        world.post("/tasks/00000000-0000-7000-8000-000000000000/cancel", &[]).await.page(404);
    assert!(html.contains("There is no task"), "{html}");
}

/// D16: how many it would be is said before it is done.
#[tokio::test]
async fn failed_tasks_are_requeued_after_a_look() {
    let world = world().await;
    let hands = Hands::of(&world.store);
    for number in 0..3 {
        hands.failed_for_good(Task::new("send", &number).queue("mail"), "gone").await;
    }
    hands.failed_for_good(Task::new("send", &9).queue("other"), "gone").await;
    let html = world.get("/tasks/requeue?status=failed&queue=mail").await.page(200);
    assert!(html.contains("<strong>3</strong> tasks"), "{html}");
    assert_eq!(world.store.stats().await.unwrap().failed, 4, "it was only a look");
    let wish = [("filter", "status=failed&queue=mail"), ("rate", ""), ("count", "fresh")];
    assert_eq!(world.post("/tasks/requeue", &wish).await.redirect(), "/tasks?queue=mail");
    let stats = world.store.stats().await.unwrap();
    assert_eq!((stats.failed, stats.pending), (1, 3));
    for (rate, told) in [("fast", "`fast` is not a number"), ("0", "more than none a second")] {
        let wish = [("filter", "status=failed"), ("rate", rate)];
        let html = world.post("/tasks/requeue", &wish).await.page(400);
        assert!(html.contains("id=\"rate-problem\"") && html.contains(told), "{html}");
        assert!(html.contains(&format!("value=\"{rate}\"")), "what was typed stays: {html}");
    }
}

/// H2: a task is submitted by hand; sent twice, it is one.
#[tokio::test]
async fn a_form_that_is_sent_twice_makes_one_task() {
    let world = world().await;
    let call = [
        ("kind", "http"),
        ("method", "PUT"),
        ("url", "https://a.example/hook"),
        ("headers", "X-One: 1"),
        ("body", "{\"a\": 1}"),
        ("policy", "patient"),
        ("run_at", "1h"),
        ("idempotency_key", "page-1"),
    ];
    let place = world.post("/tasks/new", &call).await.redirect();
    assert_eq!(world.post("/tasks/new", &call).await.redirect(), place);
    let id = place.strip_prefix("/tasks/").unwrap().parse().unwrap();
    let task = world.store.task(id).await.unwrap();
    assert_eq!(
        (task.kind.as_str(), task.status, task.max_attempts),
        ("http", Status::Scheduled, 9)
    );
    let meant = json!({"method": "PUT", "url": "https://a.example/hook", "headers": {"X-One": "1"}, "body": {"a": 1}});
    assert_eq!(task.payload, meant);
}

/// D18: what a task would do is shown before it is submitted, and nothing is submitted.
#[tokio::test]
async fn a_preview_shows_the_schedule_and_submits_nothing() {
    let world = world().await;
    let typed = [
        ("kind", "send"),
        ("payload", "{\"to\": 1}"),
        ("policy", "patient"),
        ("wanted", "preview"),
    ];
    let html = world.post("/tasks/new", &typed).await.page(200);
    assert!(html.contains("What it would do"), "{html}");
    assert!(
        html.contains("{&quot;to&quot;: 1}") || html.contains("{\"to\": 1}"),
        "what was typed stays"
    );
    assert_eq!(world.store.stats().await.unwrap().pending, 0);
}

/// D18, K4: a policy that retries for good is shown in part, before it is submitted and after.
#[tokio::test]
async fn an_endless_schedule_is_shown_in_part() {
    let file = "version: '1.1.0'\npolicies: {endless: {max_attempts: 4294967295}}";
    let world = world_with(file).await;
    let mut typed =
        vec![("kind", "send"), ("payload", "1"), ("policy", "endless"), ("wanted", "preview")];
    let html = world.post("/tasks/new", &typed).await.page(200);
    assert!(html.contains("and 4\u{202f}294\u{202f}967\u{202f}285 more"), "{html}");
    typed.pop();
    let path = world.post("/tasks/new", &typed).await.redirect();
    let html = world.get(&path).await.page(200);
    assert!(html.contains("4\u{202f}294\u{202f}967\u{202f}288 more"), "{html}");
}

/// K4: what is wrong is said at its field, and what was typed stays.
#[tokio::test]
async fn a_wrong_field_is_told_and_nothing_that_was_typed_is_lost() {
    let world = world().await;
    for (field, value, told) in [
        ("url", "a.example", "begin it with https:// or http://"),
        ("headers", "nonsense", "one a line"),
        ("run_at", "soon", "how long from now"),
        ("priority", "high", "say a number"),
        ("policy", "patiente", "did you mean `patient`?"),
        ("queue", "\u{7}", "queue"),
    ] {
        let mut typed =
            vec![("kind", "http"), ("url", "https://a.example/"), ("category", HOSTILE)];
        typed.retain(|(name, _)| *name != field);
        typed.push((field, value));
        let html = world.post("/tasks/new", &typed).await.page(400);
        assert!(html.contains(told), "{field}: {html}");
        assert!(html.contains("&lt;script&gt;alert(1)"), "{field}: what was typed stays");
    }
    let html = world.post("/tasks/new", &[("kind", "send"), ("payload", "{")]).await.page(400);
    assert!(html.contains("id=\"payload-problem\""), "{html}");
    assert_eq!(world.store.stats().await.unwrap().pending, 0);
}

/// K4: what no form sends is refused.
#[tokio::test]
async fn what_no_form_sends_is_refused() {
    let world = world().await;
    let request = world.request(reqwest::Method::POST, "/tasks/new").json(&json!({"kind": "a"}));
    world.send(request).await.page(415);
}
