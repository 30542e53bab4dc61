//! The queues and workers page (H2, D10).

use steadfast_store::{ClaimRequest, Task, WorkerReport};

use crate::{HOSTILE, app, assert_escaped};

/// H2: an empty store shows instructions.
#[tokio::test]
async fn no_queues_shows_instructions() {
    let html = app().await.get("/queues").await.page(200);
    assert!(html.contains("No tasks yet") && html.contains("No workers"));
    assert!(html.contains("steadfast serve --store"), "{html}");
    assert!(html.contains("/api/v1/claims"), "{html}");
}

/// H2: backlog and running tasks per queue, and the workers.
#[tokio::test]
async fn queues_and_workers_are_listed() {
    let app = app().await;
    for _ in 0..3 {
        app.store.submit(Task::new("a", &1).queue("mail")).await.unwrap();
    }
    app.store.claim(&ClaimRequest::new("w-7", 1)).await.unwrap();
    let html = app.get("/queues").await.page(200);
    assert!(html.contains("href=\"/tasks?status=pending&amp;queue=mail\">2</a>"), "{html}");
    assert!(html.contains("href=\"/tasks?status=running&amp;queue=mail\">1</a>"), "{html}");
    assert!(html.contains("waiting for <time"), "{html}");
    assert!(html.contains("id=\"worker-w-7\"") && html.contains("lease expires <time"), "{html}");
}

/// H2, K4: many queues are paged and filtered by name.
#[tokio::test]
async fn many_queues_are_paged_and_filtered() {
    let app = app().await;
    let queues = (0..450).map(|number| Task::new("a", &1).queue(format!("tenant {number:03}")));
    app.store.submit_all(queues.collect()).await.unwrap();
    let shown = |html: &str| html.matches("id=\"queue-tenant").count();

    let first = app.get("/queues").await.page(200);
    assert_eq!(shown(&first), 200);
    assert!(first.contains("href=\"/queues?after=tenant+199\">Next</a>"), "{first}");
    let last = app.get("/queues?after=tenant+399").await.page(200);
    assert_eq!(shown(&last), 50);
    assert!(last.contains("First page") && last.contains("End of list"), "{last}");

    let found = app.get("/queues?name=nt+12").await.page(200);
    assert_eq!(shown(&found), 10);
    let none = app.get("/queues?name=%3Cb%3E&after=").await.page(200);
    assert!(none.contains("No matching queues") && !none.contains("<b>"), "{none}");
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

/// H2: an idle worker is listed with its last report.
#[tokio::test]
async fn idle_worker_is_listed() {
    let app = app().await;
    app.store.report_worker(&worker("w-7")).await.unwrap();
    let elsewhere = WorkerReport { queues: None, instance: None, running: None, ..worker("w-8") };
    app.store.report_worker(&elsewhere).await.unwrap();
    let html = app.get("/queues").await.page(200);
    assert!(html.contains("w-7 <span class=\"muted\">on host-1</span>"), "{html}");
    assert!(html.contains("3<span class=\"muted\"> of 100</span>"), "{html}");
    assert!(html.contains("queue 4") && html.contains("and 2 more"), "{html}");
    assert!(html.contains("w-8 <span class=\"muted\">over HTTP</span>"), "{html}");
    assert!(
        html.contains("data-label=\"last seen\"><time") && !html.contains("not reporting"),
        "{html}"
    );
    assert!(!html.contains("No workers"), "{html}");
}

/// D10: pausing asks for confirmation and can be undone.
#[tokio::test]
async fn queue_is_paused_and_resumed() {
    let app = app().await;
    app.store.submit(Task::new("a", &1).queue("mail")).await.unwrap();
    let html = app.get("/queues").await.page(200);
    assert!(
        html.contains("action=\"/queues/mail/pause\"")
            && html.contains("data-confirm=\"Pause mail?")
    );

    assert_eq!(app.post("/queues/mail/pause", &[]).await.redirect(), "/queues");
    assert!(app.store.queues().await.unwrap()[0].paused);
    let html = app.get("/queues").await.page(200);
    assert!(html.contains("action=\"/queues/mail/resume\"") && html.contains("waiting for"));

    assert_eq!(app.post("/queues/mail/resume", &[]).await.redirect(), "/queues");
    assert!(!app.store.queues().await.unwrap()[0].paused);
}

/// K4: names of queues and workers are escaped.
#[tokio::test]
async fn hostile_names_are_escaped() {
    let app = app().await;
    let queue = format!("a/b?c {HOSTILE}");
    app.store.submit(Task::new("a", &1).queue(&queue)).await.unwrap();
    app.store.claim(&ClaimRequest::new(HOSTILE, 1)).await.unwrap();
    let html = app.get("/queues").await.page(200);
    assert_escaped(&html);
    let (_, action) = html.split_once("action=\"/queues/").unwrap();
    let action = action.split_once('"').unwrap().0;
    assert_eq!(app.post(&format!("/queues/{action}"), &[]).await.redirect(), "/queues");
    assert!(app.store.queues().await.unwrap()[0].paused);
}

/// H2: the partial page equals the content of the full page.
#[tokio::test]
async fn partial_of_every_page_equals_its_content() {
    let app = app().await;
    for path in ["/queues", "/breakers", "/policies", "/policies/sql", "/events", "/audit"] {
        let partial = app.partial(path).await.body;
        let content = partial.split_once('>').unwrap().1;
        assert!(app.get(path).await.page(200).contains(content), "{path}");
    }
}
