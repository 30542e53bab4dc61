//! Finished tasks by the minute, and scheduled tasks by the hour (H2).

use steadfast_store::Status;

use crate::harness::*;

cases![
    idle_store_has_no_activity,
    ended_task_is_counted_in_its_minute,
    scheduled_task_is_counted_in_its_hour,
];

/// H2: every minute and every hour is listed, with a count of zero.
async fn idle_store_has_no_activity(store: &Harness) {
    let activity = store.activity().await.unwrap();
    assert_eq!((activity.ended.len(), activity.due.len()), (60, 24));
    assert!(activity.ended.iter().all(|minute| (minute.completed, minute.failed) == (0, 0)));
    assert!(activity.due.iter().all(|tasks| *tasks == 0));
}

/// H2: completed and failed tasks count; cancelled ones and those outside the window do not.
async fn ended_task_is_counted_in_its_minute(store: &Harness) {
    store.ended(Status::Completed, task()).await;
    store.age_ended(secs(3600)).await;
    store.ended(Status::Failed, task()).await;
    store.age_ended(secs(10 * 60)).await;
    for status in [Status::Completed, Status::Completed, Status::Cancelled] {
        store.ended(status, task()).await;
    }
    let activity = store.activity().await.unwrap();
    let counted = activity.ended.iter().map(|minute| (minute.completed, minute.failed));
    let counted: Vec<_> = (0..).zip(counted).filter(|(_, counts)| *counts != (0, 0)).collect();
    assert_eq!(counted, [(49, (0, 1)), (59, (2, 0))]);
}

/// H2: an hour counts the tasks that are due before the next hour begins.
async fn scheduled_task_is_counted_in_its_hour(store: &Harness) {
    for minutes in [1, 59, 90, 23 * 60 + 30, 25 * 60] {
        store.put(task().after(secs(minutes * 60))).await;
    }
    store.put(task()).await;
    let due = store.activity().await.unwrap().due;
    let due: Vec<_> = (0..).zip(due).filter(|(_, tasks)| *tasks > 0).collect();
    assert_eq!(due, [(0, 2), (1, 1), (23, 1)]);
}
