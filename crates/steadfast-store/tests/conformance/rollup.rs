//! Rollups of ended sessions (O1).

use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};
use steadfast::Policy;
use steadfast_store::{Record, RecordKind, Retention, Rollup, Settled, Status, Task};

use crate::harness::*;

cases![
    empty_store_has_no_rollups,
    tasks_are_aggregated_by_policy_and_subsystem,
    every_call_counts_as_an_attempt,
    duration_is_from_submission_to_end,
    only_sessions_in_the_window_count,
    recorded_sessions_are_aggregated,
    invalid_session_record_is_ignored,
    undecodable_text_is_ignored,
    absurd_number_is_clamped,
    minute_that_cannot_be_aggregated_is_skipped,
    completed_minute_is_aggregated,
    rollup_stays_after_its_tasks_are_pruned,
    window_within_a_minute_counts_its_part,
    concurrent_rollups_count_once,
    rollups_are_pruned_with_the_records,
    clock_that_was_ahead_is_recovered,
];

async fn last_hour(store: &Harness) -> Vec<Rollup> {
    let now = store.now().await.unwrap();
    let mut sums = store.rollups(now - secs(3600), now + secs(1)).await.unwrap();
    sums.sort_by(|a, b| (&a.policy_id, &a.subsystem).cmp(&(&b.policy_id, &b.subsystem)));
    sums
}

/// Policy, subsystem, sessions, successes, attempts, most attempts.
fn shown(sums: &[Rollup]) -> Vec<(&str, &str, u64, u64, u64, u64)> {
    let row = |sum: &Rollup| (sum.sessions, sum.successful, sum.attempts, sum.most_attempts);
    sums.iter()
        .map(|sum| {
            let (sessions, successful, attempts, most) = row(sum);
            (&*sum.policy_id, &*sum.subsystem, sessions, successful, attempts, most)
        })
        .collect()
}

fn of_kind(kind: &str) -> Task {
    Task::new(kind, &json!(null)).under(at_once())
}

/// O1: open tasks have not ended.
async fn empty_store_has_no_rollups(store: &Harness) {
    store.running(task()).await;
    store.put(task()).await;
    store.put(task().after(secs(60))).await;
    assert_eq!(last_hour(store).await, []);
}

/// O1: the subsystem is the first part of the kind; only completed counts as a success.
async fn tasks_are_aggregated_by_policy_and_subsystem(store: &Harness) {
    store.ended(Status::Completed, of_kind("mail.send")).await;
    store.ended(Status::Completed, of_kind("mail.fetch.all")).await;
    store.ended(Status::Failed, of_kind("mail")).await;
    store.ended(Status::Cancelled, of_kind("shop.pay")).await;
    store.ended(Status::Completed, of_kind("shop.pay").under(a_minute_apart())).await;
    assert_eq!(
        shown(&last_hour(store).await),
        [
            ("a-minute-apart", "shop", 1, 1, 1, 1),
            ("at-once", "mail", 3, 2, 3, 1),
            ("at-once", "shop", 1, 0, 0, 0),
        ]
    );
}

/// O1, D8: failures, rate limit waits, and the final success.
async fn every_call_counts_as_an_attempt(store: &Harness) {
    store.exhausted().await;
    let task = store.running(of_kind("send")).await;
    assert_eq!(store.fail(&task, unavailable()).await, Settled::Accepted);
    let task = store.claim_one().await;
    assert_eq!(store.fail(&task, rate_limited(Duration::ZERO)).await, Settled::Accepted);
    store.promote(10).await.unwrap();
    let task = store.claim_one().await;
    assert_eq!(store.complete(&task).await, Settled::Accepted);
    assert_eq!(shown(&last_hour(store).await), [("at-once", "send", 2, 1, 6, 3)]);
}

/// O1: as for `max_duration`.
async fn duration_is_from_submission_to_end(store: &Harness) {
    store.ended(Status::Completed, of_kind("send")).await;
    let quick = last_hour(store).await[0].duration;
    assert!(quick < secs(60), "{quick:?}");
    store.age_ended(secs(60)).await;
    let early = last_hour(store).await[0].duration;
    assert_eq!(early, Duration::ZERO, "a clock that was set back gives no negative duration");
}

