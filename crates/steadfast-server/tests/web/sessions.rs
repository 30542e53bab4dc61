//! The page of recorded sessions (H2, O1, O4).

use std::time::Duration;

use steadfast::observe::{AttemptRecord, ErrorRecord, Session, SessionId, Subject};
use steadfast::{Policy, Reason};
use steadfast_store::{Record, RecordKind, Task};

use crate::hands::Hands;
use crate::{HOSTILE, World, shows_without_harm, world};

/// Records a session with one attempt that failed, with these words, and gives its id.
pub(crate) async fn recorded(world: &World, operation: &str, words: &str) -> String {
    recorded_under(world, "patient", operation, words).await
}

async fn recorded_under(world: &World, policy: &str, operation: &str, words: &str) -> String {
    let policy = Policy::fixed(Duration::from_secs(1)).id(policy).build().unwrap();
    let id = SessionId::fresh().to_string();
    let subject = Subject::of(&policy, operation, &id, None, "test");
    let now = world.store.now().await.unwrap();
    let mut session = Session::new(&subject, now);
    let mut attempt = AttemptRecord::new(1, now, Duration::ZERO);
    attempt.error = Some(ErrorRecord::new("TimeoutError", words));
    session.attempts.push(attempt);
    session.gave_up(now, Reason::AttemptsExhausted);
    let body = serde_json::to_value(&session).unwrap();
    let record = Record::new(RecordKind::Session, body);
    world.store.record(&[record]).await.unwrap();
    id
}

/// H2: nothing was recorded, or nothing like that.
#[tokio::test]
async fn without_sessions_it_says_what_will_be_here() {
    let world = world().await;
    assert!(world.get("/sessions").await.page(200).contains("No sessions yet"));
    let html = world.get("/sessions?policy=nobodys").await.page(200);
    assert!(html.contains("No session is like that"), "{html}");
}

/// O4: each with its attempts and why it ended.
#[tokio::test]
async fn a_session_is_told_with_its_attempts() {
    let world = world().await;
    recorded(&world, "save_state", "took too long").await;
    let html = world.get("/sessions").await.page(200);
    assert!(
        html.contains("<strong>save_state</strong>") && html.contains("1 attempt, patient"),
        "{html}"
    );
    assert!(html.contains("<span class=\"message\">took too long</span>"), "{html}");
    assert!(html.contains("TimeoutError: took too long"), "{html}");
    assert!(html.contains("href=\"/policies/patient\"") && html.contains("failure</span>"));
}

/// H2: a policy that is not in force here has no page to lead to.
#[tokio::test]
async fn only_policies_in_force_are_linked() {
    let world = world().await;
    recorded_under(&world, "inline", "one", "busy").await;
    recorded_under(&world, "another-programs", "two", "busy").await;
    let html = world.get("/sessions").await.page(200);
    assert!(html.contains(">inline</span>") && html.contains(">another-programs</span>"), "{html}");
    assert!(!html.contains("href=\"/policies/"), "{html}");
}

/// H2: what is chosen stands in the address.
#[tokio::test]
async fn sessions_are_chosen_by_the_address() {
    let world = world().await;
    recorded(&world, "one", "busy").await;
    recorded(&world, "two", "busy").await;
    let rows = async |query: &str| {
        let html = world.get(&format!("/sessions?{query}")).await.page(200);
        html.matches("id=\"session-").count()
    };
    assert_eq!(rows("operation=one&policy=").await, 1);
    assert_eq!(rows("outcome=failure").await, 2);
    assert_eq!(rows("outcome=success").await, 0);
    assert_eq!(rows("limit=1").await, 1);
}

/// O1: a task that has ended is a session, and leads to the task.
#[tokio::test]
async fn a_task_that_ended_is_told_with_its_attempts() {
    let world = world().await;
    let id =
        Hands::of(&world.store).failed_for_good(Task::new("mail.send", &1), "no such box").await;
    let html = world.get("/sessions?operation=mail.send").await.page(200);
    assert!(html.contains("<strong>mail.send</strong>") && html.contains("1 attempt, "), "{html}");
    assert!(
        html.contains("no such box") && html.contains(&format!("href=\"/tasks/{id}\"")),
        "{html}"
    );
    assert!(!world.get("/sessions?outcome=success").await.page(200).contains("mail.send</strong>"));
}

/// K4: what an error says is shown, never run.
#[tokio::test]
async fn hostile_sessions_are_only_text() {
    let world = world().await;
    recorded(&world, HOSTILE, HOSTILE).await;
    shows_without_harm(&world.get("/sessions").await.page(200));
}
