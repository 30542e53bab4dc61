//! Handlers: their payloads, contexts and results (D19).

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::json;
use steadfast::{Class, Fault, Kind, Policy, Reason};
use steadfast_store::{ClaimRequest, Status, StoreError, Task};
use steadfast_worker::{Context, Worker};

use crate::stores::{eventually, on_each};
use crate::workers::{quick, signal_channel, start};

#[derive(Serialize, Deserialize, Debug, PartialEq)]
struct Invoice {
    number: u32,
}

type Nothing = Result<(), Fault>;

/// D19: any async function of a typed payload is a handler, and its return value is the result.
#[tokio::test(flavor = "multi_thread")]
async fn handler_with_a_typed_payload_completes_the_task() {
    on_each(async |store| {
        let (signal, mut signals) = signal_channel();
        let send = move |invoice: Invoice| {
            signal.send(invoice.number).unwrap();
            async move { Ok::<_, Fault>(Invoice { number: invoice.number + 1 }) }
        };
        let worker = start(quick(&store).handle("send-invoice", send));
        let id = store.submit(Task::new("send-invoice", &Invoice { number: 41 })).await.unwrap().id;
        assert_eq!(signals.next().await, 41);
        worker.stop().await;
        let task = store.task(id).await.unwrap();
        assert_eq!((task.status, task.attempts), (Status::Completed, 1));
        assert_eq!(task.result, Some(json!({"number": 42})));
    })
    .await;
}

/// D18: the context has the lease's fencing token; J9: and the task's key.
#[tokio::test(flavor = "multi_thread")]
async fn handler_with_a_context_sees_its_task() {
    on_each(async |store| {
        let (signal, mut signals) = signal_channel();
        let handler = move |(): (), context: Context| {
            signal.send(context).unwrap();
            async { Ok::<_, Fault>(()) }
        };
        let worker = start(quick(&store).handle("any", handler));
        let policy = Policy::immediate().max_attempts(7).build().unwrap();
        let task = Task::new("any", &()).under(policy).correlation_id("request-1");
        let named = task.id();
        store.submit(task).await.unwrap();
        let first = signals.next().await;
        assert_eq!((first.id(), first.kind(), first.queue()), (named, "any", "default"));
        assert_eq!((first.attempt(), first.max_attempts()), (1, 7));
        assert_eq!(first.correlation_id(), Some("request-1"));
        assert_eq!(first.key(), named.to_string(), "a task is its own key");
        assert_eq!((first.category(), first.deadline()), (None, None));
        assert!(!first.is_cancelled());

        store.submit(Task::new("any", &()).key("invoice-42").category("c")).await.unwrap();
        let second = signals.next().await;
        assert_eq!((second.key(), second.category()), ("invoice-42", Some("c")));
        assert!(second.fencing_token() > first.fencing_token(), "tokens increase");
        worker.stop().await;
    })
    .await;
}

/// D19: a payload that cannot be deserialized fails its task, with a message that says so.
#[tokio::test(flavor = "multi_thread")]
async fn payload_of_the_wrong_type_fails_for_good() {
    on_each(async |store| {
        let (signal, mut signals) = signal_channel();
        let send = async |_: Invoice| -> Nothing { panic!("the handler must not run") };
        let worker = quick(&store).concurrency(1).handle("send-invoice", send);
        let after = move |(): ()| {
            signal.send(()).unwrap();
            async { Nothing::Ok(()) }
        };
        let worker = start(worker.handle("after", after));
        let any = Policy::immediate().retry_on(["any"]).build().unwrap();
        let bad = Task::new("send-invoice", &json!({"number": "many"})).under(any);
        let id = bad.id();
        store.submit_all(vec![bad, Task::new("after", &())]).await.unwrap();
        signals.next().await;
        worker.stop().await;
        let task = store.task(id).await.unwrap();
        assert_eq!((task.status, task.reason), (Status::Failed, Some(Reason::Final)));
        let fault = &task.faults[0];
        assert_eq!((fault.class, fault.fault.kind), (Class::Final, Some(Kind::Data)));
        assert!(fault.message.contains("expected u32"), "{}", fault.message);
        assert!(fault.message.contains("`send-invoice`"), "{}", fault.message);
    })
    .await;
}

