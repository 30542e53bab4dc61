//! W3: an execution with its own retry is followed by a new one from the saved trigger.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};
use steadfast::{Fault, Hint};
use steadfast_flow::{Execution, ExecutionId, ExecutionStatus, Start, Workflow};
use steadfast_store::worker_lost;

use crate::harness::{Answer, Hands, Harness, completed, done, gone, parsed, unavailable};

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

/// Too many requests, and when to come back.
fn asked_to_wait(hint: Duration) -> Answer {
    Answer::Failed(Fault::http(429).with_hint(Hint::After(hint)))
}

impl Harness {
    /// The days until the first nodes of an execution are due have passed.
    async fn let_days_pass(&self, execution: &Execution) {
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

    /// Looks until executions have ended that are followed by none.
    async fn last_of_chain(&self, first: ExecutionId) -> Execution {
        let mut execution = self.ended(first).await;
        while let Some(next) = execution.next {
            execution = self.ended(next).await;
        }
        execution
    }

    async fn follower(&self, id: ExecutionId) -> Execution {
        let next = self.show(id).await.next.expect("one follows");
        self.show(next).await
    }
}

/// W3, P6: the schedule of 7 and 14 days. Each execution is a new one with the saved trigger, and
/// all of its nodes run again.
async fn an_execution_is_tried_again_after_7_and_14_days(store: Harness) {
    let hands = Hands::default().when("b", [unavailable()]);
    let trigger = json!({ "user": "ada" });
    let first = store.start(&weekly(), trigger.clone()).await;
    assert_eq!(store.run(&hands, first).await.status, ExecutionStatus::Failed);

    let second = store.follower(first).await;
    assert_eq!((second.status, second.attempt), (ExecutionStatus::Running, 2));
    assert_eq!((second.previous, &second.trigger), (Some(first), &trigger));
    assert_eq!(days(second.started_at, second.due_at), 7);
    let task = store.store().task(second.nodes[0].task.unwrap()).await.unwrap();
    assert_eq!(days(second.started_at, task.scheduled_at), 7);
    assert_eq!(hands.count("a"), 1, "its time has not come");

    store.let_days_pass(&second).await;
    assert_eq!(store.run(&hands, second.id).await.status, ExecutionStatus::Failed);
    let third = store.follower(second.id).await;
    assert_eq!((third.attempt, days(third.started_at, third.due_at)), (3, 14));

    store.let_days_pass(&third).await;
    let third = store.run(&hands, third.id).await;
    assert_eq!((third.status, third.next), (ExecutionStatus::Failed, None));
    let message = third.message.unwrap();
    assert!(message.ends_with("no other execution follows: attempts_exhausted"), "{message}");
    assert_eq!((hands.count("a"), hands.count("b")), (3, 3));

    for id in [first, second.id, third.id] {
        let chain = store.flow.chain(id).await.unwrap();
        let ids: Vec<_> = chain.iter().map(|execution| execution.id).collect();
        assert_eq!(ids, [first, second.id, third.id], "the same from wherever it is asked");
    }
}

/// W3: what succeeds at last ends the chain.
async fn a_chain_ends_with_a_success(store: Harness) {
    let hands = Hands::default().when("b", [unavailable(), done(json!(1))]);
    let first = store.start(&weekly(), Value::Null).await;
    store.run(&hands, first).await;
    let second = store.follower(first).await;
    store.let_days_pass(&second).await;
    let second = store.run(&hands, second.id).await;
    assert!(completed(&second));
    assert_eq!(second.next, None);
}

/// J2: a fault that is final for the workflow's policy is not tried again.
async fn a_final_fault_is_followed_by_nothing(store: Harness) {
    let hands = Hands::default().when("a", [gone()]);
    let execution = store.done(&hands, &weekly()).await;
    assert_eq!(execution.next, None);
    let message = execution.message.unwrap();
    assert!(message.ends_with("no other execution follows: final"), "{message}");
}

/// W3, D7: workers that were lost are followed by another execution, whatever else the workflow's
/// own retry lists.
async fn lost_workers_are_followed_by_another_execution(store: Harness) {
    let flow = parsed(json!({
        "name": "w",
        "retry": {
            "enabled": true, "strategy": "immediate", "maxAttempts": 2, "retryOn": ["5xx"]
        },
        "nodes": [{ "nodeId": "a", "type": "do" }]
    }));
    let hands = Hands::default().when("a", [Answer::Failed(worker_lost("somebody"))]);
    let execution = store.done(&hands, &flow).await;
    assert_eq!(execution.status, ExecutionStatus::Failed);
    assert!(execution.next.is_some(), "{:?}", execution.message);
}

/// W3, J2: another execution is an attempt, even where the other side asked to be left alone for a
/// while: its nodes all run again.
async fn a_chain_ends_though_it_is_always_asked_to_wait(store: Harness) {
    let flow = parsed(json!({
        "name": "w",
        "retry": { "enabled": true, "strategy": "immediate", "maxAttempts": 2 },
        "nodes": [
            { "nodeId": "a", "type": "do" },
            { "nodeId": "b", "type": "do", "dependsOn": ["a"] },
        ]
    }));
    let hands = Hands::default().when("b", [asked_to_wait(Duration::ZERO)]);
    let first = store.start(&flow, Value::Null).await;
    let last = store.served(&hands, store.last_of_chain(first)).await;
    assert_eq!((last.attempt, hands.count("a"), hands.count("b")), (3, 3, 3));
    let message = last.message.unwrap();
    assert!(message.ends_with("no other execution follows: attempts_exhausted"), "{message}");
}

/// W3, J2: how long the other side asked to wait is the least that is waited for.
async fn a_hint_is_the_least_that_a_chain_waits_for(store: Harness) {
    for (hinted, waited) in [(1, 7), (10, 10)] {
        let hint = Duration::from_secs(hinted * 86_400);
        let hands = Hands::default().when("a", [asked_to_wait(hint)]);
        let execution = store.done(&hands, &weekly()).await;
        let next = store.follower(execution.id).await;
        assert_eq!(days(execution.ended_at.unwrap(), next.due_at), waited);
    }
}

/// W3: when many fail together, each says why, and each is followed by its own.
async fn many_that_fail_together_are_each_followed(store: Harness) {
    let hands = Hands::default().when("a", [unavailable()]);
    let starts = (0..20).map(|number| Start::of(&weekly(), &json!(number)));
    let started = store.flow.start_all(starts.collect()).await.unwrap();
    let all_ended = async {
        for one in &started {
            store.ended(one.id).await;
        }
    };
    store.served(&hands, all_ended).await;
    for (number, one) in started.iter().enumerate() {
        let execution = store.show(one.id).await;
        let told = execution.message.unwrap();
        assert!(told.starts_with("node a failed (final): HTTP 503"), "{told}");
        let next = store.follower(one.id).await;
        assert_eq!((next.trigger, next.previous), (json!(number), Some(one.id)));
    }
}

/// W3: who does not want to wait starts the next one by hand, and only once.
async fn an_execution_is_retried_by_hand(store: Harness) {
    let flow = parsed(json!({ "name": "w", "nodes": [{ "nodeId": "a", "type": "do" }] }));
    let hands = Hands::default().when("a", [gone(), done(json!(1))]);
    let first = store.start(&flow, json!("t")).await;
    store.run(&hands, first).await;
    let by = crate::harness::somebody();
    let second = store.flow.retry(first, &by).await.unwrap();
    let refused = store.flow.retry(first, &by).await.unwrap_err().to_string();
    assert!(refused.contains("followed by another already"), "{refused}");
    let refused = store.flow.resume(first, &by).await.unwrap_err().to_string();
    assert!(refused.contains("cannot be resumed"), "{refused}");
    let execution = store.run(&hands, second).await;
    assert!(completed(&execution));
    assert_eq!((execution.previous, execution.trigger), (Some(first), json!("t")));
    assert!(store.flow.retry(second, &by).await.is_err(), "it completed");
}

/// P5: a chain that would go on for longer than its policy allows ends.
async fn a_chain_counts_its_time_from_its_first_execution(store: Harness) {
    let hands = Hands::default().when("b", [unavailable()]);
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
    store.run(&hands, first).await;
    let second = store.follower(first).await.id;
    let states = store.store().execution_states(&[first, second]).await.unwrap();
    assert_eq!(states.len(), 2);
    assert!(states.iter().all(|state| state.counted_from == states[0].counted_from));
    assert_eq!(states[0].counted_from.as_second(), earlier.as_second());
}

cases!(
    an_execution_is_tried_again_after_7_and_14_days,
    a_chain_ends_with_a_success,
    a_final_fault_is_followed_by_nothing,
    lost_workers_are_followed_by_another_execution,
    a_chain_ends_though_it_is_always_asked_to_wait,
    a_hint_is_the_least_that_a_chain_waits_for,
    many_that_fail_together_are_each_followed,
    an_execution_is_retried_by_hand,
    a_chain_counts_its_time_from_its_first_execution,
);
