//! All pages, on an empty store and on a full one (H2, H3).

use serde_json::json;
use steadfast_store::{Task, TaskId};

use crate::policies::app_with_policies;
use crate::test_worker::TestWorker;
use crate::{HOSTILE, app, sessions, workflows};

const PAGES: [&str; 9] = [
    "/",
    "/tasks",
    "/tasks?status=pending",
    "/tasks?status=failed&queue=mail&kind=&category=&class=final",
    "/tasks?due_within=24h",
    "/tasks?limit=1",
    "/tasks/new",
    "/tasks/new?kind=other",
    "/tasks/requeue?status=failed",
];

/// H2: all pages work on an empty store and explain what to do.
#[tokio::test]
async fn empty_store_shows_instructions() {
    let app = app().await;
    for path in PAGES {
        app.get(path).await.page(200);
    }
    for path in ["/", "/tasks"] {
        let html = app.get(path).await.body;
        assert!(html.contains("No tasks yet"), "{path}");
        assert!(html.contains(&format!("curl {}/api/v1/tasks", app.url)), "{path}");
        assert!(html.contains(&format!("--policy patient --server {}", app.url)), "{path}");
    }
    assert!(app.get("/tasks?queue=none").await.page(200).contains("No matching tasks"));
}

/// H2: all pages work with a task in every status.
#[tokio::test]
async fn tasks_in_every_status_are_shown() {
    let app = app().await;
    let tasks = TestWorker::new(&app.store).one_per_status().await;
    for path in PAGES {
        app.get(path).await.page(200);
    }
    for (status, id) in tasks {
        let html = app.get(&format!("/tasks/{id}")).await.page(200);
        assert!(html.contains(&format!("class=\"status {status}\"")), "{status}");
        let list = app.get(&format!("/tasks?status={status}")).await.page(200);
        assert!(list.contains(&format!("/tasks/{id}")), "{status}");
    }
}

/// K1: every field of a task is escaped.
#[tokio::test]
async fn hostile_tasks_are_escaped() {
    let app = app().await;
    let task = Task::new(HOSTILE, &json!({ HOSTILE: HOSTILE }))
        .queue(HOSTILE)
        .category(HOSTILE)
        .key(HOSTILE)
        .correlation_id(HOSTILE);
    let other = Task::new(HOSTILE, &HOSTILE).correlation_id(HOSTILE).queue(HOSTILE);
    let worker = TestWorker::new(&app.store);
    let id = worker.failed(task, HOSTILE).await;
    app.store.submit(other).await.unwrap();
    for path in PAGES.into_iter().map(str::to_owned).chain([format!("/tasks/{id}")]) {
        let html = app.get(&path).await.page(200);
        assert!(!html.contains("<script>alert"), "{path}");
        assert!(!html.contains("<img src=x"), "{path}");
    }
    let html = app.get(&format!("/tasks/{id}")).await.body;
    assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "it is shown as text");
    let query = serde_urlencoded::to_string([("queue", HOSTILE)]).unwrap();
    app.get(&format!("/tasks?{query}")).await.page(200);
}

/// H2: a page reloads often, so it contains long documents once.
#[tokio::test]
async fn payload_is_sent_once() {
    let app = app().await;
    let task = Task::new("send", &json!({"text": "a long letter"}));
    let id = TestWorker::new(&app.store).completed(task, json!("a long answer")).await;
    let html = app.partial(&format!("/tasks/{id}")).await.body;
    assert_eq!(html.matches("a long letter").count(), 1, "{html}");
    assert_eq!(html.matches("a long answer").count(), 1, "{html}");
}

/// H2: each number of the overview links to what it counts. Retried and final failures with the same
/// error are one group.
#[tokio::test]
async fn overview_numbers_link_to_their_tasks() {
    let app = app().await;
    let worker = TestWorker::new(&app.store);
    worker.completed(Task::new("send", &1), json!("sent")).await;
    for _ in 0..3 {
        worker.failed(Task::new("charge", &1), "no such card: 4711 & co").await;
    }
    worker.failed(Task::new("charge", &1), "another error").await;
    for _ in 0..2 {
        let task = Task::new("charge", &1).policy("patient");
        worker.retrying_with(task, "no such card: 4711 & co").await;
    }
    let html = app.get("/").await.page(200);
    assert!(html.contains("href=\"/tasks?status=failed\">20% overall</a>"), "{html}");
    for (text, rows) in
        [("20%", 4), ("1 completed", 1), ("4 failed", 4), ("failed 3×, retried 2×", 3)]
    {
        let before = html.split_once(&format!(">{text}</a>")).expect(text).0;
        let path = before.rsplit_once("href=\"").unwrap().1.split('"').next().unwrap();
        let list = app.get(&path.replace("&amp;", "&")).await.page(200);
        assert_eq!(list.matches("<tr id=\"row-").count(), rows, "{text}: {path}");
    }
}

