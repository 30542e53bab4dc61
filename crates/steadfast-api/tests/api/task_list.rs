//! Lists and lookup of tasks (D15, H1).

use std::time::Duration;

use steadfast::Class;
use steadfast_api::{Api, ErrorKind, PageQuery, TaskFilter};
use steadfast_store::{Status, TaskId};

use crate::{World, world};

async fn kinds(world: &World, filter: TaskFilter) -> Vec<String> {
    let page = world.api.tasks(&filter, &PageQuery::default()).await.unwrap();
    page.items.into_iter().map(|task| task.kind).collect()
}

/// D15: pending, due within 24 hours and failed are one request each.
#[tokio::test]
async fn tasks_are_filtered_by_status_and_due_time() {
    let world = world().await;
    world.submit(r#"{"kind": "now", "payload": 1}"#).await;
    world.submit(r#"{"kind": "soon", "payload": 1, "run_at": "23h"}"#).await;
    world.submit(r#"{"kind": "late", "payload": 1, "run_at": "25h"}"#).await;
    world.submit(r#"{"kind": "bad", "payload": 1, "first_fault": {"http_status": 404}}"#).await;

    assert_eq!(kinds(&world, TaskFilter::status(Status::Pending)).await, ["now"]);
    assert_eq!(kinds(&world, TaskFilter::status(Status::Failed)).await, ["bad"]);
    let day = Some(Duration::from_secs(86_400));
    assert_eq!(kinds(&world, TaskFilter { due_within: day, ..Default::default() }).await, ["soon"]);
    let class = Some(Class::Final);
    assert_eq!(kinds(&world, TaskFilter { class, ..Default::default() }).await, ["bad"]);
    let kind = Some("late".to_owned());
    assert_eq!(kinds(&world, TaskFilter { kind, ..Default::default() }).await, ["late"]);

    let stats = world.api.stats().await.unwrap();
    assert_eq!((stats.pending, stats.due_in_24_hours, stats.failed), (1, 1, 1));
    assert_eq!((stats.total(), stats.success_rate), (4, Some(0.0)));
    assert_eq!(stats.queues.len(), 1);
    assert_eq!((stats.queues[0].name.as_str(), stats.queues[0].pending), ("default", 1));
}

/// H1: the pages of a list have every task once.
#[tokio::test]
async fn pages_list_every_task_once() {
    let world = world().await;
    for _ in 0..5 {
        world.submit(r#"{"kind": "k", "payload": 1}"#).await;
    }
    let mut page = PageQuery { limit: 2, after: None };
    let mut sizes = Vec::new();
    let mut ids = std::collections::HashSet::new();
    loop {
        let part = world.api.tasks(&TaskFilter::default(), &page).await.unwrap();
        sizes.push(part.items.len());
        ids.extend(part.items.iter().map(|task| task.id));
        match part.next {
            Some(next) => page.after = Some(next),
            None => break,
        }
    }
    assert_eq!((sizes, ids.len()), (vec![2, 2, 1], 5));
}

/// K4: a page size out of range and an unknown cursor are rejected.
#[tokio::test]
async fn invalid_page_is_rejected_with_field() {
    let world = world().await;
    for limit in [0, 1001, u32::MAX] {
        let page = PageQuery { limit, after: None };
        let rejected = world.api.tasks(&TaskFilter::default(), &page).await.unwrap_err();
        assert_eq!(rejected.field.as_deref(), Some("limit"));
        assert_eq!(rejected.next.as_deref(), Some("use 1 to 1000"));
    }
    let page: PageQuery = serde_urlencoded::from_str("after=nonsense").unwrap();
    let rejected = world.api.tasks(&TaskFilter::default(), &page).await.unwrap_err();
    assert_eq!(rejected.field.as_deref(), Some("after"));
}

/// H1: a task is found by its id and by its key.
#[tokio::test]
async fn task_is_found_by_idempotency_key() {
    let world = world().await;
    let json = r#"{"kind": "k", "payload": 1, "idempotency_key": "invoice-42"}"#;
    let task = world.submit(json).await;
    assert_eq!(world.api.task_by_key("invoice-42").await.unwrap().id, task.id);
    for rejected in [
        world.api.task_by_key("invoice-43").await.unwrap_err(),
        world.api.task(TaskId::fresh()).await.unwrap_err(),
    ] {
        assert_eq!((rejected.kind, rejected.status), (ErrorKind::NotFound, 404));
        assert!(rejected.next.is_some());
    }
}

/// Section 10: the query of a URL and JSON are read alike.
#[test]
fn filter_is_read_from_url_and_json() {
    let filter: TaskFilter = serde_urlencoded::from_str(
        "status=failed&queue=mail&class=rate_limited&due_within=24h\
         &submitted_after=2026-07-01T08%3A00%3A00Z",
    )
    .unwrap();
    assert_eq!(filter.status, Some(Status::Failed));
    assert_eq!(filter.class, Some(Class::RateLimited));
    assert_eq!(filter.due_within, Some(Duration::from_secs(86_400)));
    let json = serde_json::to_string(&filter).unwrap();
    assert_eq!(serde_json::from_str::<TaskFilter>(&json).unwrap(), filter);
    let rejected = serde_json::from_str::<TaskFilter>(r#"{"statsu": "failed"}"#).unwrap_err();
    assert!(rejected.to_string().contains("`status`"), "{rejected}");
}
