//! Handover of a session to the store (D12).

use std::io;

use steadfast::policy::Draft;
use steadfast::{Class, Fault, GaveUp, Hint, Policy, Reason, retry};
use steadfast_store::{Filter, PageRequest, RecordKind, Status, Task};

use crate::harness::*;

cases![
    session_with_a_durable_stage_becomes_a_task,
    task_uses_the_durable_stage,
    policy_without_a_durable_stage_submits_nothing,
    final_reason_is_not_handed_over,
    repeated_handover_is_one_task,
    long_hint_delays_the_task,
];

fn policy(durable: Option<Draft>) -> Policy {
    let policy = Policy::immediate().max_attempts(3);
    match durable {
        Some(stage) => policy.durable(stage).build().unwrap(),
        None => policy.build().unwrap(),
    }
}

fn a_week_later() -> Draft {
    Draft::new().schedule([secs(7 * 86_400), secs(14 * 86_400)]).max_attempts(3)
}

/// The error of a session that fails with this kind of error.
fn gave_up(policy: &Policy, kind: io::ErrorKind) -> GaveUp {
    retry(policy, || Err::<(), _>(io::Error::from(kind))).call().unwrap_err().into_gave_up()
}

/// D12: with its history, under an id that the caller gets.
async fn session_with_a_durable_stage_becomes_a_task(store: &Harness) {
    let policy = policy(Some(a_week_later()));
    let gave_up = gave_up(&policy, io::ErrorKind::ConnectionRefused);
    let task = Task::new("send-invoice", &42);
    let id = store.hand_over(&policy, &gave_up, task).await.unwrap().unwrap();
    let stored = store.show(id).await;
    assert_eq!((stored.status, stored.payload.as_u64()), (Status::Scheduled, Some(42)));
    assert_eq!(stored.scheduled_at, stored.submitted_at + secs(7 * 86_400));
    let attempts: Vec<_> = stored.faults.iter().map(|fault| (fault.attempt, fault.class)).collect();
    assert_eq!(attempts, [1, 2, 3].map(|attempt| (attempt, Class::Retryable)));
    assert_eq!(stored.last_error.unwrap().message, stored.faults[2].message);
    let explained: Vec<_> = stored.faults.iter().map(|fault| fault.why.is_some()).collect();
    assert_eq!(explained, [false, false, true], "only the stage's own decision is explained");
    let recorded = store.records(RecordKind::Event, &PageRequest::default()).await.unwrap().items;
    let types: Vec<_> = recorded.iter().map(|record| &record.body["event_type"]).collect();
    assert_eq!(types, ["handed_over"]);
    assert_eq!(recorded[0].body["session_id"], id.to_string());
}

/// D12: the session counts as its first attempt.
async fn task_uses_the_durable_stage(store: &Harness) {
    let policy = policy(Some(a_week_later()));
    let gave_up = gave_up(&policy, io::ErrorKind::ConnectionRefused);
    let id = store.hand_over(&policy, &gave_up, task()).await.unwrap().unwrap();
    store.run_now(id, &operator()).await.unwrap();
    let task = store.claim_one().await;
    assert_eq!((task.progress.attempts, task.policy.max_attempts()), (1, 3));
    store.fail(&task, unavailable()).await;
    let stored = store.show(id).await;
    assert_eq!(stored.scheduled_at, stored.last_attempt_at.unwrap() + secs(14 * 86_400));
    assert_eq!(stored.faults.len(), 4);
}

/// D12: the policy decides whether to hand over.
async fn policy_without_a_durable_stage_submits_nothing(store: &Harness) {
    let policy = policy(None);
    let gave_up = gave_up(&policy, io::ErrorKind::ConnectionRefused);
    assert_eq!(store.hand_over(&policy, &gave_up, task()).await.unwrap(), None);
    assert_eq!(store.ids(&Filter::all()).await, []);
}

/// D12: a later attempt would fail in the same way.
async fn final_reason_is_not_handed_over(store: &Harness) {
    let policy = policy(Some(a_week_later()));
    let gave_up = gave_up(&policy, io::ErrorKind::InvalidInput);
    assert_eq!(gave_up.reason, Reason::Final);
    assert_eq!(store.hand_over(&policy, &gave_up, task()).await.unwrap(), None);
    assert_eq!(store.ids(&Filter::all()).await, []);
}

/// D9: a handover is repeated when its response was lost.
async fn repeated_handover_is_one_task(store: &Harness) {
    let policy = policy(Some(a_week_later()));
    let gave_up = gave_up(&policy, io::ErrorKind::ConnectionRefused);
    let sent = task().key("k");
    let first = store.hand_over(&policy, &gave_up, sent.clone()).await.unwrap();
    let second = store.hand_over(&policy, &gave_up, sent).await.unwrap();
    assert_eq!((first.is_some(), first), (true, second));
    assert_eq!(store.show(first.unwrap()).await.faults.len(), 3);
}

/// D12, J2: a process does not wait for two hours; a task does.
async fn long_hint_delays_the_task(store: &Harness) {
    let policy = policy(Some(a_week_later()));
    let busy = || Err::<(), _>(Fault::http(429).with_hint(Hint::After(secs(7200))));
    let gave_up = retry(&policy, busy).call().unwrap_err().into_gave_up();
    assert_eq!(gave_up.reason, Reason::HintTooLong);
    let id = store.hand_over(&policy, &gave_up, task()).await.unwrap().unwrap();
    let stored = store.show(id).await;
    assert_eq!(stored.scheduled_at, stored.submitted_at + secs(7200));
}
