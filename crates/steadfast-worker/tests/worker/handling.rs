//! What handlers are given, and what becomes of what they give (D19).

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::json;
use steadfast::{Class, Fault, Kind, Policy, Reason};
use steadfast_store::{ClaimRequest, Status, StoreError, Task};
use steadfast_worker::{Context, Worker};

use crate::stores::{eventually, on_each};
use crate::workers::{quick, signals, start};

#[derive(Serialize, Deserialize, Debug, PartialEq)]
struct Invoice {
    number: u32,
}

type Nothing = Result<(), Fault>;

/// D19: any async function on a typed payload is a handler, and its answer is the result.
#[tokio::test(flavor = "multi_thread")]
async fn a_function_of_a_typed_payload_does_the_task() {
    on_each(async |store| {
        let (told, mut heard) = signals();
        let send = move |invoice: Invoice| {
            told.send(invoice.number).unwrap();
            async move { Ok::<_, Fault>(Invoice { number: invoice.number + 1 }) }
        };
        let worker = start(quick(&store).handle("send-invoice", send));
        let id = store.submit(Task::new("send-invoice", &Invoice { number: 41 })).await.unwrap().id;
        assert_eq!(heard.next().await, 41);
        worker.stop().await;
        let task = store.task(id).await.unwrap();
        assert_eq!((task.status, task.attempts), (Status::Completed, 1));
        assert_eq!(task.result, Some(json!({"number": 42})));
    })
    .await;
}

/// D18: the handler is handed its lease's fencing version; J9: and the task's key.
#[tokio::test(flavor = "multi_thread")]
async fn a_handler_that_asks_for_it_is_told_about_its_task() {
    on_each(async |store| {
        let (told, mut heard) = signals();
        let handler = move |(): (), context: Context| {
            told.send(context).unwrap();
            async { Ok::<_, Fault>(()) }
        };
        let worker = start(quick(&store).handle("any", handler));
        let policy = Policy::immediate().max_attempts(7).build().unwrap();
        let task = Task::new("any", &()).under(policy).correlation_id("request-1");
        let named = task.id();
        store.submit(task).await.unwrap();
        let first = heard.next().await;
        assert_eq!((first.id(), first.kind(), first.queue()), (named, "any", "default"));
        assert_eq!((first.attempt(), first.max_attempts()), (1, 7));
        assert_eq!(first.correlation_id(), Some("request-1"));
        assert_eq!(first.key(), named.to_string(), "a task is its own key");
        assert_eq!((first.category(), first.deadline()), (None, None));
        assert!(!first.is_cancelled());

        store.submit(Task::new("any", &()).key("invoice-42").category("c")).await.unwrap();
        let second = heard.next().await;
        assert_eq!((second.key(), second.category()), ("invoice-42", Some("c")));
        assert!(second.version() > first.version(), "versions only grow");
        worker.stop().await;
    })
    .await;
}

