//! The audit log (D10, K3).

use serde_json::json;
use steadfast_store::{
    Actor, AuditEntry, AuditQuery, Cursor, Filter, PageRequest, Requeue, Status, StoreError, TaskId,
};

use crate::harness::*;

cases![
    every_action_is_audited,
    rejected_action_is_not_audited,
    external_action_can_be_audited,
    batch_of_entries_is_written_together,
    entries_are_listed_newest_first,
    entries_are_filtered_by_target_and_actor,
    entries_are_filtered_by_action_and_time,
    page_scans_a_bounded_number_of_entries,
    invalid_name_is_rejected,
    entries_are_paginated,
    cursor_of_another_list_is_rejected,
    single_requeued_task_is_the_target,
    saved_workflow_is_audited_in_its_transaction,
];

async fn log(store: &Harness) -> Vec<AuditEntry> {
    store.audit_entries(&AuditQuery::default()).await.unwrap().items
}

fn query(change: impl FnOnce(&mut AuditQuery)) -> AuditQuery {
    let mut query = AuditQuery::default();
    change(&mut query);
    query
}

/// D10: action, target, actor and origin, with the store's time.
async fn every_action_is_audited(store: &Harness) {
    let before = store.now().await.unwrap();
    let by = Actor { name: "ops".to_owned(), origin: Some("10.0.0.7".to_owned()) };
    let id = store.put(task().after(secs(60))).await;
    store.set_expiry(id, None, &by).await.unwrap();
    store.run_now(id, &by).await.unwrap();
    store.cancel(id, &by).await.unwrap();
    store.requeue_all(&Filter::status(Status::Cancelled), &Requeue::fresh(), &by).await.unwrap();
    store.pause("default", &by).await.unwrap();
    store.resume("default", &by).await.unwrap();

    let mut log = log(store).await;
    log.reverse();
    let actions: Vec<_> = log.iter().map(|entry| entry.action.as_str()).collect();
    let expected = [
        "task.expiry",
        "task.run_now",
        "task.cancel",
        "tasks.requeue",
        "queue.pause",
        "queue.resume",
    ];
    assert_eq!(actions, expected);
    for entry in &log[..3] {
        assert_eq!(entry.target, Some(id.to_string()));
    }
    assert_eq!(log[3].detail["count"], json!(1));
    assert_eq!(log[3].detail["filter"]["status"], json!("cancelled"));
    assert_eq!(log[4].target.as_deref(), Some("default"));
    assert!(log.iter().all(|entry| entry.actor == by));
    let now = store.now().await.unwrap();
    assert!(log.iter().all(|entry| (before..=now).contains(&entry.at.unwrap())));
}

/// K3: the log has completed actions, not attempted ones.
async fn rejected_action_is_not_audited(store: &Harness) {
    let id = store.ended(Status::Completed, task()).await;
    for target in [id, TaskId::fresh()] {
        store.cancel(target, &operator()).await.unwrap_err();
        store.run_now(target, &operator()).await.unwrap_err();
        store.set_expiry(target, None, &operator()).await.unwrap_err();
    }
    store.requeue(TaskId::fresh(), true, &operator()).await.unwrap_err();
    assert_eq!(log(store).await, []);
}

/// K3: such as a policy reload or a page view.
async fn external_action_can_be_audited(store: &Harness) {
    let entry = AuditEntry::new(operator(), "policy.reload")
        .target("steadfast.yaml")
        .detail(json!({ "changed": ["patient", "🧾"], "note": null }));
    store.audit(&entry).await.unwrap();
    store.audit(&AuditEntry::new(operator(), "store.read")).await.unwrap();
    let log = log(store).await;
    assert!(log[1].number.is_some() && log[1].at.is_some());
    assert_eq!(AuditEntry { number: None, at: None, ..log[1].clone() }, entry);
    assert_eq!((&log[0].target, &log[0].detail), (&None, &json!(null)));
}

