//! H1: executions are listed newest first, a page at a time, by status and by workflow.

use serde_json::{Value, json};
use steadfast_flow::{ExecutionFilter, ExecutionId, ExecutionStatus};
use steadfast_store::{Cursor, PageRequest};

use crate::harness::{Harness, operator, parsed};

async fn pages(store: &Harness, filter: &ExecutionFilter) -> Vec<ExecutionId> {
    let mut page = PageRequest { limit: 2, after: None };
    let mut ids = Vec::new();
    loop {
        let part = store.flow.executions(filter, &page).await.unwrap();
        ids.extend(part.items.iter().map(|execution| execution.id));
        match part.next {
            Some(next) => page.after = Some(next),
            None => return ids,
        }
    }
}

/// H1: every filter, page by page, without duplicates.
async fn executions_are_listed_newest_first(store: Harness) {
    let named =
        |name: &str| parsed(json!({ "name": name, "nodes": [{ "nodeId": "a", "type": "do" }] }));
    let mut ids = Vec::new();
    for number in 0..6 {
        let name = if number % 2 == 0 { "even" } else { "odd" };
        ids.push(store.start(&named(name), Value::Null).await);
    }
    store.flow.cancel(ids[1], &operator()).await.unwrap();
    store.flow.cancel(ids[2], &operator()).await.unwrap();
    ids.reverse();
    let all = ExecutionFilter::all;
    assert_eq!(pages(&store, &all()).await, ids);
    assert_eq!(pages(&store, &all().workflow("odd")).await, [ids[0], ids[2], ids[4]]);
    let cancelled = all().status(ExecutionStatus::Cancelled);
    assert_eq!(pages(&store, &cancelled).await, [ids[3], ids[4]]);
    assert_eq!(pages(&store, &cancelled.workflow("odd")).await, [ids[4]]);
    assert_eq!(pages(&store, &all().workflow("neither")).await, []);
}

/// K4: a cursor of another list and an invalid name are rejected.
async fn list_with_an_invalid_cursor_or_name_is_rejected(store: Harness) {
    let page = PageRequest { limit: 2, after: Some(Cursor("line:1".to_owned())) };
    let rejected = store.flow.executions(&ExecutionFilter::all(), &page).await.unwrap_err();
    assert!(rejected.to_string().starts_with("after: "), "{rejected}");
    let nameless = ExecutionFilter::all().workflow("");
    assert!(store.flow.executions(&nameless, &PageRequest::default()).await.is_err());
}

cases!(executions_are_listed_newest_first, list_with_an_invalid_cursor_or_name_is_rejected);
