//! The events page (H2, O1).

use steadfast::observe::{Event, EventType, Subject};
use steadfast_store::{Record, Task, TaskId};

use crate::test_worker::TestWorker;
use crate::{HOSTILE, TestApp, app, assert_escaped};

/// A task whose first attempt failed.
async fn retrying(app: &TestApp, kind: &str) -> TaskId {
    let task = Task::new(kind, &1).policy("patient").correlation_id("order-7");
    TestWorker::new(&app.store).retrying(task).await
}

/// H2: empty states with and without a filter.
#[tokio::test]
async fn no_events_shows_an_empty_state() {
    let app = app().await;
    assert!(app.get("/events").await.page(200).contains("No events yet"));
    let html = app.get("/events?policy=unknown").await.page(200);
    assert!(html.contains("No matching events"), "{html}");
}

/// O1: events have details and a link to their task, newest first.
#[tokio::test]
async fn events_are_listed_newest_first() {
    let app = app().await;
    let first = retrying(&app, "first").await;
    let second = retrying(&app, "second").await;
    let html = app.get("/events").await.page(200);
    let position = |id: TaskId| html.find(&format!("href=\"/tasks/{id}\"")).unwrap();
    assert!(position(second) < position(first));
    assert!(
        html.contains("attempt 1 of 9 failed") && html.contains("href=\"/policies/patient\""),
        "{html}"
    );
    assert!(html.contains("data-pauses=\"events\""), "{html}");
}

/// O1: the session of a program is not a task, although its ID looks like one.
#[tokio::test]
async fn event_of_a_program_links_to_its_session() {
    let app = app().await;
    app.store.submit(Task::new("send", &1)).await.unwrap();
    let session = TaskId::fresh().to_string();
    let policy = steadfast::policy::Draft::new().id("calls").build().unwrap();
    let subject = Subject::of(&policy, "shop.checkout", session.clone(), None, "shop");
    let now = app.store.now().await.unwrap();
    let event = Event::new(EventType::RetryFailure, now, &subject);
    app.store.record(&[Record::try_from(&event).unwrap()]).await.unwrap();
    for page in ["/events", "/"] {
        let html = app.get(page).await.page(200);
        assert!(html.contains(&format!("href=\"/events?session={session}\"")), "{page}: {html}");
        assert!(!html.contains(&format!("/tasks/{session}")), "{page}: {html}");
    }
}

/// H2: only active policies have a page.
#[tokio::test]
async fn only_active_policies_are_linked() {
    let app = app().await;
    let policy = steadfast::policy::Draft::new().id("of-last-year").build().unwrap();
    let id = TestWorker::new(&app.store).retrying(Task::new("send", &1).under(policy)).await;
    for path in ["/events".to_owned(), format!("/tasks/{id}")] {
        let html = app.get(&path).await.page(200);
        assert!(html.contains("of-last-year"), "{html}");
        assert!(!html.contains("href=\"/policies/of-last-year\""), "{html}");
    }
}

/// H2: filters are kept in the URL.
#[tokio::test]
async fn events_are_filtered_by_the_url() {
    let app = app().await;
    let id = retrying(&app, "mail").await;
    let rows = async |query: &str| {
        let html = app.get(&format!("/events?{query}")).await.page(200);
        html.matches("id=\"event-").count()
    };
    assert_eq!(rows("type=retry_attempt&operation=mail&policy=&session=").await, 1);
    assert_eq!(rows(&format!("session={id}")).await, 1);
    assert_eq!(rows("correlation_id=order-7").await, 1);
    assert_eq!(rows("type=retry_failure").await, 0);
    let html = app.get("/events?tpye=x").await.page(400);
    assert!(html.contains("Did you mean `type`?"), "{html}");
}

/// K4: error messages are escaped and redacted.
#[tokio::test]
async fn hostile_events_are_escaped() {
    let app = app().await;
    let message = format!("{HOSTILE} password=hunter2");
    TestWorker::new(&app.store).failed(Task::new(HOSTILE, &1), &message).await;
    let html = app.get("/events").await.page(200);
    assert_escaped(&html);
    assert!(!html.contains("hunter2"), "{html}");
}