/// K3: many entries are written together, in their order.
async fn batch_of_entries_is_written_together(store: &Harness) {
    store.audit_all(&[]).await.unwrap();
    let from = Actor { origin: Some("192.0.2.1".to_owned()), ..operator() };
    let entries = [
        AuditEntry::new(from, "task.read").target("x").detail(json!({ "times": 3 })),
        AuditEntry::new(operator(), "task.submit"),
        AuditEntry::new(Actor::new("🧾"), "login"),
    ];
    store.audit_all(&entries).await.unwrap();
    let log = log(store).await.into_iter().rev();
    let bare = log.map(|entry| AuditEntry { number: None, at: None, ..entry });
    assert_eq!(bare.collect::<Vec<_>>(), entries);
}

/// K3: numbers only grow, whichever process writes.
async fn entries_are_listed_newest_first(store: &Harness) {
    let other = store.another().await;
    for process in [store, &other, store, &other] {
        process.audit(&AuditEntry::new(operator(), "store.read")).await.unwrap();
    }
    let numbers: Vec<_> = log(store).await.iter().map(|entry| entry.number).collect();
    assert!(numbers.len() == 4 && numbers.is_sorted_by(|one, next| one > next), "{numbers:?}");
}

/// K3: the actions on one target, and the actions of one actor.
async fn entries_are_filtered_by_target_and_actor(store: &Harness) {
    for (actor, target) in [("a", "x"), ("b", "x"), ("a", "y")] {
        let entry = AuditEntry::new(Actor::new(actor), "store.read").target(target);
        store.audit(&entry).await.unwrap();
    }
    let count = async |query: AuditQuery| store.audit_entries(&query).await.unwrap().items.len();
    assert_eq!(count(query(|query| query.target = Some("x".to_owned()))).await, 2);
    assert_eq!(count(query(|query| query.actor = Some("a".to_owned()))).await, 2);
    let both = query(|query| {
        query.target = Some("x".to_owned());
        query.actor = Some("a".to_owned());
    });
    assert_eq!(count(both).await, 1);
    assert_eq!(count(query(|query| query.target = Some("z".to_owned()))).await, 0);
}

/// K3: the entries of one action, and those since a time.
async fn entries_are_filtered_by_action_and_time(store: &Harness) {
    let entry = |actor: &str, action: &str| AuditEntry::new(Actor::new(actor), action).target("x");
    store.audit(&entry("a", "queue.pause")).await.unwrap();
    store.age_audit(secs(60)).await;
    let later = store.now().await.unwrap() - secs(30);
    for (actor, action) in [("a", "queue.resume"), ("b", "queue.pause"), ("a", "queue.pause")] {
        store.audit(&entry(actor, action)).await.unwrap();
    }
    let mut filter = query(|query| query.action = Some("queue.pause".to_owned()));
    let count = async |query: &AuditQuery| {
        let page = store.audit_entries(query).await.unwrap();
        assert_eq!(page.next, None);
        page.items.len()
    };
    assert_eq!(count(&filter).await, 3);
    filter.actor = Some("a".to_owned());
    assert_eq!(count(&filter).await, 2);
    filter.target = Some("x".to_owned());
    assert_eq!(count(&filter).await, 2);
    filter.since = Some(later);
    assert_eq!(count(&filter).await, 1);
    assert_eq!(count(&query(|query| query.since = Some(later))).await, 3);
    assert_eq!(count(&query(|query| query.action = Some("queue".to_owned()))).await, 0);
}

