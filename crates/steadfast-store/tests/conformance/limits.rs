//! Limits of input (K4): invalid input is rejected, and nothing is written.

use serde_json::value::RawValue;
use serde_json::{Value, json};
use steadfast::policy::Draft;
use steadfast_store::{
    ClaimRequest, Filter, MAX_LEASE, MAX_NAME, MAX_PAYLOAD, PageRequest, Requeue, Settled, Status,
    StoreError, Task, Verdict,
};

use crate::harness::*;

cases![
    payload_of_a_mebibyte_is_accepted,
    longer_payload_is_rejected,
    result_longer_than_a_mebibyte_is_rejected,
    payload_that_is_not_json_is_rejected,
    deeply_nested_payload_is_rejected,
    any_text_is_stored_unchanged,
    u0000_is_rejected_and_its_spelling_is_not,
    empty_long_or_unprintable_name_is_rejected,
    name_may_be_any_other_text,
    hold_category_without_a_category_is_rejected,
    policy_that_cannot_be_stored_is_rejected,
    worker_without_a_name_is_rejected,
    lease_below_a_second_is_rejected,
    lease_above_a_day_is_rejected,
    pause_without_a_queue_name_is_rejected,
    filter_with_an_invalid_name_is_rejected,
];

/// The rejected field of a task that was not stored.
async fn rejected(store: &Harness, task: Task) -> String {
    let rejected = store.submit(task).await.unwrap_err();
    assert_eq!(store.ids(&Filter::all()).await, []);
    field(rejected)
}

fn field(rejected: StoreError) -> String {
    match rejected {
        StoreError::Invalid(problem) => problem.field().to_owned(),
        other => panic!("{other}"),
    }
}

/// A text of this many bytes as JSON, quotes included.
fn text(bytes: usize) -> String {
    "x".repeat(bytes - 2)
}

/// K4: 1 MiB of JSON.
async fn payload_of_a_mebibyte_is_accepted(store: &Harness) {
    let id = store.put(Task::new("send", &text(MAX_PAYLOAD))).await;
    assert_eq!(store.show(id).await.payload, Value::String(text(MAX_PAYLOAD)));
    assert_eq!(store.claim_one().await.payload.len(), MAX_PAYLOAD);
}

/// K4: one byte more is rejected, and the error says what to do instead.
async fn longer_payload_is_rejected(store: &Harness) {
    let large = || Task::new("send", &text(MAX_PAYLOAD + 1));
    assert_eq!(rejected(store, large()).await, "payload");
    let message = store.submit(large()).await.unwrap_err().to_string();
    assert!(message.contains("1048577") && message.contains("elsewhere"), "{message}");
}

/// K4: the worker still holds the task, and can send a shorter result.
async fn result_longer_than_a_mebibyte_is_rejected(store: &Harness) {
    let task = store.running(task()).await;
    let result = |bytes| Verdict::Completed { result: Some(format!("{:?}", text(bytes))) };
    let large = store.settle(vec![settlement(&task, result(MAX_PAYLOAD + 1))]).await;
    assert_eq!(field(large.unwrap_err()), "result");
    assert_eq!(store.status(task.id).await, Status::Running);
    assert_eq!(store.settle_one(&task, result(MAX_PAYLOAD)).await, Settled::Accepted);
    assert_eq!(store.show(task.id).await.result, Some(Value::String(text(MAX_PAYLOAD))));
}

/// K4: at submission.
async fn payload_that_is_not_json_is_rejected(store: &Harness) {
    let no_keys = std::collections::HashMap::from([((1, 2), 3)]);
    assert_eq!(rejected(store, Task::new("send", &no_keys)).await, "payload");
    let too_large = RawValue::from_string("[1e999]".to_owned()).unwrap();
    assert_eq!(rejected(store, Task::new("send", &too_large)).await, "payload");
}