/// O1: both bounds are inclusive.
async fn only_sessions_in_the_window_count(store: &Harness) {
    let id = store.ended(Status::Completed, task()).await;
    let ended = store.show(id).await.ended_at.unwrap();
    let count = async |from, to| store.rollups(from, to).await.unwrap().len();
    let micro = Duration::from_micros(1);
    assert_eq!(count(ended, ended).await, 1);
    assert_eq!(count(ended + micro, ended + secs(1)).await, 0);
    assert_eq!(count(ended - secs(1), ended - micro).await, 0);
    assert_eq!(count(Timestamp::MIN, Timestamp::MAX).await, 1);
}

fn session(policy: &str, operation: &str, success: bool, attempts: u64) -> Value {
    json!({
        "policy_id": policy, "operation": operation, "success": success,
        "total_attempts": attempts, "total_duration": 1.5,
    })
}

async fn record(store: &Harness, bodies: impl IntoIterator<Item = Value>) {
    let records = bodies.into_iter().map(|body| Record::new(RecordKind::Session, body));
    store.record(&records.collect::<Vec<_>>()).await.unwrap();
}

/// O1: sessions of a process count by the time of their record.
async fn recorded_sessions_are_aggregated(store: &Harness) {
    store.ended(Status::Completed, of_kind("mail.send")).await;
    let mut long = session("calls", "shop.pay", false, 256);
    long["forgotten_attempts"] = json!(44);
    let mut named = session("calls", "pay", true, 2);
    named["subsystem"] = json!("shop");
    record(store, [named, long]).await;
    let sums = last_hour(store).await;
    assert_eq!(shown(&sums), [("at-once", "mail", 1, 1, 1, 1), ("calls", "shop", 2, 1, 302, 300)]);
    assert_eq!(sums[1].duration, secs(3));
    store.age_records(secs(7200)).await;
    assert_eq!(shown(&last_hour(store).await), [("at-once", "mail", 1, 1, 1, 1)]);
}

/// K4: whatever is in the store, the rollups can be read.
async fn invalid_session_record_is_ignored(store: &Harness) {
    let odd = json!({
        "policy_id": "odd", "operation": "", "success": "yes", "total_attempts": "many",
        "total_duration": -5, "forgotten_attempts": [1], "subsystem": 7,
    });
    record(store, [json!(7), json!(null), json!("text"), json!([1]), json!({}), odd]).await;
    let sums = last_hour(store).await;
    assert_eq!(shown(&sums), [("odd", "7", 1, 0, 0, 0)]);
    assert_eq!(sums[0].duration, Duration::ZERO);
}

/// K4: U+0000 in an error, or a very long name, still counts as one session.
async fn undecodable_text_is_ignored(store: &Harness) {
    let mut odd = session("calls", "shop.pay", false, 2);
    odd["error"] = json!("a\u{0}b");
    record(store, [odd, session(&random(5000), &random(5000), true, 1)]).await;
    let policy = Policy::immediate().id("odd").description("?").build().unwrap();
    store.ended(Status::Completed, task().under(policy)).await;
    store.put_u0000_into_policies().await;
    let counted = async || last_hour(store).await.iter().map(|sum| sum.sessions).sum::<u64>();
    assert_eq!(counted().await, 3);
    for id in ["calls", "odd"] {
        assert!(last_hour(store).await.iter().any(|sum| sum.policy_id == id), "{id}");
    }
    store.age_ended(secs(600)).await;
    store.age_records(secs(600)).await;
    store.rollup_all().await;
    assert_eq!(counted().await, 3);
}

/// A text that does not compress.
fn random(length: usize) -> String {
    (0..length).map(|_| fastrand::alphanumeric()).collect()
}

/// K4: an impossible number of attempts counts as the maximum.
async fn absurd_number_is_clamped(store: &Harness) {
    let mut odd = session("calls", "shop.pay", false, u64::MAX);
    odd["total_duration"] = json!(f64::MAX);
    record(store, [odd.clone(), odd]).await;
    let sums = last_hour(store).await;
    assert_eq!(sums[0].attempts, 2_000_000_000_000);
    assert_eq!(sums[0].duration, Duration::from_secs(2_000_000_000_000));
}

/// K4: its sessions are missing from the rollups, and later ones are not.
async fn minute_that_cannot_be_aggregated_is_skipped(store: &Harness) {
    record(store, [session("calls", "shop.pay", true, 1)]).await;
    store.corrupt_records().await;
    store.age_records(secs(1200)).await;
    record(store, [session("calls", "shop.pay", true, 1)]).await;
    store.age_records(secs(600)).await;
    store.rollup_all().await;
    assert_eq!(shown(&last_hour(store).await), [("calls", "shop", 1, 1, 1, 1)]);
}

