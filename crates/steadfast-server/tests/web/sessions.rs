//! The sessions page (H2, O1, O4).

use std::time::Duration;

use steadfast::observe::{AttemptRecord, ErrorRecord, Session, SessionId, Subject};
use steadfast::{Policy, Reason};
use steadfast_store::{Record, RecordKind, Task};

use crate::test_worker::TestWorker;
use crate::{HOSTILE, TestApp, app, assert_escaped};

/// Records a session with one failed attempt, and returns its ID.
pub(crate) async fn record(app: &TestApp, operation: &str, message: &str) -> String {
    record_with_policy(app, "patient", operation, message).await
}

async fn record_with_policy(app: &TestApp, policy: &str, operation: &str, message: &str) -> String {
    let policy = Policy::fixed(Duration::from_secs(1)).id(policy).build().unwrap();
    let id = SessionId::fresh().to_string();
    let subject = Subject::of(&policy, operation, &id, None, "test");
    let now = app.store.now().await.unwrap();
    let mut session = Session::new(&subject, now);
    let mut attempt = AttemptRecord::new(1, now, Duration::ZERO);
    attempt.error = Some(ErrorRecord::new("TimeoutError", message));
    session.attempts.push(attempt);
    session.gave_up(now, Reason::AttemptsExhausted);
    let body = serde_json::to_value(&session).unwrap();
    let record = Record::new(RecordKind::Session, body);
    app.store.record(&[record]).await.unwrap();
    id
}

/// H2: empty states with and without a filter.
#[tokio::test]
async fn no_sessions_shows_an_empty_state() {
    let app = app().await;
    assert!(app.get("/sessions").await.page(200).contains("No sessions yet"));
    let html = app.get("/sessions?policy=unknown").await.page(200);
    assert!(html.contains("No matching sessions"), "{html}");
}

/// O4: a session has its attempts and errors.
#[tokio::test]
async fn session_is_shown_with_its_attempts() {
    let app = app().await;
    record(&app, "save_state", "took too long").await;
    let html = app.get("/sessions").await.page(200);
    assert!(
        html.contains("<strong>save_state</strong>") && html.contains("1 attempt, patient"),
        "{html}"
    );
    assert!(html.contains("<span class=\"message\">took too long</span>"), "{html}");
    assert!(html.contains("<p class=\"message\">took too long</p>"), "{html}");
    assert!(html.contains("href=\"/policies/patient\"") && html.contains("failure</span>"));
}

/// H2: only active policies have a page.
#[tokio::test]
async fn only_active_policies_are_linked() {
    let app = app().await;
    record_with_policy(&app, "inline", "one", "busy").await;
    record_with_policy(&app, "another-programs", "two", "busy").await;
    let html = app.get("/sessions").await.page(200);
    assert!(html.contains(">inline</span>") && html.contains(">another-programs</span>"), "{html}");
    assert!(!html.contains("href=\"/policies/"), "{html}");
}

/// H2: filters are kept in the URL.
#[tokio::test]
async fn sessions_are_filtered_by_the_url() {
    let app = app().await;
    record(&app, "one", "busy").await;
    record(&app, "two", "busy").await;
    let rows = async |query: &str| {
        let html = app.get(&format!("/sessions?{query}")).await.page(200);
        html.matches("id=\"session-").count()
    };
    assert_eq!(rows("operation=one&policy=").await, 1);
    assert_eq!(rows("outcome=failure").await, 2);
    assert_eq!(rows("outcome=success").await, 0);
    assert_eq!(rows("limit=1").await, 1);
}

/// O1: a finished task is a session that links to the task.
#[tokio::test]
async fn finished_task_is_listed_as_a_session() {
    let app = app().await;
    let id = TestWorker::new(&app.store).failed(Task::new("mail.send", &1), "no such box").await;
    let html = app.get("/sessions?operation=mail.send").await.page(200);
    assert!(html.contains("<strong>mail.send</strong>") && html.contains("1 attempt, "), "{html}");
    assert!(
        html.contains("no such box") && html.contains(&format!("href=\"/tasks/{id}\"")),
        "{html}"
    );
    assert!(!app.get("/sessions?outcome=success").await.page(200).contains("mail.send</strong>"));
}

/// K4: sessions are escaped.
#[tokio::test]
async fn hostile_sessions_are_escaped() {
    let app = app().await;
    record(&app, HOSTILE, HOSTILE).await;
    assert_escaped(&app.get("/sessions").await.page(200));
}
