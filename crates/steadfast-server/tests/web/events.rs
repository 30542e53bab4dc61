//! The page of events (H2, O1).

use steadfast::observe::{Event, EventType, Subject};
use steadfast_store::{Record, Task, TaskId};

use crate::hands::Hands;
use crate::{HOSTILE, World, shows_without_harm, world};

/// A task that failed, and is to be tried again.
async fn retrying(world: &World, kind: &str) -> TaskId {
    let task = Task::new(kind, &1).policy("patient").correlation_id("order-7");
    Hands::of(&world.store).retrying(task).await
}

/// H2: nothing yet, or nothing like that.
#[tokio::test]
async fn without_events_it_says_what_will_be_here() {
    let world = world().await;
    assert!(world.get("/events").await.page(200).contains("Nothing happened yet"));
    let html = world.get("/events?policy=nobodys").await.page(200);
    assert!(html.contains("Nothing like that happened lately"), "{html}");
}

/// O1: each with its facts and a link to its task, the newest first.
#[tokio::test]
async fn events_are_told_newest_first() {
    let world = world().await;
    let first = retrying(&world, "first").await;
    let second = retrying(&world, "second").await;
    let html = world.get("/events").await.page(200);
    let place = |id: TaskId| html.find(&format!("href=\"/tasks/{id}\"")).unwrap();
    assert!(place(second) < place(first));
    assert!(html.contains("attempt 2") && html.contains("href=\"/policies/patient\""), "{html}");
    assert!(html.contains("data-holds=\"events\""), "{html}");
}

/// O1: a session of a program is no task, although its id looks like one.
#[tokio::test]
async fn an_event_of_a_program_leads_to_its_session() {
    let world = world().await;
    world.store.submit(Task::new("send", &1)).await.unwrap();
    let session = TaskId::fresh().to_string();
    let policy = steadfast::policy::Draft::new().id("calls").build().unwrap();
    let subject = Subject::of(&policy, "shop.checkout", session.clone(), None, "shop");
    let now = world.store.now().await.unwrap();
    let event = Event::new(EventType::RetryFailure, now, &subject);
    world.store.record(&[Record::try_from(&event).unwrap()]).await.unwrap();
    for page in ["/events", "/"] {
        let html = world.get(page).await.page(200);
        assert!(html.contains(&format!("href=\"/events?session={session}\"")), "{page}: {html}");
        assert!(!html.contains(&format!("/tasks/{session}")), "{page}: {html}");
    }
}

/// H2: a policy that is not in force here has no page to lead to.
#[tokio::test]
async fn only_policies_in_force_are_linked() {
    let world = world().await;
    let policy = steadfast::policy::Draft::new().id("of-last-year").build().unwrap();
    let id = Hands::of(&world.store).retrying(Task::new("send", &1).under(policy)).await;
    for path in ["/events".to_owned(), format!("/tasks/{id}")] {
        let html = world.get(&path).await.page(200);
        assert!(html.contains("of-last-year"), "{html}");
        assert!(!html.contains("href=\"/policies/of-last-year\""), "{html}");
    }
}

/// H2: what is chosen stands in the address.
#[tokio::test]
async fn events_are_chosen_by_the_address() {
    let world = world().await;
    let id = retrying(&world, "mail").await;
    let rows = async |query: &str| {
        let html = world.get(&format!("/events?{query}")).await.page(200);
        html.matches("id=\"event-").count()
    };
    assert_eq!(rows("type=retry_attempt&operation=mail&policy=&session=").await, 1);
    assert_eq!(rows(&format!("session={id}")).await, 1);
    assert_eq!(rows("correlation_id=order-7").await, 1);
    assert_eq!(rows("type=retry_failure").await, 0);
    let html = world.get("/events?tpye=x").await.page(400);
    assert!(html.contains("did you mean `type`?"), "{html}");
}

/// K4: what an error says is shown, never run, and without its secrets.
#[tokio::test]
async fn hostile_events_are_only_text() {
    let world = world().await;
    let words = format!("{HOSTILE} password=hunter2");
    Hands::of(&world.store).failed_for_good(Task::new(HOSTILE, &1), &words).await;
    let html = world.get("/events").await.page(200);
    shows_without_harm(&html);
    assert!(!html.contains("hunter2"), "{html}");
}