/// H2: the filter form keeps times.
#[tokio::test]
async fn filter_form_keeps_times() {
    let app = app().await;
    let path =
        "/tasks?ended_after=2026-07-01T08%3A00%3A00Z&submitted_after=2026-06-01T00%3A00%3A00Z";
    let html = app.get(path).await.page(200);
    assert!(html.contains("name=\"ended_after\" value=\"2026-07-01T08:00:00Z\""), "{html}");
    assert!(html.contains("name=\"submitted_after\" value=\"2026-06-01T00:00:00Z\""), "{html}");
    let html =
        app.get("/tasks/requeue?status=failed&ended_after=2026-07-01T08:00Z").await.page(200);
    assert!(html.contains("that failed, finished after 2026-07-01T08:00:00Z"), "{html}");
}

/// O5: secrets in a payload and in a result are redacted.
#[tokio::test]
async fn secrets_are_redacted() {
    let app = app().await;
    let payload = json!({"url": "https://ada:hunter2@a.example/", "headers": {"authorization": "Bearer t0p-s3cret"}});
    let id = TestWorker::new(&app.store)
        .completed(Task::new("http", &payload), json!({"token": "t0p-s3cret"}))
        .await;
    let html = app.get(&format!("/tasks/{id}")).await.page(200);
    assert!(html.contains("***") && html.contains("a.example"), "{html}");
    assert!(!html.contains("hunter2") && !html.contains("t0p-s3cret"), "{html}");
}

/// H3: lists are paged.
#[tokio::test]
async fn task_list_is_paged() {
    let app = app().await;
    let tasks = (0..120).map(|number| Task::new("send", &number)).collect();
    app.store.submit_all(tasks).await.unwrap();
    let mut path = "/tasks?kind=send".to_owned();
    let mut shown = Vec::new();
    for page in 0.. {
        let html = app.get(&path).await.page(200);
        let ids: Vec<_> =
            html.split("<tr id=\"row-").skip(1).map(|row| row[..36].to_owned()).collect();
        assert!(ids.len() <= 50);
        shown.extend(ids);
        assert_eq!(html.contains("First page"), page > 0);
        let Some((_, next)) = html.split_once("rel=\"next\" href=\"") else { break };
        path = next.split('"').next().unwrap().replace("&amp;", "&");
        assert!(path.contains("kind=send"), "{path}");
    }
    let all = shown.len();
    shown.dedup();
    assert_eq!((all, shown.len()), (120, 120));
}

