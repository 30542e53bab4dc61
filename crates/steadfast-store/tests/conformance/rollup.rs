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

/// O1: what waits or runs has not ended.
async fn empty_store_has_no_rollups(store: &Harness) {
    store.running(task()).await;
    store.put(task()).await;
    store.put(task().after(secs(60))).await;
    assert_eq!(last_hour(store).await, []);
}

/// O1: the subsystem is what the kind begins with; completed is a success, all else is none.
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

/// O1, D8: failures, waits that were asked for, and the success that ended it.
async fn every_call_counts_as_an_attempt(store: &Harness) {
    store.exhausted().await;
    let task = store.running(of_kind("send")).await;
    assert_eq!(store.fail(&task, unavailable()).await, Settled::Accepted);
    let task = store.take_one().await;
    assert_eq!(store.fail(&task, rate_limited(Duration::ZERO)).await, Settled::Accepted);
    store.promote(10).await.unwrap();
    let task = store.take_one().await;
    assert_eq!(store.complete(&task).await, Settled::Accepted);
    assert_eq!(shown(&last_hour(store).await), [("at-once", "send", 2, 1, 6, 3)]);
}

/// O1: as `max_duration` counts it, too.
async fn duration_is_from_submission_to_end(store: &Harness) {
    store.ended(Status::Completed, of_kind("send")).await;
    let quick = last_hour(store).await[0].duration;
    assert!(quick < secs(60), "{quick:?}");
    store.age_ended(secs(60)).await;
    let early = last_hour(store).await[0].duration;
    assert_eq!(early, Duration::ZERO, "a clock that was set back takes nothing away");
}

/// O1: both ends are within.
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

/// O1: what a process tried by itself counts by when it was recorded.
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

/// K4: whatever somebody wrote into the store, the figures can be asked for.
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

/// K4: U+0000 in what went wrong, or a name as long as a page, is one session like others.
async fn undecodable_text_is_ignored(store: &Harness) {
    let mut odd = session("calls", "shop.pay", false, 2);
    odd["error"] = json!("a\u{0}b");
    record(store, [odd, session(&random(5000), &random(5000), true, 1)]).await;
    let policy = Policy::immediate().id("odd").description("?").build().unwrap();
    store.ended(Status::Completed, task().under(policy)).await;
    store.has_policies_with_u0000().await;
    let counted = async || last_hour(store).await.iter().map(|sum| sum.sessions).sum::<u64>();
    assert_eq!(counted().await, 3);
    for id in ["calls", "odd"] {
        assert!(last_hour(store).await.iter().any(|sum| sum.policy_id == id), "{id}");
    }
    store.age_ended(secs(600)).await;
    store.age_records(secs(600)).await;
    store.sum_up_all().await;
    assert_eq!(counted().await, 3);
}

/// A text that does not become shorter by being compressed.
fn random(length: usize) -> String {
    (0..length).map(|_| fastrand::alphanumeric()).collect()
}

/// K4: more attempts than there can be are very many.
async fn absurd_number_is_clamped(store: &Harness) {
    let mut odd = session("calls", "shop.pay", false, u64::MAX);
    odd["total_duration"] = json!(f64::MAX);
    record(store, [odd.clone(), odd]).await;
    let sums = last_hour(store).await;
    assert_eq!(sums[0].attempts, 2_000_000_000_000);
    assert_eq!(sums[0].duration, Duration::from_secs(2_000_000_000_000));
}

/// K4: what is in it is lost to the figures, and nothing after it.
async fn minute_that_cannot_be_aggregated_is_skipped(store: &Harness) {
    record(store, [session("calls", "shop.pay", true, 1)]).await;
    store.spoil_records().await;
    store.age_records(secs(1200)).await;
    record(store, [session("calls", "shop.pay", true, 1)]).await;
    store.age_records(secs(600)).await;
    store.sum_up_all().await;
    assert_eq!(shown(&last_hour(store).await), [("calls", "shop", 1, 1, 1, 1)]);
}

/// O1: one that may still get an end is left alone, and one without any is stepped over.
async fn completed_minute_is_aggregated(store: &Harness) {
    store.sum_up_all().await;
    store.ended(Status::Completed, of_kind("send")).await;
    store.sum_up_all().await;
    store.forget_ended().await;
    assert_eq!(last_hour(store).await, [], "it was not summed up yet");
    let now = store.now().await.unwrap();
    assert_eq!(store.rollups(Timestamp::MIN, now).await.unwrap(), []);
}

/// O1: exactly as if they were counted one by one.
async fn rollup_stays_after_its_tasks_are_pruned(store: &Harness) {
    store.exhausted().await;
    for kind in ["mail.send", "mail.fetch", "shop.pay"] {
        store.ended(Status::Completed, of_kind(kind)).await;
    }
    record(store, [session("at-once", "mail.send", false, 7)]).await;
    store.age_ended(secs(600)).await;
    store.age_records(secs(600)).await;
    let counted = last_hour(store).await;
    store.sum_up_all().await;
    store.forget_ended().await;
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

/// O1: both ends are within, to the microsecond, summed up or not.
async fn window_within_a_minute_counts_its_part(store: &Harness) {
    let id = store.ended(Status::Completed, task()).await;
    store.age_ended(secs(600)).await;
    store.sum_up_all().await;
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

/// O1, D14: every worker does it.
async fn concurrent_rollups_count_once(store: &Harness) {
    for _ in 0..3 {
        store.ended(Status::Completed, of_kind("send")).await;
        store.age_ended(secs(120)).await;
    }
    store.age_ended(secs(600)).await;
    let others = [store.another().await, store.another().await];
    let [one, other] = &others;
    tokio::join!(store.sum_up_all(), one.sum_up_all(), other.sum_up_all());
    store.sum_up_all().await;
    assert_eq!(shown(&last_hour(store).await), [("at-once", "send", 3, 3, 3, 1)]);
}

/// D14: figures are kept for as long as what they are made of.
async fn rollups_are_pruned_with_the_records(store: &Harness) {
    store.ended(Status::Completed, of_kind("send")).await;
    store.age_ended(secs(1800)).await;
    store.sum_up_all().await;
    store.forget_ended().await;
    let mut retention = Retention::forever();
    retention.records_for = Some(secs(3600));
    store.prune(&retention).await.unwrap();
    assert_eq!(last_hour(store).await.len(), 1);
    retention.records_for = Some(secs(600));
    store.prune(&retention).await.unwrap();
    assert_eq!(last_hour(store).await, []);
}

/// O1, D4: what was summed up under a clock that ran ahead does not hide what ends now, and is
/// summed up when it is that late.
async fn clock_that_was_ahead_is_recovered(store: &Harness) {
    store.sum_up_all().await;
    store.sum_up_ahead(secs(86_400)).await;
    store.ended(Status::Completed, of_kind("send")).await;
    store.age_ended(secs(90)).await;
    assert_eq!(last_hour(store).await, []);
    store.sum_up_all().await;
    assert_eq!(shown(&last_hour(store).await), [("at-once", "send", 1, 1, 1, 1)]);
    let now = store.now().await.unwrap();
    let to_come = store.rollups(now + secs(60), now + secs(172_800)).await.unwrap();
    assert_eq!(to_come, [], "what was summed up too early is counted when it is over");
}