/// K4: a rare action is not searched for in the whole log at once: each page has a cursor to
/// continue from, and all pages together have every matching entry.
async fn page_scans_a_bounded_number_of_entries(store: &Harness) {
    let entries =
        |action: &str, many: usize| vec![AuditEntry::new(operator(), action).target("x"); many];
    store.audit_all(&entries("queue.pause", 2)).await.unwrap();
    store.audit_all(&entries("store.read", 10_000)).await.unwrap();
    store.audit_all(&entries("queue.pause", 1)).await.unwrap();
    for target in [None, Some("x".to_owned())] {
        let mut query = query(|query| query.action = Some("queue.pause".to_owned()));
        query.target = target;
        let first = store.audit_entries(&query).await.unwrap();
        assert_eq!(first.items.len(), 1);
        query.page.after = Some(first.next.unwrap());
        let second = store.audit_entries(&query).await.unwrap();
        assert_eq!((second.items.len(), second.next), (2, None));
        // No entry after this time exists.
        query.page.after = None;
        query.since = Some(store.now().await.unwrap() + secs(60));
        let late = store.audit_entries(&query).await.unwrap();
        assert_eq!((late.items.len(), late.next), (0, None));
    }
}

/// K4: text that the database cannot store is an input error, not a database error.
async fn invalid_name_is_rejected(store: &Harness) {
    let invalid = [
        query(|query| query.target = Some("\0".to_owned())),
        query(|query| query.actor = Some("a\0b".to_owned())),
        query(|query| query.action = Some("a\0b".to_owned())),
    ];
    for invalid in invalid {
        let rejected = store.audit_entries(&invalid).await;
        assert!(matches!(rejected, Err(StoreError::Invalid(_))), "{rejected:?}");
    }
}

/// H1: by cursor, like every list.
async fn entries_are_paginated(store: &Harness) {
    for number in 0..7 {
        let entry = AuditEntry::new(operator(), "store.read").target(number);
        store.audit(&entry).await.unwrap();
    }
    let mut query = query(|query| query.page.limit = 3);
    let mut pages = Vec::new();
    loop {
        let page = store.audit_entries(&query).await.unwrap();
        pages
            .push(page.items.iter().map(|entry| entry.target.clone().unwrap()).collect::<String>());
        if page.next.is_none() {
            break;
        }
        query.page.after = page.next;
    }
    assert_eq!(pages, ["654", "321", "0"]);
}

/// H1: a cursor of another list is an input error.
async fn cursor_of_another_list_is_rejected(store: &Harness) {
    let query = query(|query| query.page.after = Some(Cursor("somewhere".to_owned())));
    let rejected = store.audit_entries(&query).await;
    assert!(matches!(rejected, Err(StoreError::Invalid(problem)) if problem.field() == "after"));
}

/// K3: a filter by the task's id finds its requeue.
async fn single_requeued_task_is_the_target(store: &Harness) {
    let id = store.ended(Status::Failed, task()).await;
    store.requeue(id, true, &operator()).await.unwrap();
    let query = query(|query| query.target = Some(id.to_string()));
    assert_eq!(store.audit_entries(&query).await.unwrap().items[0].action, "tasks.requeue");
}

/// K3, W1: the workflow and its audit entry are written together or not at all; a workflow that a
/// program saves without an actor is not audited.
async fn saved_workflow_is_audited_in_its_transaction(store: &Harness) {
    let unaudited = store.save_workflow("unaudited", "{}", None).await.unwrap();
    assert_eq!(log(store).await, []);
    let saved = store.save_workflow("saved", "[]", Some(&operator())).await.unwrap();
    let log = log(store).await;
    assert_eq!((log[0].action.as_str(), &log[0].actor), ("workflow.save", &operator()));
    assert_eq!((log.len(), &log[0].target), (1, &Some(saved.to_string())));
    // Older versions wrote `workflow.keep`: a filter by either name finds both.
    for action in ["workflow.save", "workflow.keep"] {
        let query = query(|query| query.action = Some(action.to_owned()));
        assert_eq!(store.audit_entries(&query).await.unwrap().items, log, "{action}");
    }

    store.drop_audit_log().await;
    store.save_workflow("lost", "[1]", Some(&operator())).await.unwrap_err();
    let stored = store.workflows(&PageRequest::default()).await.unwrap().items;
    let numbers: Vec<_> = stored.iter().map(|workflow| workflow.number).collect();
    assert_eq!(numbers, [saved, unaudited]);
}
