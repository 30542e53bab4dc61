//! W3: a failed execution with its own retry has a follow-up from the stored trigger.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};
use steadfast::{Fault, Hint};
use steadfast_flow::{Execution, ExecutionId, ExecutionStatus, Start, Workflow};
use steadfast_store::worker_lost;

use crate::harness::{Handlers, Harness, Response, completed, done, gone, parsed, unavailable};

const DAY: i64 = 86_400;

/// S2's schedule of 7 and 14 days, for the whole execution.
fn weekly() -> Workflow {
    parsed(json!({
        "name": "weekly",
        "retry": {
            "enabled": true, "strategy": "custom", "maxAttempts": 2,
            "customSchedule": { "attempts": [
                { "attempt": 1, "delayDays": 7 }, { "attempt": 2, "delayDays": 14 }
            ] }
        },
        "nodes": [
            { "nodeId": "a", "type": "do" },
            { "nodeId": "b", "type": "do", "dependsOn": ["a"] },
        ]
    }))
}

fn days(from: Timestamp, to: Timestamp) -> i64 {
    (to.as_second() - from.as_second() + DAY / 2) / DAY
}

/// A 429 response with a retry hint.
fn rate_limited(hint: Duration) -> Response {
    Response::Failed(Fault::http(429).with_hint(Hint::After(hint)))
}

impl Harness {
    /// Makes the first nodes of an execution due now.
    async fn make_due(&self, execution: &Execution) {
        for task in execution.nodes.iter().filter_map(|node| node.task) {
            let on_postgres = format!(
                "UPDATE steadfast.waiting SET run_at = now() - interval '1 second' WHERE id = '{task}';
                 UPDATE steadfast.tasks t SET scheduled_at = w.run_at
                   FROM steadfast.waiting w WHERE w.id = t.id AND t.id = '{task}';"
            );
            let id = format!("x'{}'", task.to_string().replace('-', ""));
            let past = "CAST(unixepoch('subsec') * 1000000 AS INTEGER) - 1000000";
            let on_sqlite = format!(
                "UPDATE steadfast_waiting SET due_at = {past} WHERE id = {id};
                 UPDATE steadfast_tasks SET due_at =
                     (SELECT due_at FROM steadfast_waiting WHERE id = {id}) WHERE id = {id};"
            );
            self.database.execute(&on_postgres, &on_sqlite).await;
        }
    }

    /// Waits until the last execution of a chain has ended.
    async fn last_of_chain(&self, first: ExecutionId) -> Execution {
        let mut execution = self.ended(first).await;
        while let Some(next) = execution.next {
            execution = self.ended(next).await;
        }
        execution
    }

    async fn follow_up(&self, id: ExecutionId) -> Execution {
        let next = self.show(id).await.next.expect("a follow-up exists");
        self.show(next).await
    }
}

/// W3, P6: the schedule of 7 and 14 days. Each follow-up is a new execution with the stored trigger, and
/// all of its nodes run again.
async fn failed_execution_is_retried_after_7_and_14_days(store: Harness) {
    let handlers = Handlers::default().when("b", [unavailable()]);
    let trigger = json!({ "user": "ada" });
    let first = store.start(&weekly(), trigger.clone()).await;
    assert_eq!(store.run(&handlers, first).await.status, ExecutionStatus::Failed);

    let second = store.follow_up(first).await;
    assert_eq!((second.status, second.attempt), (ExecutionStatus::Running, 2));
    assert_eq!((second.previous, &second.trigger), (Some(first), &Some(trigger)));
    assert_eq!(days(second.started_at, second.due_at), 7);
    let task = store.store().task(second.nodes[0].task.unwrap()).await.unwrap();
    assert_eq!(days(second.started_at, task.scheduled_at), 7);
    assert_eq!(handlers.count("a"), 1, "it is not due yet");

    store.make_due(&second).await;
    assert_eq!(store.run(&handlers, second.id).await.status, ExecutionStatus::Failed);
    let third = store.follow_up(second.id).await;
    assert_eq!((third.attempt, days(third.started_at, third.due_at)), (3, 14));

    store.make_due(&third).await;
    let third = store.run(&handlers, third.id).await;
    assert_eq!((third.status, third.next), (ExecutionStatus::Failed, None));
    let message = third.message.unwrap();
    assert!(message.ends_with("the execution is not retried: attempts_exhausted"), "{message}");
    assert_eq!((handlers.count("a"), handlers.count("b")), (3, 3));

    for id in [first, second.id, third.id] {
        let chain = store.flow.chain(id).await.unwrap();
        let ids: Vec<_> = chain.iter().map(|execution| execution.id).collect();
        assert_eq!(
            ids,
            [first, second.id, third.id],
            "the chain is the same from each of its executions"
        );
    }
}

