//! Finished tasks, the latest first (O1).

use std::collections::BTreeSet;

use steadfast_store::{Cursor, PageRequest, Status, StoreError, TaskId};

use crate::harness::*;

cases![
    ended_tasks_are_listed_latest_first,
    open_task_is_not_listed,
    page_continues_after_the_previous_one,
    task_that_ended_years_ago_is_listed,
    tasks_that_ended_at_once_are_listed_once,
    tasks_are_filtered_by_correlation_id,
    cursor_of_another_list_is_rejected_by_ended_list,
];

/// The ids of each page.
async fn pages(store: &Harness, limit: u32) -> Vec<Vec<TaskId>> {
    let mut request = PageRequest { limit, after: None };
    let mut pages = Vec::new();
    loop {
        let page = store.latest_ended(None, &request).await.unwrap();
        pages.push(page.items.iter().map(|task| task.id).collect());
        if page.next.is_none() {
            return pages;
        }
        request.after = page.next;
    }
}

/// O1: by the time of their end, not of their submission, whatever their status.
async fn ended_tasks_are_listed_latest_first(store: &Harness) {
    let claimed = [store.running(task()).await, store.running(task()).await];
    let failed = store.ended(Status::Failed, task()).await;
    let cancelled = store.ended(Status::Cancelled, task()).await;
    for task in claimed.iter().rev() {
        store.wait_for_next_tick().await;
        store.complete(task).await;
    }
    let order = vec![claimed[0].id, claimed[1].id, cancelled, failed];
    assert_eq!(pages(store, 10).await, [order]);
    let page = store.latest_ended(None, &PageRequest::default()).await.unwrap();
    assert_eq!(page.items[3].status, Status::Failed);
    assert!(page.items[3].last_error.is_some() && page.items[3].faults.is_empty());
}

/// O1: nor is a requeued one.
async fn open_task_is_not_listed(store: &Harness) {
    let again = store.ended(Status::Failed, task()).await;
    let done = store.ended(Status::Completed, task()).await;
    store.requeue(again, true, &operator()).await.unwrap();
    store.put(task().after(secs(60))).await;
    store.claim_one().await;
    assert_eq!(pages(store, 10).await, [[done]]);
}

/// H1: each task once, in order, and the last page has no cursor.
async fn page_continues_after_the_previous_one(store: &Harness) {
    let mut ids = Vec::new();
    for status in [Status::Completed, Status::Failed, Status::Cancelled, Status::Completed] {
        ids.push(store.ended(status, task()).await);
    }
    ids.reverse();
    assert_eq!(pages(store, 3).await, [&ids[..3], &ids[3..]]);
    assert_eq!(pages(store, 2).await, [&ids[..2], &ids[2..]]);
    assert_eq!(pages(store, 4).await, [&ids[..]]);
}

/// H3: whatever the gap between two ends.
async fn task_that_ended_years_ago_is_listed(store: &Harness) {
    let oldest = store.ended(Status::Completed, task()).await;
    store.age_ended(secs(20 * 365 * 86_400)).await;
    let old = store.ended(Status::Failed, task()).await;
    store.age_ended(secs(86_400)).await;
    let new = store.ended(Status::Completed, task()).await;
    assert_eq!(pages(store, 10).await, [[new, old, oldest]]);
    assert_eq!(pages(store, 1).await, [[new], [old], [oldest]]);
}

/// H3, K4: more tasks may end at one moment than a page holds.
async fn tasks_that_ended_at_once_are_listed_once(store: &Harness) {
    const MANY: usize = 2500;
    let put: BTreeSet<_> = store.put_many(MANY).await.into_iter().collect();
    let mut claimed = Vec::new();
    while claimed.len() < MANY {
        claimed.extend(store.claim_batch(500).await);
    }
    store.settle(claimed.iter().map(|task| settlement(task, DONE)).collect()).await.unwrap();
    let pages = pages(store, 900).await;
    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [900, 900, 700]);
    assert_eq!(pages.into_iter().flatten().collect::<BTreeSet<_>>(), put);
}

/// H3: the tasks of one request are found among many others, in the same order.
async fn tasks_are_filtered_by_correlation_id(store: &Harness) {
    let of_request = || task().correlation_id("request-7");
    let claimed = [store.running(of_request()).await, store.running(of_request()).await];
    store.ended(Status::Completed, task().correlation_id("request-8")).await;
    store.ended(Status::Completed, task()).await;
    let failed = store.ended(Status::Failed, of_request()).await;
    store.wait_for_next_tick().await;
    store.complete(&claimed[1]).await;
    store.wait_for_next_tick().await;
    store.complete(&claimed[0]).await;
    store.put(of_request()).await;
    let page = async |limit, after| {
        let page = PageRequest { limit, after };
        let page = store.latest_ended(Some("request-7"), &page).await.unwrap();
        (page.items.iter().map(|task| task.id).collect::<Vec<_>>(), page.next)
    };
    let (first, next) = page(2, None).await;
    assert_eq!(first, [claimed[0].id, claimed[1].id]);
    assert_eq!(page(2, next).await, (vec![failed], None));
    let rejected = store.latest_ended(Some("\0"), &PageRequest::default()).await.unwrap_err();
    assert!(matches!(&rejected, StoreError::Invalid(it) if it.field() == "correlation_id"));
}

/// K4: the error names the field.
async fn cursor_of_another_list_is_rejected_by_ended_list(store: &Harness) {
    for after in ["", "12", "newest:0:0:00000000-0000-7000-8000-000000000000", "ended:x:0:y"] {
        let page = PageRequest { limit: 1, after: Some(Cursor(after.to_owned())) };
        let rejected = store.latest_ended(None, &page).await.unwrap_err();
        assert!(
            matches!(&rejected, StoreError::Invalid(it) if it.field() == "after"),
            "{rejected}"
        );
    }
}
