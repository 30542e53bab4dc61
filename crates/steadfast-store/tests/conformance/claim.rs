//! Claims (D5).

use steadfast::decide::Progress;
use steadfast_store::{ClaimRequest, Filter, QueueLimit, Status, Task};

use crate::harness::*;

cases![
    claimed_task_is_complete,
    claim_respects_its_limit,
    claim_is_restricted_to_its_queues,
    claim_without_queues_is_for_all,
    missing_queue_is_empty,
    queue_limit_is_respected,
    empty_claim_creates_no_lease,
    claim_with_limit_zero_is_empty,
    claim_returns_the_store_time,
    claim_continues_from_a_cursor,
    claim_is_restricted_to_its_kinds,
    claim_merges_queues_in_claim_order,
    claim_respects_its_byte_limit,
];

/// D2, D18: a claim has everything that a worker needs, without a second request.
async fn claimed_task_is_complete(store: &Harness) {
    let submitted = Task::new("send", &[1, 2])
        .queue("mail")
        .category("customer-7")
        .priority(5)
        .under(a_minute_apart())
        .key("invoice-42")
        .correlation_id("request-1")
        .hold_category();
    let task = store.running(submitted).await;
    assert_eq!((task.kind.as_str(), task.payload.as_str()), ("send", "[1,2]"));
    assert_eq!((task.queue.as_str(), task.category.as_deref()), ("mail", Some("customer-7")));
    assert_eq!((task.priority, task.progress), (5, Progress::default()));
    assert_eq!(*task.policy, a_minute_apart());
    assert_eq!(task.idempotency_key.as_deref(), Some("invoice-42"));
    assert_eq!(task.correlation_id.as_deref(), Some("request-1"));
    assert!(task.hold_category);
    assert_eq!((task.expires_at, task.counted_from), (None, task.submitted_at));
    assert_eq!(task.submitted_at, store.show(task.id).await.submitted_at);
}

/// D13: a worker never holds more tasks than it requested.
async fn claim_respects_its_limit(store: &Harness) {
    store.put_many(5).await;
    assert_eq!(store.claim_batch(3).await.len(), 3);
    assert_eq!(store.claim_batch(3).await.len(), 2);
    assert_eq!(store.claim_batch(3).await.len(), 0);
}

/// D5: a worker chooses its queues.
async fn claim_is_restricted_to_its_queues(store: &Harness) {
    let mail = store.put(task().queue("mail")).await;
    let print = store.put(task().queue("print")).await;
    store.put(task().queue("scan")).await;
    let request = ClaimRequest::new("w1", 10).queue("print").queue("mail");
    assert_eq!(store.claimed(&request).await, [mail, print]);
}

/// D5: a worker without a choice of queues serves all of them.
async fn claim_without_queues_is_for_all(store: &Harness) {
    let mail = store.put(task().queue("mail")).await;
    let print = store.put(task().queue("print")).await;
    assert_eq!(store.claimed(&ClaimRequest::new("w1", 10)).await, [mail, print]);
}

/// D5: a worker may wait on a queue before its first task is submitted.
async fn missing_queue_is_empty(store: &Harness) {
    store.put(task()).await;
    let request = ClaimRequest::new("w1", 10).queue("nowhere");
    assert_eq!(store.claimed(&request).await, []);
    assert_eq!(store.claimed(&request.queue("default")).await.len(), 1);
}

/// D13: concurrency limits are per queue as well.
async fn queue_limit_is_respected(store: &Harness) {
    for queue in ["mail", "print"] {
        let batch = tasks(4).into_iter().map(|task| task.queue(queue)).collect();
        store.submit_all(batch).await.unwrap();
    }
    let queue_limit =
        |queue: &str, limit| QueueLimit { queue: queue.to_owned(), limit, after: None };
    let mut request = ClaimRequest::new("w1", 10);
    request.queues = vec![queue_limit("mail", 1), queue_limit("print", 3)];
    let claimed = store.claim(&request).await.unwrap().tasks;
    let from = |queue| claimed.iter().filter(|task| task.queue == queue).count();
    assert_eq!((from("mail"), from("print")), (1, 3));
    request.limit = 2;
    assert_eq!(store.claimed(&request).await.len(), 2, "the claim has a limit, too");
}

/// D7: without tasks there is no lease to extend.
async fn empty_claim_creates_no_lease(store: &Harness) {
    assert!(store.claim_batch(10).await.is_empty());
    store.expire_leases().await;
    assert!(store.reclaim_expired("w2", 10).await.unwrap().is_empty());
}

/// K4: zero is a valid limit.
async fn claim_with_limit_zero_is_empty(store: &Harness) {
    let id = store.put(task()).await;
    assert!(store.claim_batch(0).await.is_empty());
    assert_eq!(store.status(id).await, Status::Pending);
}