/// W3: a success ends the chain.
async fn chain_ends_with_a_success(store: Harness) {
    let handlers = Handlers::default().when("b", [unavailable(), done(json!(1))]);
    let first = store.start(&weekly(), Value::Null).await;
    store.run(&handlers, first).await;
    let second = store.follow_up(first).await;
    store.make_due(&second).await;
    let second = store.run(&handlers, second.id).await;
    assert!(completed(&second));
    assert_eq!(second.next, None);
}

/// J2: a fault that is final for the workflow's policy is not retried.
async fn final_fault_has_no_follow_up(store: Harness) {
    let handlers = Handlers::default().when("a", [gone()]);
    let execution = store.done(&handlers, &weekly()).await;
    assert_eq!(execution.next, None);
    let message = execution.message.unwrap();
    assert!(message.ends_with("the execution is not retried: final"), "{message}");
}

/// W3, D7: an execution that failed because of lost workers is retried, whatever the workflow's
/// `retryOn` lists.
async fn execution_failed_by_lost_workers_has_a_follow_up(store: Harness) {
    let flow = parsed(json!({
        "name": "w",
        "retry": {
            "enabled": true, "strategy": "immediate", "maxAttempts": 2, "retryOn": ["5xx"]
        },
        "nodes": [{ "nodeId": "a", "type": "do" }]
    }));
    let handlers = Handlers::default().when("a", [Response::Failed(worker_lost("operator"))]);
    let execution = store.done(&handlers, &flow).await;
    assert_eq!(execution.status, ExecutionStatus::Failed);
    assert!(execution.next.is_some(), "{:?}", execution.message);
}

/// W3, J2: a follow-up counts as an attempt, even after a rate limit: its nodes all run
/// again.
async fn rate_limited_chain_ends_after_its_attempts(store: Harness) {
    let flow = parsed(json!({
        "name": "w",
        "retry": { "enabled": true, "strategy": "immediate", "maxAttempts": 2 },
        "nodes": [
            { "nodeId": "a", "type": "do" },
            { "nodeId": "b", "type": "do", "dependsOn": ["a"] },
        ]
    }));
    let handlers = Handlers::default().when("b", [rate_limited(Duration::ZERO)]);
    let first = store.start(&flow, Value::Null).await;
    let last = store.served(&handlers, store.last_of_chain(first)).await;
    assert_eq!((last.attempt, handlers.count("a"), handlers.count("b")), (3, 3, 3));
    let message = last.message.unwrap();
    assert!(message.ends_with("the execution is not retried: attempts_exhausted"), "{message}");
}

/// W3, J2: a retry hint does not shorten the delay of a follow-up.
async fn short_hint_keeps_the_delay_of_a_follow_up(store: Harness) {
    let handlers = Handlers::default().when("a", [rate_limited(Duration::from_secs(86_400))]);
    let execution = store.done(&handlers, &weekly()).await;
    let next = store.follow_up(execution.id).await;
    assert_eq!(days(execution.ended_at.unwrap(), next.due_at), 7);
}