/// I6: a panic is a fault of its own and does not end the worker. It is final unless a rule names it.
#[tokio::test(flavor = "multi_thread")]
async fn panicking_handler_fails_only_its_task() {
    on_each(async |store| {
        let (signal, mut signals) = signal_channel();
        let handler = move |by: String, context: Context| {
            let signal = signal.clone();
            if by == "call" {
                panic!("on call {}", context.attempt());
            }
            async move {
                if by == "poll" && context.attempt() == 1 {
                    panic!("when polled");
                }
                signal.send(()).unwrap();
                Nothing::Ok(())
            }
        };
        let worker = start(quick(&store).concurrency(1).handle("any", handler));
        let retried = Policy::immediate().retry_on(["Panic"]).build().unwrap();
        let (call, poll) = (Task::new("any", "call"), Task::new("any", "poll").under(retried));
        let (call_id, poll_id) = (call.id(), poll.id());
        store.submit_all(vec![call, poll]).await.unwrap();
        signals.next().await;
        worker.stop().await;

        let task = store.task(call_id).await.unwrap();
        assert_eq!((task.status, task.reason), (Status::Failed, Some(Reason::Final)));
        assert_eq!(task.attempts, 1);
        assert_eq!(task.faults[0].message, "other, handler panicked: on call 1");
        let task = store.task(poll_id).await.unwrap();
        assert_eq!((task.status, task.attempts), (Status::Completed, 2));
        assert_eq!(task.faults[0].message, "other, handler panicked: when polled");
    })
    .await;
}

/// D19: a task without a handler here is left to other workers: neither failed nor claimed again
/// and again, and without blocking other tasks.
#[tokio::test(flavor = "multi_thread")]
async fn task_of_an_unknown_kind_is_released() {
    on_each(async |store| {
        let (signal, mut signals) = signal_channel();
        let known = move |(): ()| {
            signal.send(()).unwrap();
            async { Nothing::Ok(()) }
        };
        let worker = start(quick(&store).concurrency(1).handle("known", known));
        let unknown_tasks: Vec<_> = (0..50).map(|_| Task::new("unknown", &())).collect();
        let id = unknown_tasks[0].id();
        store.submit_all(unknown_tasks).await.unwrap();
        for _ in 0..3 {
            store.submit(Task::new("known", &())).await.unwrap();
            signals.next().await;
        }
        let request = ClaimRequest::new("other worker", 100).kinds(["unknown"]);
        let mut claimed = 0;
        eventually(async || {
            claimed += store.claim(&request).await.unwrap().tasks.len();
            claimed == 50
        })
        .await;
        let task = store.task(id).await.unwrap();
        assert_eq!((task.status, task.attempts), (Status::Running, 0));
        assert!(task.faults.is_empty());
        worker.stop().await;
    })
    .await;
}

/// K4: a completed operation is not retried because its result cannot be stored.
#[tokio::test(flavor = "multi_thread")]
async fn result_that_cannot_be_stored_fails_for_good() {
    on_each(async |store| {
        let (signal, mut signals) = signal_channel();
        let handler = move |what: String| {
            signal.send(()).unwrap();
            let result = if what == "big" { "x".repeat(2 << 20) } else { "\0".to_owned() };
            async { Ok::<_, Fault>(result) }
        };
        let worker = start(quick(&store).handle("any", handler));
        let (big, nul) = (Task::new("any", "big"), Task::new("any", "nul"));
        let (big_id, nul_id) = (big.id(), nul.id());
        store.submit_all(vec![big, nul]).await.unwrap();
        signals.some(2).await;
        worker.stop().await;
        for (id, problem) in [(big_id, "too large"), (nul_id, "U+0000")] {
            let task = store.task(id).await.unwrap();
            assert_eq!((task.status, task.attempts), (Status::Failed, 1));
            assert!(task.faults[0].message.contains(problem), "{}", task.faults[0].message);
        }
    })
    .await;
}

/// An invalid configuration is rejected before anything is claimed.
#[tokio::test(flavor = "multi_thread")]
async fn worker_with_an_invalid_config_does_not_run() {
    on_each(async |store| {
        let idle = async |(): ()| Nothing::Ok(());
        let problem = async |worker: Worker| match worker.run().await {
            Err(StoreError::Invalid(problem)) => problem.to_string(),
            other => panic!("{other:?}"),
        };
        let error = problem(Worker::new(store.clone())).await;
        assert!(error.contains("has no handler"), "{error}");
        let error = problem(Worker::new(store.clone()).handle("a", idle).handle("a", idle)).await;
        assert_eq!(error, "kind: `a` has two handlers; register each kind once");
        let error = problem(Worker::new(store.clone()).handle("a", idle).concurrency(0)).await;
        assert!(error.contains("must be from 1"), "{error}");
    })
    .await;
}

/// K4: a time limit beyond the clock's range is no limit, and does not end the worker.
#[tokio::test(flavor = "multi_thread")]
async fn attempt_timeout_beyond_the_clock_range_is_no_limit() {
    on_each(async |store| {
        let worker = start(quick(&store).handle("any", async |(): ()| Ok::<_, Fault>(())));
        let endless = Policy::immediate().attempt_timeout(Duration::MAX).build().unwrap();
        let id = store.submit(Task::new("any", &()).under(endless)).await.unwrap().id;
        eventually(async || store.task(id).await.unwrap().status == Status::Completed).await;
        worker.stop().await;
    })
    .await;
}