/// O1: a minute that may still get a session is not aggregated, and an empty one is skipped.
async fn completed_minute_is_aggregated(store: &Harness) {
    store.rollup_all().await;
    store.ended(Status::Completed, of_kind("send")).await;
    store.rollup_all().await;
    store.prune_ended().await;
    assert_eq!(last_hour(store).await, [], "it was not aggregated yet");
    let now = store.now().await.unwrap();
    assert_eq!(store.rollups(Timestamp::MIN, now).await.unwrap(), []);
}

/// O1: equal to counting them one by one.
async fn rollup_stays_after_its_tasks_are_pruned(store: &Harness) {
    store.exhausted().await;
    for kind in ["mail.send", "mail.fetch", "shop.pay"] {
        store.ended(Status::Completed, of_kind(kind)).await;
    }
    record(store, [session("at-once", "mail.send", false, 7)]).await;
    store.age_ended(secs(600)).await;
    store.age_records(secs(600)).await;
    let counted = last_hour(store).await;
    store.rollup_all().await;
    store.prune_ended().await;
    let summed = last_hour(store).await;
    assert_eq!(
        shown(&summed),
        [
            ("at-once", "mail", 3, 2, 9, 7),
            ("at-once", "send", 1, 0, 3, 3),
            ("at-once", "shop", 1, 1, 1, 1),
        ]
    );
    let total = |sums: &[Rollup]| sums.iter().map(|sum| sum.duration.as_secs_f64()).sum::<f64>();
    assert!((total(&counted) - total(&summed)).abs() < 1e-3, "{counted:?} {summed:?}");
}

/// O1: both bounds are inclusive, to the microsecond, aggregated or not.
async fn window_within_a_minute_counts_its_part(store: &Harness) {
    let id = store.ended(Status::Completed, task()).await;
    store.age_ended(secs(600)).await;
    store.rollup_all().await;
    let ended = store.show(id).await.ended_at.unwrap();
    let count = async |from, to| store.rollups(from, to).await.unwrap().len();
    let micro = Duration::from_micros(1);
    assert_eq!(count(ended, ended).await, 1);
    assert_eq!(count(ended + micro, ended + secs(300)).await, 0);
    assert_eq!(count(ended - secs(300), ended - micro).await, 0);
    assert_eq!(count(ended - secs(300), ended).await, 1);
    assert_eq!(count(ended, ended + secs(300)).await, 1);
    assert_eq!(count(Timestamp::MIN, Timestamp::MAX).await, 1);
}

/// O1, D14: every worker aggregates.
async fn concurrent_rollups_count_once(store: &Harness) {
    for _ in 0..3 {
        store.ended(Status::Completed, of_kind("send")).await;
        store.age_ended(secs(120)).await;
    }
    store.age_ended(secs(600)).await;
    let others = [store.another().await, store.another().await];
    let [one, other] = &others;
    tokio::join!(store.rollup_all(), one.rollup_all(), other.rollup_all());
    store.rollup_all().await;
    assert_eq!(shown(&last_hour(store).await), [("at-once", "send", 3, 3, 3, 1)]);
}

/// D14: rollups have the retention of their records.
async fn rollups_are_pruned_with_the_records(store: &Harness) {
    store.ended(Status::Completed, of_kind("send")).await;
    store.age_ended(secs(1800)).await;
    store.rollup_all().await;
    store.prune_ended().await;
    let mut retention = Retention::forever();
    retention.records_for = Some(secs(3600));
    store.prune(&retention).await.unwrap();
    assert_eq!(last_hour(store).await.len(), 1);
    retention.records_for = Some(secs(600));
    store.prune(&retention).await.unwrap();
    assert_eq!(last_hour(store).await, []);
}

/// O1, D4: minutes aggregated under a clock that was ahead do not hide sessions that end now, and
/// are aggregated again when they are over.
async fn clock_that_was_ahead_is_recovered(store: &Harness) {
    store.rollup_all().await;
    store.rollup_ahead(secs(86_400)).await;
    store.ended(Status::Completed, of_kind("send")).await;
    store.age_ended(secs(90)).await;
    assert_eq!(last_hour(store).await, []);
    store.rollup_all().await;
    assert_eq!(shown(&last_hour(store).await), [("at-once", "send", 1, 1, 1, 1)]);
    let now = store.now().await.unwrap();
    let future = store.rollups(now + secs(60), now + secs(172_800)).await.unwrap();
    assert_eq!(future, [], "minutes that were aggregated too early are discarded");
}