/// D19: a payload that the handler cannot take ends its task, with a message that says so.
#[tokio::test(flavor = "multi_thread")]
async fn a_payload_that_does_not_fit_is_final() {
    on_each(async |store| {
        let (told, mut heard) = signals();
        let send = async |_: Invoice| -> Nothing { panic!("it must not be called") };
        let worker = quick(&store).concurrency(1).handle("send-invoice", send);
        let after = move |(): ()| {
            told.send(()).unwrap();
            async { Nothing::Ok(()) }
        };
        let worker = start(worker.handle("after", after));
        let any = Policy::immediate().retry_on(["any"]).build().unwrap();
        let bad = Task::new("send-invoice", &json!({"number": "many"})).under(any);
        let id = bad.id();
        store.submit_all(vec![bad, Task::new("after", &())]).await.unwrap();
        heard.next().await;
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

/// I6: a panic is a fault of its own and takes nobody down. It is final unless a rule names it.
#[tokio::test(flavor = "multi_thread")]
async fn a_handler_that_panics_fails_its_task_and_nothing_else() {
    on_each(async |store| {
        let (told, mut heard) = signals();
        let handler = move |by: String, context: Context| {
            let told = told.clone();
            if by == "call" {
                panic!("on call {}", context.attempt());
            }
            async move {
                if by == "poll" && context.attempt() == 1 {
                    panic!("when polled");
                }
                told.send(()).unwrap();
                Nothing::Ok(())
            }
        };
        let worker = start(quick(&store).concurrency(1).handle("any", handler));
        let retried = Policy::immediate().retry_on(["Panic"]).build().unwrap();
        let (call, poll) = (Task::new("any", "call"), Task::new("any", "poll").under(retried));
        let (call_id, poll_id) = (call.id(), poll.id());
        store.submit_all(vec![call, poll]).await.unwrap();
        heard.next().await;
        worker.stop().await;

        let task = store.task(call_id).await.unwrap();
        assert_eq!((task.status, task.reason), (Status::Failed, Some(Reason::Final)));
        assert_eq!(task.attempts, 1);
        assert_eq!(task.faults[0].message, "other, the handler panicked: on call 1");
        let task = store.task(poll_id).await.unwrap();
        assert_eq!((task.status, task.attempts), (Status::Completed, 2));
        assert_eq!(task.faults[0].message, "other, the handler panicked: when polled");
    })
    .await;
}

/// D19: what a worker has no handler for is left to those who have one: neither failed nor
/// taken again and again, and in nobody's way.
#[tokio::test(flavor = "multi_thread")]
async fn a_task_of_an_unknown_kind_is_left_to_others() {
    on_each(async |store| {
        let (told, mut heard) = signals();
        let known = move |(): ()| {
            told.send(()).unwrap();
            async { Nothing::Ok(()) }
        };
        let worker = start(quick(&store).concurrency(1).handle("known", known));
        let strangers: Vec<_> = (0..50).map(|_| Task::new("unknown", &())).collect();
        let id = strangers[0].id();
        store.submit_all(strangers).await.unwrap();
        for _ in 0..3 {
            store.submit(Task::new("known", &())).await.unwrap();
            heard.next().await;
        }
        let request = ClaimRequest::new("one who knows", 100).kinds(["unknown"]);
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

/// K4: work that was done is not done again because its result cannot be kept.
#[tokio::test(flavor = "multi_thread")]
async fn a_result_that_cannot_be_kept_is_final() {
    on_each(async |store| {
        let (told, mut heard) = signals();
        let handler = move |what: String| {
            told.send(()).unwrap();
            let result = if what == "big" { "x".repeat(2 << 20) } else { "\0".to_owned() };
            async { Ok::<_, Fault>(result) }
        };
        let worker = start(quick(&store).handle("any", handler));
        let (big, nul) = (Task::new("any", "big"), Task::new("any", "nul"));
        let (big_id, nul_id) = (big.id(), nul.id());
        store.submit_all(vec![big, nul]).await.unwrap();
        heard.some(2).await;
        worker.stop().await;
        for (id, problem) in [(big_id, "bytes of JSON"), (nul_id, "U+0000")] {
            let task = store.task(id).await.unwrap();
            assert_eq!((task.status, task.attempts), (Status::Failed, 1));
            assert!(task.faults[0].message.contains(problem), "{}", task.faults[0].message);
        }
    })
    .await;
}

/// What was said wrong is told before anything is claimed.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_makes_no_sense_does_not_run() {
    on_each(async |store| {
        let idle = async |(): ()| Nothing::Ok(());
        let problem = async |worker: Worker| match worker.run().await {
            Err(StoreError::Invalid(problem)) => problem.to_string(),
            other => panic!("{other:?}"),
        };
        let told = problem(Worker::new(store.clone())).await;
        assert!(told.contains("has no handler"), "{told}");
        let told = problem(Worker::new(store.clone()).handle("a", idle).handle("a", idle)).await;
        assert_eq!(told, "kind: `a` has two handlers; register each kind once");
        let told = problem(Worker::new(store.clone()).handle("a", idle).concurrency(0)).await;
        assert!(told.contains("must be from 1"), "{told}");
    })
    .await;
}

/// K4: a time limit beyond the end of time is none, and no task ends its worker.
#[tokio::test(flavor = "multi_thread")]
async fn a_limit_beyond_the_end_of_time_is_none() {
    on_each(async |store| {
        let worker = start(quick(&store).handle("any", async |(): ()| Ok::<_, Fault>(())));
        let endless = Policy::immediate().attempt_timeout(Duration::MAX).build().unwrap();
        let id = store.submit(Task::new("any", &()).under(endless)).await.unwrap().id;
        eventually(async || store.task(id).await.unwrap().status == Status::Completed).await;
        worker.stop().await;
    })
    .await;
}