/// K4: a value that cannot be decoded would break every list with it.
async fn deeply_nested_payload_is_rejected(store: &Harness) {
    let nested = |depth| (0..depth).fold(json!(1), |inner, _| json!([inner]));
    assert_eq!(rejected(store, Task::new("send", &nested(200))).await, "payload");
    let id = store.put(Task::new("send", &nested(100))).await;
    assert_eq!(store.show(id).await.payload, nested(100));
}

/// K4: a payload may be any text.
async fn any_text_is_stored_unchanged(store: &Harness) {
    let texts =
        ["", "\u{1}\u{7f}\u{85}\u{feff}", "🧾👩‍👩‍👧\u{10ffff}", "\r\n\t\"'\\;--$1%s", "ﷺ\u{202e}"];
    for text in texts {
        let payload = json!({ text: [text] });
        let id = store.put(Task::new("send", &payload)).await;
        assert_eq!(store.show(id).await.payload, payload);
        let claimed = store.claim_one().await;
        assert_eq!(serde_json::from_str::<Value>(&claimed.payload).unwrap(), payload);
        let result = Some(payload.to_string());
        store.settle_one(&claimed, Verdict::Completed { result }).await;
        assert_eq!(store.show(id).await.result, Some(payload));
    }
}

/// K4: the character cannot be stored; its six-letter escape can.
async fn u0000_is_rejected_and_its_spelling_is_not(store: &Harness) {
    for text in ["\0", "a\0", "\\\0"] {
        assert_eq!(rejected(store, Task::new("send", text)).await, "payload", "{text:?}");
    }
    for text in [r"\u0000", r"\\u0000", r"a\u0000b"] {
        let id = store.put(Task::new("send", text)).await;
        assert_eq!(store.show(id).await.payload, Value::from(text));
    }
}

/// K4: each name of a task by itself.
async fn empty_long_or_unprintable_name_is_rejected(store: &Harness) {
    let long = "x".repeat(MAX_NAME + 1);
    for name in ["", long.as_str(), "a\0b", "a\nb", "\u{7f}"] {
        assert_eq!(rejected(store, Task::new(name, &1)).await, "kind", "{name:?}");
        assert_eq!(rejected(store, task().queue(name)).await, "queue", "{name:?}");
        assert_eq!(rejected(store, task().category(name)).await, "category", "{name:?}");
        assert_eq!(rejected(store, task().key(name)).await, "idempotency_key", "{name:?}");
        let correlated = task().correlation_id(name);
        assert_eq!(rejected(store, correlated).await, "correlation_id", "{name:?}");
    }
}

/// K4: every other name is valid.
async fn name_may_be_any_other_text(store: &Harness) {
    let longest = "é".repeat(MAX_NAME);
    for name in ["a b", "Ünïcode🧾", "'; DROP TABLE x; --", "%_", "null", longest.as_str()] {
        let id = store.put(Task::new(name, &1).queue(name).category(name)).await;
        let request = ClaimRequest::new(name, 9).queue(name).categories([name]);
        assert_eq!(store.claimed(&request).await, [id], "{name}");
        let filter = Filter::all().queue(name).category(name).kind(name);
        assert_eq!(store.ids(&filter).await, [id], "{name}");
    }
}

/// D17: at submission, not at the first rate limit.
async fn hold_category_without_a_category_is_rejected(store: &Harness) {
    assert_eq!(rejected(store, task().hold_category()).await, "hold_category");
}

/// K4: one task's policy must not break the rollups.
async fn policy_that_cannot_be_stored_is_rejected(store: &Harness) {
    let long = "x".repeat(MAX_NAME + 1);
    let under = |draft: Draft| task().under(draft.build().unwrap());
    assert_eq!(rejected(store, under(Draft::new().id(long.as_str()))).await, "policy.id");
    assert_eq!(rejected(store, under(Draft::new().id("a\0b"))).await, "policy.id");
    assert_eq!(rejected(store, under(Draft::new().description("a\0b"))).await, "policy");
    assert_eq!(rejected(store, under(Draft::new().description(long.repeat(64)))).await, "policy");
    store.put(under(Draft::new().id("x".repeat(MAX_NAME)).description(long))).await;
}