/// D4: every claim has the store's time, so that workers need no clock of their own.
async fn claim_returns_the_store_time(store: &Harness) {
    for expected in [0, 1] {
        let before = store.now().await.unwrap();
        let claims = store.claim(&ClaimRequest::new("w1", 1)).await.unwrap();
        let after = store.now().await.unwrap();
        assert_eq!(claims.tasks.len(), expected);
        assert!((before..=after).contains(&claims.now), "{before} {} {after}", claims.now);
        store.put(task()).await;
    }
}

/// D5, D6: a worker that claims batch after batch can continue from a cursor, and finds tasks that
/// were added before the cursor when it starts from the head again.
async fn claim_continues_from_a_cursor(store: &Harness) {
    let ids = store.put_many(4).await;
    let first = store.claim_batch(2).await;
    let ahead = store.put(task().priority(1)).await;
    let cursor = first.last().map(|task| task.cursor());
    let mut request = ClaimRequest::new("w1", 10).queue("default");
    request.queues[0].after = cursor;
    assert_eq!(store.claimed(&request).await, ids[2..]);
    request.queues[0].after = None;
    assert_eq!(store.claimed(&request).await, [ahead]);
}

/// D19: a worker claims only the kinds that it can run, in claim order and within its limits, and
/// leaves the others to other workers.
async fn claim_is_restricted_to_its_kinds(store: &Harness) {
    let mut ids = Vec::new();
    for kind in ["send", "print", "send", "scan", "print"] {
        ids.push(store.put(Task::new(kind, &()).category("a")).await);
    }
    let kinds = |limit| ClaimRequest::new("w1", limit).kinds(["print", "fax", "scan"]);
    assert_eq!(store.claimed(&kinds(2)).await, [ids[1], ids[3]]);
    let of_category = kinds(9).categories(["a"]);
    assert_eq!(store.claimed(&of_category).await, [ids[4]]);
    assert_eq!(store.claimed(&kinds(9)).await, []);
    let nothing: [&str; 0] = [];
    assert_eq!(store.claimed(&ClaimRequest::new("w1", 9).kinds(nothing)).await, []);
    assert_eq!(store.claim_batch(9).await.len(), 2, "the other kinds are still pending");
}

/// D5: tasks of several queues are claimed in one claim order, and from each queue at most its
/// limit.
async fn claim_merges_queues_in_claim_order(store: &Harness) {
    let mut ids = Vec::new();
    for number in 0..12 {
        let kind = ["send", "print", "scan"][number % 3];
        let task = Task::new(kind, &()).queue(format!("q{}", number % 4)).category(kind);
        ids.push(store.put(task).await);
    }
    let urgent = store.put(Task::new("scan", &()).queue("q3").priority(1)).await;
    let picked =
        |numbers: &[usize]| -> Vec<_> { numbers.iter().map(|&number| ids[number]).collect() };

    let mut request = ClaimRequest::new("w1", 4).kinds(["print", "scan"]);
    assert_eq!(store.claimed(&request).await, [vec![urgent], picked(&[1, 2, 4])].concat());
    request = request.queue("q0").queue("q1").queue("q3");
    request.queues[1].limit = 1;
    assert_eq!(store.claimed(&request).await, picked(&[5, 7, 8, 11]));

    let of_categories = ClaimRequest::new("w1", 3).categories(["send", "scan", "send"]);
    assert_eq!(store.claimed(&of_categories).await, picked(&[0, 3, 6]));
    assert_eq!(store.claimed(&ClaimRequest::new("w1", 2)).await, picked(&[9, 10]));
    assert_eq!(store.claimed(&ClaimRequest::new("w1", 2)).await, []);
}

/// D4, K4: tasks that exceed the byte limit of the response are not claimed, and the next claim
/// gets them.
async fn claim_respects_its_byte_limit(store: &Harness) {
    for category in ["a", "b"] {
        for _ in 0..6 {
            store.put(Task::new("send", &"x".repeat(98)).category(category)).await;
        }
    }
    let all = store.ids(&Filter::status(Status::Pending)).await;
    let some = ClaimRequest::new("w1", 10).bytes(250);
    assert_eq!(store.claimed(&some).await, all[..3]);
    assert_eq!(store.ids(&Filter::status(Status::Running)).await.len(), 3);
    // At least one task is claimed, whatever its size.
    assert_eq!(store.claimed(&ClaimRequest::new("w1", 10).bytes(1)).await, all[3..4]);
    let of_category = ClaimRequest::new("w1", 10).categories(["a", "b"]).bytes(250);
    assert_eq!(store.claimed(&of_category).await, all[4..7]);
    assert_eq!(store.claimed(&ClaimRequest::new("w1", 10).bytes(1 << 20)).await, all[7..]);
}
