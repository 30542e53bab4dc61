//! The page of queues and workers (H2, D10).

use steadfast_store::{ClaimRequest, Task, WorkerReport};

use crate::{HOSTILE, shows_without_harm, world};

/// H2: an empty store says what to do.
#[tokio::test]
async fn without_queues_a_first_task_is_proposed() {
    let html = world().await.get("/queues").await.page(200);
    assert!(html.contains("No tasks yet") && html.contains("Nobody works"));
    assert!(html.contains("steadfast serve --store"), "{html}");
    assert!(html.contains("/api/v1/claims"), "{html}");
}

/// H2: what waits, what runs, since when, and who is at it.
#[tokio::test]
async fn queues_and_workers_are_told() {
    let world = world().await;
    for _ in 0..3 {
        world.store.submit(Task::new("a", &1).queue("mail")).await.unwrap();
    }
    world.store.claim(&ClaimRequest::new("w-7", 1)).await.unwrap();
    let html = world.get("/queues").await.page(200);
    assert!(html.contains("href=\"/tasks?status=pending&amp;queue=mail\">2</a>"), "{html}");
    assert!(html.contains("href=\"/tasks?status=running&amp;queue=mail\">1</a>"), "{html}");
    assert!(html.contains("waits for <time"), "{html}");
    assert!(html.contains("id=\"worker-w-7\"") && html.contains("ends <time"), "{html}");
}

/// H2, K4: very many queues are shown page by page, and found by a part of their name.
#[tokio::test]
async fn many_queues_are_shown_page_by_page() {
    let world = world().await;
    let queues = (0..450).map(|number| Task::new("a", &1).queue(format!("tenant {number:03}")));
    world.store.submit_all(queues.collect()).await.unwrap();
    let shown = |html: &str| html.matches("id=\"queue-tenant").count();

    let first = world.get("/queues").await.page(200);
    assert_eq!(shown(&first), 200);
    assert!(first.contains("href=\"/queues?after=tenant+199\">Next</a>"), "{first}");
    let last = world.get("/queues?after=tenant+399").await.page(200);
    assert_eq!(shown(&last), 50);
    assert!(last.contains("Back to the start") && last.contains("The end of the list"), "{last}");

    let found = world.get("/queues?name=nt+12").await.page(200);
    assert_eq!(shown(&found), 10);
    let none = world.get("/queues?name=%3Cb%3E&after=").await.page(200);
    assert!(none.contains("No queue is called like that") && !none.contains("<b>"), "{none}");
}

fn worker(name: &str) -> WorkerReport {
    WorkerReport {
        name: name.to_owned(),
        instance: Some("host-1".to_owned()),
        seen_at: None,
        queues: Some((0..7).map(|number| format!("queue {number}")).collect()),
        concurrency: Some(100),
        running: Some(3),
    }
}

/// H2: who is there is told although nothing is to be done, with when it was heard of.
#[tokio::test]
async fn an_idle_worker_is_told() {
    let world = world().await;
    world.store.report_worker(&worker("w-7")).await.unwrap();
    let elsewhere = WorkerReport { queues: None, instance: None, running: None, ..worker("w-8") };
    world.store.report_worker(&elsewhere).await.unwrap();
    let html = world.get("/queues").await.page(200);
    assert!(html.contains("w-7 <span class=\"muted\">at host-1</span>"), "{html}");
    assert!(html.contains("3<span class=\"muted\"> of 100</span>"), "{html}");
    assert!(html.contains("queue 4") && html.contains("and 2 more"), "{html}");
    assert!(html.contains("w-8 <span class=\"muted\">over HTTP</span>"), "{html}");
    assert!(html.contains("seen <time") && !html.contains("silent"), "{html}");
    assert!(!html.contains("Nobody works"), "{html}");
}

/// D10: pausing asks first, holds, and can be undone.
#[tokio::test]
async fn a_queue_is_paused_and_resumed() {
    let world = world().await;
    world.store.submit(Task::new("a", &1).queue("mail")).await.unwrap();
    let html = world.get("/queues").await.page(200);
    assert!(
        html.contains("action=\"/queues/mail/pause\"")
            && html.contains("data-confirm=\"Pause mail?")
    );

    assert_eq!(world.post("/queues/mail/pause", &[]).await.redirect(), "/queues");
    assert!(world.store.queues().await.unwrap()[0].paused);
    let html = world.get("/queues").await.page(200);
    assert!(html.contains("action=\"/queues/mail/resume\"") && html.contains("held back for"));

    assert_eq!(world.post("/queues/mail/resume", &[]).await.redirect(), "/queues");
    assert!(!world.store.queues().await.unwrap()[0].paused);
}

/// K4: a queue and a worker may be called anything.
#[tokio::test]
async fn hostile_names_are_only_names() {
    let world = world().await;
    let queue = format!("a/b?c {HOSTILE}");
    world.store.submit(Task::new("a", &1).queue(&queue)).await.unwrap();
    world.store.claim(&ClaimRequest::new(HOSTILE, 1)).await.unwrap();
    let html = world.get("/queues").await.page(200);
    shows_without_harm(&html);
    let (_, action) = html.split_once("action=\"/queues/").unwrap();
    let action = action.split_once('"').unwrap().0;
    assert_eq!(world.post(&format!("/queues/{action}"), &[]).await.redirect(), "/queues");
    assert!(world.store.queues().await.unwrap()[0].paused);
}

/// H2: what is asked for anew is what the page has.
#[tokio::test]
async fn the_inside_of_every_page_is_the_same_as_the_pages() {
    let world = world().await;
    for path in ["/queues", "/breakers", "/policies", "/policies/sql", "/events", "/audit"] {
        let inside = world.inside(path).await.body;
        let within = inside.split_once('>').unwrap().1;
        assert!(world.get(path).await.page(200).contains(within), "{path}");
    }
}