/// W3, J2: a retry hint longer than `max_hint`, which is a day in a store, ends the chain.
async fn long_hint_ends_the_chain(store: Harness) {
    let handlers = Handlers::default().when("a", [rate_limited(Duration::from_secs(10 * 86_400))]);
    let execution = store.done(&handlers, &weekly()).await;
    assert_eq!(store.show(execution.id).await.next, None);
    let message = execution.message.unwrap();
    assert!(message.contains("hint"), "{message}");
}

/// W3: executions that fail together each have a message and a follow-up.
async fn executions_failing_together_each_have_a_follow_up(store: Harness) {
    let handlers = Handlers::default().when("a", [unavailable()]);
    let starts = (0..20).map(|number| Start::of(&weekly(), &json!(number)));
    let started = store.flow.start_all(starts.collect()).await.unwrap();
    let all_ended = async {
        for one in &started {
            store.ended(one.id).await;
        }
    };
    store.served(&handlers, all_ended).await;
    for (number, one) in started.iter().enumerate() {
        let execution = store.show(one.id).await;
        let message = execution.message.unwrap();
        assert!(message.starts_with("node a failed (final): HTTP 503"), "{message}");
        let next = store.follow_up(one.id).await;
        assert_eq!((next.trigger, next.previous), (Some(json!(number)), Some(one.id)));
    }
}

/// W3: an operator starts the follow-up at once, and only once.
async fn execution_is_retried_by_an_operator_once(store: Harness) {
    let flow = parsed(json!({ "name": "w", "nodes": [{ "nodeId": "a", "type": "do" }] }));
    let handlers = Handlers::default().when("a", [gone(), done(json!(1))]);
    let first = store.start(&flow, json!("t")).await;
    store.run(&handlers, first).await;
    let by = crate::harness::operator();
    let second = store.flow.retry(first, &by).await.unwrap();
    let rejected = store.flow.retry(first, &by).await.unwrap_err().to_string();
    assert!(rejected.contains(&format!("already retried as execution {second}")), "{rejected}");
    let rejected = store.flow.resume(first, &by).await.unwrap_err().to_string();
    assert!(rejected.contains("already retried as"), "{rejected}");
    let execution = store.run(&handlers, second).await;
    assert!(completed(&execution));
    assert_eq!((execution.previous, execution.trigger), (Some(first), Some(json!("t"))));
    assert!(store.flow.retry(second, &by).await.is_err(), "it completed");
}

/// P5: a chain's duration counts from its first execution.
async fn chain_duration_counts_from_its_first_execution(store: Harness) {
    let handlers = Handlers::default().when("b", [unavailable()]);
    let first = store.start(&weekly(), Value::Null).await;
    let earlier = Timestamp::now() - Duration::from_secs(3600);
    let (at, micros) = (earlier, earlier.as_microsecond());
    store
        .database
        .execute(
            &format!("UPDATE steadfast.executions SET counted_from = '{at}'"),
            &format!("UPDATE steadfast_executions SET counted_from = {micros}"),
        )
        .await;
    store.run(&handlers, first).await;
    let second = store.follow_up(first).await.id;
    let states = store.store().execution_states(&[first, second]).await.unwrap();
    assert_eq!(states.len(), 2);
    assert!(states.iter().all(|state| state.counted_from == states[0].counted_from));
    assert_eq!(states[0].counted_from.as_second(), earlier.as_second());
}

cases!(
    failed_execution_is_retried_after_7_and_14_days,
    chain_ends_with_a_success,
    final_fault_has_no_follow_up,
    execution_failed_by_lost_workers_has_a_follow_up,
    rate_limited_chain_ends_after_its_attempts,
    short_hint_keeps_the_delay_of_a_follow_up,
    long_hint_ends_the_chain,
    executions_failing_together_each_have_a_follow_up,
    execution_is_retried_by_an_operator_once,
    chain_duration_counts_from_its_first_execution,
);
