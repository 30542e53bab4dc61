//! Breakers and budgets in front of tasks (G2, G3, G4).

use std::io::{Error, ErrorKind};
use std::time::Duration;

use steadfast::guard::BudgetSettings;
use steadfast::policy::Draft;
use steadfast::{Fault, Policy, Reason, retry};
use steadfast_store::{Status, StoredTask, Task, TaskId};

use crate::stores::{on_each, until};
use crate::workers::{quick, signals, start};

const SHUT: Duration = Duration::from_secs(600);

/// Opens after one failure. Guards are shared by name in a process, so each has its own.
fn breaking() -> Draft {
    Policy::fixed(Duration::from_secs(3600))
        .id(TaskId::fresh().to_string())
        .enable_circuit_breaker(true)
        .circuit_breaker_threshold(1)
        .circuit_breaker_timeout(SHUT)
}

fn was_put_off(task: &StoredTask) {
    assert_eq!((task.status, task.attempts, task.faults.len()), (Status::Scheduled, 0, 0));
    let waits = task.scheduled_at.duration_since(task.submitted_at).unsigned_abs();
    assert!(waits >= SHUT - Duration::from_secs(60) && waits <= SHUT * 6 / 5, "{waits:?}");
}

/// G2: a breaker's rejection is no attempt; the task waits for the next probe.
#[tokio::test(flavor = "multi_thread")]
async fn a_task_whose_breaker_is_open_is_put_off() {
    on_each(async |store| {
        let handler = async |(): ()| Err::<(), _>(Fault::http(503));
        let worker = start(quick(&store).handle("any", handler));
        let policy = breaking().build().unwrap();
        let first = Task::new("any", &()).under(policy.clone());
        let first = store.submit(first).await.unwrap().id;
        assert_eq!(until(&store, first, Status::Scheduled).await.attempts, 1);
        let second = store.submit(Task::new("any", &()).under(policy)).await.unwrap().id;
        was_put_off(&until(&store, second, Status::Scheduled).await);
        worker.stop().await;
    })
    .await;
}

/// K4: a breaker may stay open for as long as a duration can be, and whoever wrote that hurts no
/// task but their own.
#[tokio::test(flavor = "multi_thread")]
async fn a_breaker_that_stays_open_for_ever_takes_no_worker_along() {
    on_each(async |store| {
        let handler = async |fails: bool| if fails { Err(Fault::http(503)) } else { Ok(()) };
        let worker = start(quick(&store).handle("any", handler));
        let for_ever = Duration::from_secs(18_000_000_000_000_000_000);
        let policy = breaking().circuit_breaker_timeout(for_ever).build().unwrap();
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
async fn a_breaker_that_a_session_opened_is_open_for_tasks() {
    on_each(async |store| {
        let policy = breaking().max_attempts(1).build().unwrap();
        let down = || Err::<(), _>(Error::from(ErrorKind::ConnectionRefused));
        assert!(retry(&policy, down).call().is_err());

        let handler = async |(): ()| -> Result<(), Fault> { panic!("nobody is let through") };
        let worker = start(quick(&store).handle("any", handler));
        let id = store.submit(Task::new("any", &()).under(policy)).await.unwrap().id;
        was_put_off(&until(&store, id, Status::Scheduled).await);
        worker.stop().await;
    })
    .await;
}

/// G4: and the other way round.
#[tokio::test(flavor = "multi_thread")]
async fn a_breaker_that_a_task_opened_is_open_for_sessions() {
    on_each(async |store| {
        let policy = breaking().build().unwrap();
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

/// G2: a probe that is called off gives its permit back.
#[tokio::test(flavor = "multi_thread")]
async fn a_probe_that_was_called_off_gives_its_permit_back() {
    on_each(async |store| {
        let policy = breaking().circuit_breaker_timeout(Duration::from_millis(1)).build().unwrap();
        let down = || Err::<(), _>(Error::from(ErrorKind::ConnectionRefused));
        let once = breaking().id(policy.id().unwrap()).max_attempts(1);
        let once = once.circuit_breaker_timeout(Duration::from_millis(1)).build().unwrap();
        assert!(retry(&once, down).call().is_err());

        let (told, mut heard) = signals();
        let handler = move |hangs: bool| {
            told.send(hangs).unwrap();
            async move { if hangs { std::future::pending().await } else { Ok::<_, Fault>(()) } }
        };
        let worker = start(quick(&store).handle("any", handler));
        let hangs = Task::new("any", &true).under(policy.clone());
        let hangs = store.submit(hangs).await.unwrap().id;
        assert!(heard.next().await);
        store.cancel(hangs, &steadfast_store::Actor::new("test")).await.unwrap();
        let next = store.submit(Task::new("any", &false).under(policy)).await.unwrap().id;
        until(&store, next, Status::Completed).await;
        worker.stop().await;
    })
    .await;
}

/// G3: a retry is drawn from the policy's budget; if it has none left, the task fails.
#[tokio::test(flavor = "multi_thread")]
async fn a_task_whose_budget_is_used_up_fails() {
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
        assert_eq!(reasons[0], None, "there is something to draw at first");
        assert_eq!(reasons[5], Some(Reason::BudgetExhausted));
    })
    .await;
}
