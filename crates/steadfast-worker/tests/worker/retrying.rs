//! Retries and failures, as the worker settles them.

use std::future::pending;
use std::time::Duration;

use steadfast::{Class, Fault, Hint, Kind, Policy, Reason};
use steadfast_store::{Status, Task, When};
use steadfast_worker::Context;

use crate::stores::{on_each, until};
use crate::workers::{quick, signal_channel, start};

const MS: Duration = Duration::from_millis(1);

/// D8: every fault is stored with the delay after it, and the attempts are counted.
#[tokio::test(flavor = "multi_thread")]
async fn failed_attempt_is_retried_after_its_delay() {
    on_each(async |store| {
        let handler = async |(): (), context: Context| match context.attempt() {
            1 => Err(Fault::http(503)),
            _ => Ok(context.attempt()),
        };
        let worker = start(quick(&store).handle("any", handler));
        let policy = Policy::fixed(20 * MS).build().unwrap();
        let id = store.submit(Task::new("any", &()).under(policy)).await.unwrap().id;
        let task = until(&store, id, Status::Completed).await;
        worker.stop().await;
        assert_eq!((task.attempts, task.result), (2, Some(2.into())));
        let fault = &task.faults[0];
        assert_eq!((fault.attempt, fault.class), (1, Class::Retryable));
        assert_eq!((fault.fault.http_status, fault.next_delay), (Some(503), Some(0.02)));
    })
    .await;
}

/// D8: the last fault and the reason are stored, too.
#[tokio::test(flavor = "multi_thread")]
async fn task_fails_on_exhausted_attempts_or_a_final_error() {
    on_each(async |store| {
        let handler = async |status: u16| Err::<(), _>(Fault::http(status));
        let worker = start(quick(&store).handle("any", handler));
        let policy = || Policy::immediate().max_attempts(3).build().unwrap();
        let down = store.submit(Task::new("any", &503).under(policy())).await.unwrap().id;
        let gone = store.submit(Task::new("any", &404).under(policy())).await.unwrap().id;
        let task = until(&store, down, Status::Failed).await;
        assert_eq!((task.attempts, task.reason), (3, Some(Reason::AttemptsExhausted)));
        let attempts: Vec<_> = task.faults.iter().map(|fault| fault.attempt).collect();
        assert_eq!(attempts, [1, 2, 3]);
        let task = until(&store, gone, Status::Failed).await;
        assert_eq!((task.attempts, task.reason), (1, Some(Reason::Final)));
        worker.stop().await;
    })
    .await;
}

/// D8: a wait that the server requested does not count as an attempt.
#[tokio::test(flavor = "multi_thread")]
async fn hinted_wait_does_not_count_as_an_attempt() {
    on_each(async |store| {
        let (signal, mut signals) = signal_channel();
        let handler = move |(): (), context: Context| {
            signal.send(context.attempt()).unwrap();
            async { Err::<(), _>(Fault::http(429).with_hint(Hint::After(10 * MS))) }
        };
        let worker = start(quick(&store).handle("any", handler));
        let policy = Policy::immediate().max_attempts(1).max_rate_limit_waits(2).build().unwrap();
        let id = store.submit(Task::new("any", &()).under(policy)).await.unwrap().id;
        assert_eq!(signals.some(3).await, [1, 1, 1]);
        let task = until(&store, id, Status::Failed).await;
        worker.stop().await;
        assert_eq!((task.rate_limit_waits, task.faults.len()), (2, 3));
        assert_eq!((task.attempts, task.reason), (1, Some(Reason::AttemptsExhausted)));
    })
    .await;
}

/// D17: a rate-limited task may hold its whole category until the hint has passed.
#[tokio::test(flavor = "multi_thread")]
async fn rate_limited_task_holds_its_category() {
    on_each(async |store| {
        let (signal, mut signals) = signal_channel();
        let handler = move |name: String, context: Context| {
            let limited = name == "first" && !context.key().is_empty();
            signal.send(name).unwrap();
            async move {
                let hint = Hint::After(Duration::from_secs(3600));
                if limited { Err(Fault::http(429).with_hint(hint)) } else { Ok(()) }
            }
        };
        let worker = start(quick(&store).handle("any", handler));
        let first = Task::new("any", "first").category("limited").hold_category();
        let first = store.submit(first).await.unwrap().id;
        assert_eq!(signals.next().await, "first");
        until(&store, first, Status::Scheduled).await;

        let second = Task::new("any", "second").category("limited");
        let second_id = second.id();
        store.submit_all(vec![second, Task::new("any", "other").category("free")]).await.unwrap();
        assert_eq!(signals.next().await, "other");
        worker.stop().await;
        let second = store.task(second_id).await.unwrap();
        assert_eq!((second.status, second.attempts), (Status::Scheduled, 0));
        assert!(signals.rest().is_empty());
    })
    .await;
}

/// P2: an attempt is cancelled after `attempt_timeout`. It may have taken effect, so it is only
/// repeated if that is safe, which it is for a handler that sends its key (J9).
#[tokio::test(flavor = "multi_thread")]
async fn attempt_is_cancelled_after_its_timeout() {
    on_each(async |store| {
        let handler = async |sends_its_key: bool, context: Context| -> Result<(), Fault> {
            assert!(context.deadline().is_some());
            if context.attempt() == 2 {
                return Ok(());
            }
            if sends_its_key {
                let _ = context.key();
            }
            pending().await
        };
        let worker = start(quick(&store).handle("any", handler));
        let policy = Policy::immediate().attempt_timeout(20 * MS).idempotent(false);
        let submit = async |sends_its_key: bool| {
            let policy = policy.clone().build().unwrap();
            store.submit(Task::new("any", &sends_its_key).under(policy)).await.unwrap().id
        };
        let (unsafe_id, safe_id) = (submit(false).await, submit(true).await);
        let task = until(&store, unsafe_id, Status::Failed).await;
        assert_eq!(task.reason, Some(Reason::NotSafeToRetry));
        let fault = &task.faults[0];
        assert_eq!((fault.class, fault.fault.kind), (Class::UnknownOutcome, Some(Kind::Timeout)));
        let task = until(&store, safe_id, Status::Completed).await;
        assert_eq!(task.attempts, 2);
        worker.stop().await;
    })
    .await;
}

/// P5: an expired task is not started, and that does not count as an attempt.
#[tokio::test(flavor = "multi_thread")]
async fn expired_task_fails_without_an_attempt() {
    on_each(async |store| {
        let (signal, mut signals) = signal_channel();
        let handler = move |name: String| {
            signal.send(name).unwrap();
            async { Ok::<_, Fault>(()) }
        };
        let past = store.now().await.unwrap() - Duration::from_secs(1);
        let late = Task::new("any", "late").expires(When::At(past));
        let late_id = late.id();
        store.submit_all(vec![late, Task::new("any", "in time")]).await.unwrap();
        let worker = start(quick(&store).concurrency(1).handle("any", handler));
        assert_eq!(signals.next().await, "in time");
        worker.stop().await;
        let task = store.task(late_id).await.unwrap();
        assert_eq!((task.status, task.reason), (Status::Failed, Some(Reason::OutOfTime)));
        assert_eq!((task.attempts, task.faults.len()), (0, 0));
    })
    .await;
}