/// D2: a lease has an owner, whose name follows the same rules.
async fn worker_without_a_name_is_rejected(store: &Harness) {
    let id = store.put(task()).await;
    let long = "x".repeat(MAX_NAME + 1);
    for name in ["", long.as_str(), "a\0b"] {
        let rejected = store.claim(&ClaimRequest::new(name, 1)).await.unwrap_err();
        assert_eq!(field(rejected), "worker", "{name:?}");
        assert_eq!(field(store.reclaim_expired(name, 1).await.unwrap_err()), "worker", "{name:?}");
    }
    assert_eq!(store.status(id).await, Status::Pending);
}

/// D7: a shorter one would expire before its first heartbeat.
async fn lease_below_a_second_is_rejected(store: &Harness) {
    let task = store.running(task()).await;
    let request = ClaimRequest::new("w1", 1).lease(millis(999));
    assert_eq!(field(store.claim(&request).await.unwrap_err()), "lease");
    let heartbeat = store.heartbeat(&[task.fencing_token], &[], millis(999)).await;
    assert_eq!(field(heartbeat.unwrap_err()), "lease");
    assert_eq!(store.claimed(&request.lease(secs(1))).await, []);
}

/// D7: after a worker is lost, its tasks would wait years for a longer one to expire; it is likely
/// a value in milliseconds.
async fn lease_above_a_day_is_rejected(store: &Harness) {
    let id = store.put(task()).await;
    let too_long = MAX_LEASE + secs(1);
    let request = ClaimRequest::new("w1", 1).lease(too_long);
    assert_eq!(field(store.claim(&request).await.unwrap_err()), "lease");
    assert_eq!(store.status(id).await, Status::Pending);
    let request = request.lease(MAX_LEASE);
    let token = store.claim(&request).await.unwrap().tasks[0].fencing_token;
    let heartbeat = store.heartbeat(&[token], &[], too_long).await;
    assert_eq!(field(heartbeat.unwrap_err()), "lease");
    store.heartbeat(&[token], &[], MAX_LEASE).await.unwrap();
}

/// D10: a queue name that no task can have is rejected.
async fn pause_without_a_queue_name_is_rejected(store: &Harness) {
    for name in ["", "a\0b"] {
        assert_eq!(field(store.pause(name, &operator()).await.unwrap_err()), "queue");
        assert_eq!(field(store.resume(name, &operator()).await.unwrap_err()), "queue");
    }
    assert_eq!(store.queues().await.unwrap(), []);
}

/// K4: a name that no task can have is rejected wherever it is given.
async fn filter_with_an_invalid_name_is_rejected(store: &Harness) {
    store.put(task().category("c").key("k")).await;
    for name in ["", "a\0b"] {
        let filters = [
            (Filter::all().queue(name), "queue"),
            (Filter::all().category(name), "category"),
            (Filter::all().kind(name), "kind"),
        ];
        for (filter, expected) in filters {
            let rejected = store.tasks(&filter, &PageRequest::default()).await;
            assert_eq!(field(rejected.unwrap_err()), expected, "{name:?}");
            let rejected = store.requeue_all(&filter, &Requeue::fresh(), &operator()).await;
            assert_eq!(field(rejected.unwrap_err()), expected, "{name:?}");
        }
        assert_eq!(field(store.task_by_key(name).await.unwrap_err()), "idempotency_key");
        let request = ClaimRequest::new("w1", 9);
        let rejected = store.claim(&request.clone().queue(name)).await;
        assert_eq!(field(rejected.unwrap_err()), "queue");
        let rejected = store.claim(&request.categories([name])).await;
        assert_eq!(field(rejected.unwrap_err()), "category");
    }
}
