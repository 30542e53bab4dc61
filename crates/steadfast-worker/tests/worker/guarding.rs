//! Breakers and budgets in front of tasks (G2, G3, G4).

use std::io::{Error, ErrorKind};
use std::time::Duration;

use steadfast::guard::BudgetSettings;
use steadfast::policy::Draft;
use steadfast::{Fault, Policy, Reason, retry};
use steadfast_store::{Status, StoredTask, Task, TaskId};

use crate::stores::{on_each, until};
use crate::workers::{quick, signal_channel, start};

const OPEN_FOR: Duration = Duration::from_secs(600);

/// Opens after one failure. Guards are shared by name in a process, so each has its own.
fn breaker_policy() -> Draft {
    Policy::fixed(Duration::from_secs(3600))
        .id(TaskId::fresh().to_string())
        .enable_circuit_breaker(true)
        .circuit_breaker_threshold(1)
        .circuit_breaker_timeout(OPEN_FOR)
}

fn assert_postponed(task: &StoredTask) {
    assert_eq!((task.status, task.attempts, task.faults.len()), (Status::Scheduled, 0, 0));
    let waits = task.scheduled_at.duration_since(task.submitted_at).unsigned_abs();
    assert!(waits >= OPEN_FOR - Duration::from_secs(60) && waits <= OPEN_FOR * 6 / 5, "{waits:?}");
}

/// G2: a rejection by a breaker does not count as an attempt; the task waits for the next probe.
#[tokio::test(flavor = "multi_thread")]
async fn task_with_an_open_breaker_is_postponed() {
    on_each(async |store| {
        let handler = async |(): ()| Err::<(), _>(Fault::http(503));
        let worker = start(quick(&store).handle("any", handler));
        let policy = breaker_policy().build().unwrap();
        let first = Task::new("any", &()).under(policy.clone());
        let first = store.submit(first).await.unwrap().id;
        assert_eq!(until(&store, first, Status::Scheduled).await.attempts, 1);
        let second = store.submit(Task::new("any", &()).under(policy)).await.unwrap().id;
        assert_postponed(&until(&store, second, Status::Scheduled).await);
        worker.stop().await;
    })
    .await;
}

/// K4: a breaker that stays open for the longest duration affects only the tasks of
/// its own policy.
#[tokio::test(flavor = "multi_thread")]
async fn breaker_with_the_longest_timeout_does_not_stop_the_worker() {
    on_each(async |store| {
        let handler = async |fails: bool| if fails { Err(Fault::http(503)) } else { Ok(()) };
        let worker = start(quick(&store).handle("any", handler));
        let forever = Duration::from_secs(18_000_000_000_000_000_000);
        let policy = breaker_policy().circuit_breaker_timeout(forever).build().unwrap();
        let first = Task::new("any", &true).under(policy.clone());
        let first = store.submit(first).await.unwrap().id;
        until(&store, first, Status::Scheduled).await;
        let others = (0..20).map(|_| Task::new("any", &true).under(policy.clone()));
        for other in store.submit_all(others.collect()).await.unwrap() {
            assert_eq!(until(&store, other.id, Status::Scheduled).await.attempts, 0);
        }
        let fine = store.submit(Task::new("any", &false)).await.unwrap().id;
        until(&store, fine, Status::Completed).await;
        worker.stop().await;
    })
    .await;
}

/// G4: sessions in the process and tasks of one policy share their breaker.
#[tokio::test(flavor = "multi_thread")]
async fn breaker_opened_by_a_session_is_open_for_tasks() {
    on_each(async |store| {
        let policy = breaker_policy().max_attempts(1).build().unwrap();
        let down = || Err::<(), _>(Error::from(ErrorKind::ConnectionRefused));
        assert!(retry(&policy, down).call().is_err());

        let handler = async |(): ()| -> Result<(), Fault> { panic!("the breaker is open") };
        let worker = start(quick(&store).handle("any", handler));
        let id = store.submit(Task::new("any", &()).under(policy)).await.unwrap().id;
        assert_postponed(&until(&store, id, Status::Scheduled).await);
        worker.stop().await;
    })
    .await;
}

/// G4: and the other way round.
#[tokio::test(flavor = "multi_thread")]
async fn breaker_opened_by_a_task_is_open_for_sessions() {
    on_each(async |store| {
        let policy = breaker_policy().build().unwrap();
        let handler = async |(): ()| Err::<(), _>(Fault::http(503));
        let worker = start(quick(&store).handle("any", handler));
        let id = store.submit(Task::new("any", &()).under(policy.clone())).await.unwrap().id;
        until(&store, id, Status::Scheduled).await;
        let error = retry(&policy, || Ok::<_, Error>(())).call().unwrap_err();
        assert_eq!(error.reason(), Reason::BreakerOpen);
        worker.stop().await;
    })
    .await;
}

/// G2: a cancelled probe releases its permit.
#[tokio::test(flavor = "multi_thread")]
async fn cancelled_probe_releases_its_permit() {
    on_each(async |store| {
        let policy =
            breaker_policy().circuit_breaker_timeout(Duration::from_millis(1)).build().unwrap();
        let down = || Err::<(), _>(Error::from(ErrorKind::ConnectionRefused));
        let once = breaker_policy().id(policy.id().unwrap()).max_attempts(1);
        let once = once.circuit_breaker_timeout(Duration::from_millis(1)).build().unwrap();
        assert!(retry(&once, down).call().is_err());

        let (signal, mut signals) = signal_channel();
        let handler = move |hangs: bool| {
            signal.send(hangs).unwrap();
            async move { if hangs { std::future::pending().await } else { Ok::<_, Fault>(()) } }
        };
        let worker = start(quick(&store).handle("any", handler));
        let hangs = Task::new("any", &true).under(policy.clone());
        let hangs = store.submit(hangs).await.unwrap().id;
        assert!(signals.next().await);
        store.cancel(hangs, &steadfast_store::Actor::new("test")).await.unwrap();
        let next = store.submit(Task::new("any", &false).under(policy)).await.unwrap().id;
        until(&store, next, Status::Completed).await;
        worker.stop().await;
    })
    .await;
}

/// G3: a retry takes a token from the policy's budget; without one, the task fails.
#[tokio::test(flavor = "multi_thread")]
async fn task_with_an_exhausted_budget_fails() {
    on_each(async |store| {
        let handler = async |(): ()| Err::<(), _>(Fault::http(503));
        let worker = start(quick(&store).handle("any", handler));
        let policy = Policy::fixed(Duration::from_secs(3600))
            .id(TaskId::fresh().to_string())
            .budget(BudgetSettings::Tokens { max_tokens: 4, token_ratio: 0.1 })
            .build()
            .unwrap();
        let mut reasons = Vec::new();
        for _ in 0..6 {
            let task = Task::new("any", &()).under(policy.clone());
            let id = store.submit(task).await.unwrap().id;
            let ended = loop {
                let task = store.task(id).await.unwrap();
                if task.attempts == 1 {
                    break task;
                }
                tokio::task::yield_now().await;
            };
            reasons.push(ended.reason);
        }
        worker.stop().await;
        assert_eq!(reasons[0], None, "the budget has tokens at first");
        assert_eq!(reasons[5], Some(Reason::BudgetExhausted));
    })
    .await;
}
