//! The page of one task (H2).

use std::io;
use std::time::Duration;

use serde_json::json;
use steadfast::policy::Draft;
use steadfast::{Policy, retry};
use steadfast_store::{Actor, Task, WorkerReport};

use crate::breakers::report_breaker;
use crate::test_worker::TestWorker;
use crate::{TestApp, app};

async fn shown(app: &TestApp, task: Task) -> String {
    let id = app.store.submit(task).await.unwrap().id;
    // The overview fills the cached snapshot that the page of a task uses.
    app.get("/").await.page(200);
    app.get(&format!("/tasks/{id}")).await.page(200)
}

fn worker(queues: Option<Vec<String>>) -> WorkerReport {
    let (name, instance) = ("w1".to_owned(), Some("host-1".to_owned()));
    WorkerReport { name, instance, seen_at: None, queues, concurrency: None, running: None }
}

/// H2: a task in a paused queue names and links the queue.
#[tokio::test]
async fn paused_queue_blocks_its_tasks() {
    let app = app().await;
    app.store.report_worker(&worker(None)).await.unwrap();
    let id = app.store.submit(Task::new("send", &1).queue("mail")).await.unwrap().id;
    app.post("/queues/mail/pause", &[]).await.redirect();
    let html = app.get(&format!("/tasks/{id}")).await.page(200);
    let blocker = "queue <a href=\"/queues#queue-mail\">mail</a> is paused";
    assert_eq!(html.matches(blocker).count(), 2, "in the headline and in the timeline: {html}");
    assert!(!html.contains("Waiting for a worker") && !html.contains("no worker"), "{html}");
}

/// H2: a task without a worker for its queue states so.
#[tokio::test]
async fn missing_worker_blocks_a_task() {
    let html = shown(&app().await, Task::new("send", &1)).await;
    assert!(html.contains(">no worker</a> is reporting"), "{html}");
    let app = app().await;
    app.store.report_worker(&worker(Some(vec!["other".to_owned()]))).await.unwrap();
    let html = shown(&app, Task::new("send", &1).queue("mail")).await;
    assert!(html.contains(">no worker</a> serves queue mail"), "{html}");
}

/// H2: an unblocked pending task waits for a worker.
#[tokio::test]
async fn unblocked_task_waits_for_a_worker() {
    let app = app().await;
    app.store.report_worker(&worker(None)).await.unwrap();
    let html = shown(&app, Task::new("send", &1)).await;
    assert!(html.contains("Waiting for a worker for") && !html.contains("Blocked"), "{html}");
}

/// H2, G1: an open breaker is named with its next probe.
#[tokio::test]
async fn open_breaker_blocks_its_tasks() {
    let app = app().await;
    report_breaker(&app, "patient", "shop-1").await;
    let later = Task::new("send", &1).policy("patient").after(std::time::Duration::from_secs(60));
    let html = shown(&app, later).await;
    assert!(html.contains("Blocked: the breaker for policy"), "{html}");
    assert!(
        html.contains("href=\"/breakers#of-patient\">patient</a> is open, next probe"),
        "{html}"
    );
    let html = shown(&app, Task::new("send", &1)).await;
    assert!(!html.contains("the breaker for"), "it has another policy: {html}");
}

/// W4: a task whose failures are final has one planned attempt and no maximum.
#[tokio::test]
async fn task_without_retries_has_no_schedule() {
    let app = app().await;
    let once = Policy::immediate().id("no-retry").max_attempts(4).abort_on(["any"]);
    let html = shown(&app, Task::new("send", &1).under(once.build().unwrap())).await;
    assert!(html.contains("only if the worker is lost (up to 3 times)"), "{html}");
    assert!(!html.contains("of 4") && !html.contains("Max attempts"), "{html}");
    assert!(!html.contains("Attempt 2") && !html.contains("Schedule if every"), "{html}");
}

/// D10: a requeue is in the timeline, and its attempt is not beyond the maximum.
#[tokio::test]
async fn requeue_for_one_more_attempt_is_shown() {
    let app = app().await;
    let once = Policy::immediate().max_attempts(1).build().unwrap();
    let worker = TestWorker::new(&app.store);
    let id = worker.retrying(Task::new("send", &1).under(once)).await;
    let html = app.get(&format!("/tasks/{id}")).await.page(200);
    assert!(html.contains("1 of 1") && !html.contains("Requeued"), "{html}");
    app.store.requeue(id, false, &Actor::new("ada")).await.unwrap();
    let html = app.get(&format!("/tasks/{id}")).await.page(200);
    assert!(html.contains("1 of 2"), "{html}");
    let requeued = html.find("<strong>Requeued</strong> <time").unwrap();
    assert!(html.find("Attempt 1 failed").unwrap() < requeued, "{html}");
    worker.fail_next(json!({"http_status": 503, "message": "busy"})).await;
    let html = app.get(&format!("/tasks/{id}")).await.page(200);
    assert!(html.contains("2 of 2") && html.contains("Attempt 2 failed"), "{html}");
    assert_eq!(html.matches("Requeued").count(), 1, "{html}");
}

