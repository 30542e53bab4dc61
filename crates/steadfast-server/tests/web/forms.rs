//! Forms and their results (H2).

use serde_json::json;
use steadfast_store::{Status, Task, When};

use crate::policies::app_with_policies;
use crate::test_worker::TestWorker;
use crate::{HOSTILE, app};

const ONE_HOUR: When = When::After(std::time::Duration::from_secs(3600));

/// H2: cancelling a task can be undone.
#[tokio::test]
async fn cancelled_task_is_restored() {
    let app = app().await;
    let id = TestWorker::new(&app.store).retrying(Task::new("send", &1).policy("patient")).await;
    let path = format!("/tasks/{id}");
    let due = app.store.task(id).await.unwrap().scheduled_at;
    assert_eq!(app.post(&format!("{path}/cancel"), &[]).await.redirect(), path);
    assert_eq!(app.store.task(id).await.unwrap().status, Status::Cancelled);
    let html = app.get(&path).await.page(200);
    assert!(html.contains("name=\"time\" value=\"kept\">Undo cancel"), "{html}");
    assert!(html.contains("data-confirm=\"This task is not due yet. Run it now?\""), "{html}");
    let undo = [("time", "kept")];
    assert_eq!(app.post(&format!("{path}/requeue"), &undo).await.redirect(), path);
    let task = app.store.task(id).await.unwrap();
    assert_eq!((task.status, task.attempts), (Status::Scheduled, 1));
    assert_eq!(task.scheduled_at, due);
}

/// H2: repeating a completed task needs a confirmation, retrying a failed one does not.
#[tokio::test]
async fn requeue_of_completed_task_asks_for_confirmation() {
    let app = app().await;
    let worker = TestWorker::new(&app.store);
    let completed = worker.completed(Task::new("send", &1), json!(null)).await;
    let html = app.get(&format!("/tasks/{completed}")).await.page(200);
    assert_eq!(
        html.matches("data-confirm=\"This task has completed. Run it again?\"").count(),
        2,
        "{html}"
    );
    let failed = worker.failed(Task::new("send", &1), "gone").await;
    let html = app.get(&format!("/tasks/{failed}")).await.page(200);
    assert!(
        html.contains("Requeue for one more attempt") && !html.contains("data-confirm"),
        "{html}"
    );
}

/// D10: a failed task is requeued with a fresh attempt count.
#[tokio::test]
async fn failed_task_is_requeued_from_the_start() {
    let app = app().await;
    let id = TestWorker::new(&app.store).failed(Task::new("send", &1), "gone").await;
    let path = format!("/tasks/{id}");
    assert_eq!(app.post(&format!("{path}/requeue"), &[("count", "fresh")]).await.redirect(), path);
    let task = app.store.task(id).await.unwrap();
    assert_eq!((task.status, task.attempts), (Status::Pending, 0));
}

/// D10: a scheduled task is run now, and its expiry changed.
#[tokio::test]
async fn task_is_run_now_and_its_expiry_changed() {
    let app = app().await;
    let id = app
        .store
        .submit(Task::new("send", &1).expires(ONE_HOUR).after(std::time::Duration::from_secs(60)))
        .await
        .unwrap()
        .id;
    let path = format!("/tasks/{id}");
    assert!(app.get(&path).await.page(200).contains("Run now"));
    assert_eq!(app.post(&format!("{path}/run-now"), &[]).await.redirect(), path);
    assert_eq!(app.store.task(id).await.unwrap().status, Status::Pending);
    assert_eq!(app.post(&format!("{path}/expiry"), &[("expires_at", "")]).await.redirect(), path);
    assert_eq!(app.store.task(id).await.unwrap().expires_at, None);
    let html = app.post(&format!("{path}/expiry"), &[("expires_at", "soon")]).await.page(400);
    assert!(
        html.contains("id=\"expires_at-problem\"") && html.contains("value=\"soon\""),
        "{html}"
    );
    assert!(html.contains("is not a time") && html.contains("id=\"next\""), "{html}");
    app.get(&format!("{path}/expiry")).await.page(200);
}

/// D19, K4: a payload that its handler would reject is reported at its field of the form.
#[tokio::test]
async fn payload_that_the_handler_rejects_is_reported() {
    let app = app().await;
    let header = [("url", "https://a.example/"), ("headers", "a b: c")];
    let html = app.post("/tasks/new", &header).await.page(400);
    assert!(html.contains("headers: `a b` is not a valid header name"), "{html}");
    assert!(html.contains("id=\"headers-problem\""), "{html}");
    let program = [("kind", "command"), ("payload", "{\"program\": \"\"}")];
    let html = app.post("/tasks/new", &program).await.page(400);
    assert!(html.contains("payload: `program` must not be empty"), "{html}");
    assert!(app.get("/tasks").await.page(200).contains("No tasks"), "nothing is stored");
}

/// D16: the form of a requeue needs a status.
#[tokio::test]
async fn requeue_without_a_status_asks_for_one() {
    let html = app().await.get("/tasks/requeue").await.page(400);
    assert!(html.contains("Choose a status first.") && !html.contains("filter&quot;"), "{html}");
}

/// K4: an action that the status does not allow is explained.
#[tokio::test]
async fn impossible_action_is_explained() {
    let app = app().await;
    let id = TestWorker::new(&app.store).completed(Task::new("send", &1), json!(null)).await;
    let html = app.post(&format!("/tasks/{id}/cancel"), &[]).await.page(409);
    assert!(
        html.contains(&format!("Cannot cancel task {id}: it has already completed.")),
        "{html}"
    );
    assert!(html.contains("To run it again, requeue it."), "{html}");
    let html = app.post("/tasks/00000000-0000-7000-8000-000000000000/cancel", &[]).await.page(404);
    assert!(html.contains("No task"), "{html}");
}