/// H2: an ID, key, correlation ID or name leads to its page.
#[tokio::test]
async fn search_redirects_to_the_match() {
    let app = app().await;
    let task = Task::new("send", &1).queue("mail").key("order-1").correlation_id("request-7");
    let id = app.store.submit(task).await.unwrap().id;
    let claim = app.client.post(format!("{}/api/v1/claims", app.url));
    let claim = claim.header("content-type", "application/json").body(r#"{"worker": "w1"}"#);
    assert_eq!(claim.send().await.unwrap().status(), 200);
    let session = sessions::record(&app, "save", "busy").await;
    let workflow = workflows::register(&app, &workflows::sign_up()).await;
    let number = workflow.rsplit_once('/').unwrap().1.to_owned();
    // The overview fills the cache of workers.
    app.get("/").await.page(200);
    for (text, url) in [
        ("w1".to_owned(), "/queues#worker-w1".to_owned()),
        ("sign-up".to_owned(), workflow.clone()),
        (number, workflow),
        (session.clone(), format!("/sessions?session={session}")),
        (TaskId::fresh().to_string(), "/tasks?text=".to_owned()),
        (id.to_string(), format!("/tasks/{id}")),
        ("order-1".to_owned(), format!("/tasks/{id}")),
        ("request-7".to_owned(), "/tasks?correlation_id=request-7".to_owned()),
        ("mail".to_owned(), "/tasks?queue=mail".to_owned()),
        ("patient".to_owned(), "/policies/patient".to_owned()),
        ("send".to_owned(), "/tasks?text=send".to_owned()),
        ("  ".to_owned(), "/tasks".to_owned()),
    ] {
        let query = serde_urlencoded::to_string([("q", &text)]).unwrap();
        let response = app.get(&format!("/search?{query}")).await;
        let url = if url.ends_with('=') { url + &text } else { url };
        assert_eq!((response.status.as_u16(), response.location), (303, url), "{text}");
    }
    let query = serde_urlencoded::to_string([("q", HOSTILE)]).unwrap();
    let response = app.get(&format!("/search?{query}")).await;
    assert_eq!(response.status, 303);
    app.get(&response.location).await.page(200);
}

/// H2, O5: text search covers all fields, but not redacted values.
#[tokio::test]
async fn text_search_covers_all_fields_but_secrets() {
    let app = app().await;
    let payload = json!({
        "to": "Ada Lovelace",
        "token": "t0p-s3cret",
        "url": "https://ada:hunter2@example.com/",
        "headers": [["Authorization", "Bearer xyz123"], {"name": "Cookie", "value": "session-456"}],
        "pin_token": 9_876_543_210_987_u64,
    });
    let task = Task::new("send", &payload).category("letters").key("order-1").policy("patient");
    let id = TestWorker::new(&app.store).failed(task, "no such street").await;
    app.store.submit(Task::new("other", &1)).await.unwrap();
    for text in ["lovelace", "SEND", "lett", "rder-", "such street", "patient"] {
        let query = serde_urlencoded::to_string([("text", text)]).unwrap();
        let html = app.get(&format!("/tasks?{query}")).await.page(200);
        assert!(html.contains(&format!("row-{id}")), "{text}");
        assert_eq!(html.matches("<tr id=").count(), 1, "{text}");
    }
    // None of them can be a part of a task's id, which is searched, too.
    for text in ["s3cret", "hunter2", "ada:h", "xyz123", "n-456", "9876543210987", "nowhere"] {
        let html = app.get(&format!("/tasks?text={text}")).await.page(200);
        assert!(html.contains("No matching tasks"), "{text}");
    }
}

/// H2: search results are paged without duplicates.
#[tokio::test]
async fn text_search_is_paged() {
    let app = app().await;
    for number in 0..20 {
        app.store.submit(Task::new("send", &format!("letter {}", number % 2))).await.unwrap();
    }
    let (mut path, mut shown) = ("/tasks?text=letter+1&limit=3".to_owned(), Vec::new());
    loop {
        let html = app.get(&path).await.page(200);
        let rows: Vec<_> =
            html.split("<tr id=\"row-").skip(1).map(|row| row[..36].to_owned()).collect();
        assert!(rows.len() <= 3, "{path}");
        shown.extend(rows);
        let Some((_, next)) = html.split_once("rel=\"next\" href=\"") else { break };
        path = next.split('"').next().unwrap().replace("&amp;", "&");
    }
    let all = shown.len();
    shown.dedup();
    assert_eq!((all, shown.len()), (10, 10));
}

/// H2: policy names are encoded in links.
#[tokio::test]
async fn policy_link_is_encoded() {
    let app = app_with_policies("version: '1.1.0'\npolicies:\n  'a/b c#d': {}\n").await;
    let policy = steadfast::policy::Draft::new().id("a/b c#d").build().unwrap();
    let id = app.store.submit(Task::new("send", &1).under(policy)).await.unwrap().id;
    let html = app.get(&format!("/tasks/{id}")).await.page(200);
    assert!(html.contains("href=\"/policies/a%2Fb%20c%23d\""), "{html}");
}

/// K1: a server without the web UI has only the API.
#[tokio::test]
async fn server_without_web_ui_has_only_the_api() {
    let app = crate::app_with(steadfast_server::Server::without_web_ui).await;
    for path in ["/", "/tasks", "/live", "/login"] {
        let response = app.get(path).await;
        assert_eq!(
            (response.status.as_u16(), response.kind.as_str()),
            (404, "application/problem+json"),
            "{path}"
        );
    }
    assert_eq!(app.get("/api/v1/tasks").await.status, 200);
}