/// D12: the attempts of a session stand before the submission, and are not explained by the policy
/// of the task.
#[tokio::test]
async fn attempts_of_a_session_precede_the_submission() {
    let app = app().await;
    let minute = Duration::from_secs(60);
    let policy = Policy::immediate().max_attempts(2).durable(Draft::new().schedule([minute]));
    let policy = policy.build().unwrap();
    let refused = || Err::<(), _>(io::Error::from(io::ErrorKind::ConnectionRefused));
    let gave_up = retry(&policy, refused).call().unwrap_err().into_gave_up();
    let task = Task::new("send", &1);
    let id = app.store.hand_over(&policy, &gave_up, task).await.unwrap().unwrap();
    let html = app.get(&format!("/tasks/{id}")).await.page(200);
    let submitted = html.find("<strong>Submitted</strong>").unwrap();
    assert!(html.find("Earlier attempt 2 failed").unwrap() < submitted, "{html}");
    assert!(html.contains("they count as attempt 1"), "{html}");
    assert_eq!(html.matches("backoff for retry").count(), 1, "{html}");
    assert!(html.contains("backoff for retry 1: 1 min"), "{html}");
    let events = app.get("/events?type=handed_over").await.page(200);
    assert!(events.contains(&format!("/tasks/{id}")), "{events}");
}

/// H2, J2: a rate-limit wait is not a failure.
#[tokio::test]
async fn rate_limit_wait_is_not_a_failure() {
    let app = app().await;
    let id =
        TestWorker::new(&app.store).rate_limited(Task::new("send", &1).policy("patient")).await;
    let html = app.get(&format!("/tasks/{id}")).await.page(200);
    assert!(html.contains("Rate limited</strong> (not counted as an attempt)"), "{html}");
    assert!(html.contains(". Rate limited: "), "{html}");
    assert!(!html.contains("Attempt 1 failed"), "{html}");
    let id = TestWorker::new(&app.store).retrying(Task::new("send", &1).policy("patient")).await;
    let html = app.get(&format!("/tasks/{id}")).await.page(200);
    assert!(html.contains(". Last attempt failed: "), "{html}");
    assert!(html.contains("Attempt 1 failed</strong>"), "{html}");
}

/// H2: HTTP tasks are labelled by their path, without secrets.
#[tokio::test]
async fn http_task_is_labelled_by_its_path() {
    let app = app().await;
    let call = json!({"method": "POST", "url": "https://ada:hunter2@a.example/hooks/41?token=t0p"});
    let id = app.store.submit(Task::new("http", &call)).await.unwrap().id;
    let run = json!({"program": "backup", "args": ["--all"]});
    app.store.submit(Task::new("command", &run)).await.unwrap();
    app.store.submit(Task::new("send", &1).key("order-7")).await.unwrap();
    let list = app.get("/tasks").await.page(200);
    for name in ["http POST /hooks/41</a>", "command backup</a>", "send order-7</a>"] {
        assert!(list.contains(name), "{name}: {list}");
    }
    let page = app.get(&format!("/tasks/{id}")).await.page(200);
    assert!(page.contains("<h1>POST /hooks/41</h1><span class=\"tag\">http</span>"), "{page}");
    assert!(page.contains("<title>POST /hooks/41 pending"), "{page}");
    assert!(![list, page].iter().any(|html| html.contains("hunter2") || html.contains("t0p")));
}

/// H3: payloads beyond the size limit are not read for labels, and the list stays complete.
#[tokio::test]
async fn long_payloads_do_not_shorten_the_list() {
    let app = app().await;
    for number in 0..3 {
        let call =
            json!({"url": format!("https://a.example/{number}"), "body": "a".repeat(200_000)});
        app.store.submit(Task::new("http", &call)).await.unwrap();
    }
    let list = app.get("/tasks").await.page(200);
    assert_eq!(list.matches("<tr id=\"row-").count(), 3, "{list}");
    assert!(list.contains("http GET /2</a>") && !list.contains("http GET /0</a>"), "{list}");
}

/// D18: remaining attempts of a pending task are relative to the previous one.
#[tokio::test]
async fn remaining_attempts_are_relative_to_the_previous_one() {
    let app = app().await;
    let html = shown(&app, Task::new("send", &1).policy("patient")).await;
    assert!(html.contains("after attempt 1") && html.contains("after attempt 2"), "{html}");
    assert!(html.contains("Schedule if every attempt fails"), "{html}");
}

/// H2: a task links to its correlation ID and to its audit trail.
#[tokio::test]
async fn task_links_to_its_correlation_and_audit_trail() {
    let app = app().await;
    let id = app.store.submit(Task::new("send", &1).correlation_id("r 1")).await.unwrap().id;
    let html = app.get(&format!("/tasks/{id}")).await.page(200);
    for url in [
        "/tasks?correlation_id=r+1",
        "/sessions?correlation_id=r+1",
        &format!("/audit?target={id}"),
    ] {
        assert!(html.contains(&format!("href=\"{url}\"")), "{url}: {html}");
    }
}