/// D16: the form states the number of tasks before it requeues them.
#[tokio::test]
async fn failed_tasks_are_requeued_after_a_preview() {
    let app = app().await;
    let worker = TestWorker::new(&app.store);
    for number in 0..3 {
        worker.failed(Task::new("send", &number).queue("mail"), "gone").await;
    }
    worker.failed(Task::new("send", &9).queue("other"), "gone").await;
    let html = app.get("/tasks/requeue?status=failed&queue=mail").await.page(200);
    assert!(html.contains("<strong>3</strong> tasks"), "{html}");
    assert_eq!(app.store.stats().await.unwrap().failed, 4, "the preview changes nothing");
    let form = [("filter", "status=failed&queue=mail"), ("rate", ""), ("count", "fresh")];
    assert_eq!(app.post("/tasks/requeue", &form).await.redirect(), "/tasks?queue=mail");
    let stats = app.store.stats().await.unwrap();
    assert_eq!((stats.failed, stats.pending), (1, 3));
    for (rate, message) in [("fast", "`fast` is not a number"), ("0", "must be greater than 0")] {
        let form = [("filter", "status=failed"), ("rate", rate)];
        let html = app.post("/tasks/requeue", &form).await.page(400);
        assert!(html.contains("id=\"rate-problem\"") && html.contains(message), "{html}");
        assert!(html.contains(&format!("value=\"{rate}\"")), "the value is kept: {html}");
    }
}

/// H2: submitting a form twice creates one task.
#[tokio::test]
async fn form_submitted_twice_creates_one_task() {
    let app = app().await;
    let form = [
        ("kind", "http"),
        ("method", "PUT"),
        ("url", "https://a.example/hook"),
        ("headers", "X-One: 1"),
        ("body", "{\"a\": 1}"),
        ("policy", "patient"),
        ("run_at", "1h"),
        ("idempotency_key", "page-1"),
    ];
    let path = app.post("/tasks/new", &form).await.redirect();
    assert_eq!(app.post("/tasks/new", &form).await.redirect(), path);
    let id = path.strip_prefix("/tasks/").unwrap().parse().unwrap();
    let task = app.store.task(id).await.unwrap();
    assert_eq!(
        (task.kind.as_str(), task.status, task.max_attempts),
        ("http", Status::Scheduled, 9)
    );
    let expected = json!({"method": "PUT", "url": "https://a.example/hook", "headers": {"X-One": "1"}, "body": {"a": 1}});
    assert_eq!(task.payload, expected);
}

/// D18: a preview shows the schedule and submits nothing.
#[tokio::test]
async fn preview_shows_the_schedule_and_submits_nothing() {
    let app = app().await;
    let form = [
        ("kind", "send"),
        ("payload", "{\"to\": 1}"),
        ("policy", "patient"),
        ("action", "preview"),
    ];
    let html = app.post("/tasks/new", &form).await.page(200);
    assert!(html.contains("Schedule preview"), "{html}");
    assert!(
        html.contains("{&quot;to&quot;: 1}") || html.contains("{\"to\": 1}"),
        "the values are kept"
    );
    assert_eq!(app.store.stats().await.unwrap().pending, 0);
}

/// D18, K4: an endless schedule is truncated, in the preview and on the task page.
#[tokio::test]
async fn endless_schedule_is_truncated() {
    let file = "version: '1.1.0'\npolicies: {endless: {max_attempts: 4294967295}}";
    let app = app_with_policies(file).await;
    let mut form =
        vec![("kind", "send"), ("payload", "1"), ("policy", "endless"), ("action", "preview")];
    let html = app.post("/tasks/new", &form).await.page(200);
    assert!(html.contains("and 4,294,967,285 more"), "{html}");
    form.pop();
    let path = app.post("/tasks/new", &form).await.redirect();
    let html = app.get(&path).await.page(200);
    assert!(html.contains("4,294,967,288 more"), "{html}");
}

/// K4: an invalid value is reported at its field, and all values are kept.
#[tokio::test]
async fn invalid_field_is_reported_and_values_are_kept() {
    let app = app().await;
    for (field, value, message) in [
        ("url", "a.example", "start it with https:// or http://"),
        ("headers", "nonsense", "one per line"),
        ("run_at", "soon", "is not a time"),
        ("priority", "high", "use a number"),
        ("policy", "patiente", "did you mean `patient`?"),
        ("queue", "\u{7}", "queue"),
    ] {
        let mut form = vec![("kind", "http"), ("url", "https://a.example/"), ("category", HOSTILE)];
        form.retain(|(name, _)| *name != field);
        form.push((field, value));
        let html = app.post("/tasks/new", &form).await.page(400);
        assert!(html.contains(message), "{field}: {html}");
        assert!(html.contains("&lt;script&gt;alert(1)"), "{field}: the values are kept");
    }
    let html = app.post("/tasks/new", &[("kind", "send"), ("payload", "{")]).await.page(400);
    assert!(html.contains("id=\"payload-problem\""), "{html}");
    assert_eq!(app.store.stats().await.unwrap().pending, 0);
}

/// K4: other content types are rejected.
#[tokio::test]
async fn json_sent_to_a_form_is_rejected() {
    let app = app().await;
    let request = app.request(reqwest::Method::POST, "/tasks/new").json(&json!({"kind": "a"}));
    app.send(request).await.page(415);
}
