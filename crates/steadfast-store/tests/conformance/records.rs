//! Records of sessions and events (O1).

use serde_json::{Value, json};
use steadfast_store::{Cursor, PageRequest, Record, RecordKind, StoreError};

use crate::harness::*;

cases![
    record_is_stored_unchanged,
    records_are_listed_newest_first_by_kind,
    records_are_paginated,
    reader_that_continues_misses_no_record,
    empty_batch_of_records_is_accepted,
    invalid_cursor_is_rejected,
];

async fn bodies(store: &Harness, kind: RecordKind, page: &PageRequest) -> Vec<Value> {
    let records = store.records(kind, page).await.unwrap();
    records.items.into_iter().map(|record| record.body).collect()
}

/// O1: with a number that only grows and the store's time.
async fn record_is_stored_unchanged(store: &Harness) {
    let body =
        json!({ "session_id": "s", "text": "é🧾\u{0} \\u0000 \"", "n": [1.5, -3, null, true] });
    let before = store.now().await.unwrap();
    store.record(&[Record::new(RecordKind::Session, body.clone())]).await.unwrap();
    let stored = store.records(RecordKind::Session, &PageRequest::default()).await.unwrap();
    let stored = &stored.items[0];
    assert_eq!((stored.kind, &stored.body), (RecordKind::Session, &body));
    assert!(stored.number.is_some());
    assert!((before..=store.now().await.unwrap()).contains(&stored.at.unwrap()));
}

/// O1: sessions and events are two lists.
async fn records_are_listed_newest_first_by_kind(store: &Harness) {
    let kinds = [RecordKind::Session, RecordKind::Event];
    let records: Vec<_> =
        (0..6).map(|number| Record::new(kinds[number % 2], json!(number))).collect();
    store.record(&records).await.unwrap();
    store.record(&[Record::new(RecordKind::Event, json!(7))]).await.unwrap();
    let page = PageRequest::default();
    assert_eq!(bodies(store, RecordKind::Session, &page).await, [4, 2, 0].map(Value::from));
    assert_eq!(bodies(store, RecordKind::Event, &page).await, [7, 5, 3, 1].map(Value::from));
}

/// H1: each once, while others are written.
async fn records_are_paginated(store: &Harness) {
    let record = |number| Record::new(RecordKind::Event, json!(number));
    store.record(&(0..7).map(record).collect::<Vec<_>>()).await.unwrap();
    let mut page = PageRequest { limit: 3, after: None };
    let mut read = Vec::new();
    loop {
        let part = store.records(RecordKind::Event, &page).await.unwrap();
        read.extend(part.items.into_iter().map(|record| record.body));
        if part.next.is_none() {
            break;
        }
        page.after = part.next;
        store.record(&[record(100)]).await.unwrap();
    }
    assert_eq!(read, [6, 5, 4, 3, 2, 1, 0].map(Value::from));
}

/// O1, H1: with many writers, a reader that continues from the last number gets everything, in
/// order.
async fn reader_that_continues_misses_no_record(store: &Harness) {
    let mut writers = tokio::task::JoinSet::new();
    for writer in 0..8 {
        let store = store.another().await;
        writers.spawn(async move {
            for number in 0..25 {
                let record = Record::new(RecordKind::Event, json!([writer, number]));
                store.record(&[record.clone(), record]).await.unwrap();
            }
        });
    }
    let (mut last, mut read) = (0, 0);
    while read < 8 * 25 * 2 {
        for record in store.records_after(RecordKind::Event, last, 7).await.unwrap() {
            assert!(record.number.unwrap() > last);
            last = record.number.unwrap();
            read += 1;
        }
    }
    writers.join_all().await;
    assert_eq!(store.records_after(RecordKind::Event, last, 7).await.unwrap(), []);
    assert_eq!(store.records_after(RecordKind::Session, 0, 7).await.unwrap(), []);
}

/// K4: nothing is written.
async fn empty_batch_of_records_is_accepted(store: &Harness) {
    store.record(&[]).await.unwrap();
    assert!(bodies(store, RecordKind::Event, &PageRequest::default()).await.is_empty());
}

/// K4: a made-up cursor is an input error.
async fn invalid_cursor_is_rejected(store: &Harness) {
    for text in ["", "x", "1.5", "99999999999999999999"] {
        let page = PageRequest { limit: 1, after: Some(Cursor(text.to_owned())) };
        let rejected = store.records(RecordKind::Event, &page).await;
        assert!(
            matches!(rejected, Err(StoreError::Invalid(why)) if why.field() == "after"),
            "{text}"
        );
    }
}
