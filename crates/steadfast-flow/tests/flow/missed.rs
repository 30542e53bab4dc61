//! W4: what nobody told of is found by looking.

use std::time::Duration;

use serde_json::Value;
use steadfast_flow::{ExecutionId, ExecutionStatus, Flow, NodePlace};
use steadfast_store::{ClaimRequest, Ending, Settlement, Step, Verdict};

use crate::harness::{Answer, Hands, Harness, completed, gone, somebody, workflow};

impl Harness {
    /// Somebody settles the next task through a store that nobody listens to: his process is
    /// killed before he can tell.
    pub(crate) async fn settle_unheard(&self, verdict: Verdict) {
        let other = self.another().await;
        let claimed = other.store().claim(&ClaimRequest::new("lost", 1)).await.unwrap().tasks;
        let task = &claimed[0];
        let settlement = Settlement { id: task.id, version: task.version, verdict };
        other.store().settle(vec![settlement]).await.unwrap();
    }

    /// An execution has failed, and whoever failed it was killed before he called its tasks off.
    pub(crate) async fn end_without_its_tasks(&self, id: ExecutionId) {
        let state = self.store().execution_states(&[id]).await.unwrap().remove(0);
        let mut step = Step::of(id, state.version);
        step.ending = Some(Ending::plain(ExecutionStatus::Failed));
        assert_eq!(self.store().take_steps(vec![step]).await.unwrap(), [true]);
    }

    /// The same workflows, looked at often.
    pub(crate) fn sweeping(&self) -> Self {
        let flow = Flow::new(self.store().clone()).sweep_every(Duration::from_millis(20));
        Self { flow, database: self.database.clone() }
    }
}

/// W4: a node that completed without anybody noticing is noticed, and its execution goes on.
async fn an_end_that_nobody_told_of_is_found(store: Harness) {
    let id = store.start(&workflow(&[("a", &[]), ("b", &["a"])]), Value::Null).await;
    store.settle_unheard(Verdict::Completed { result: Some("7".to_owned()) }).await;
    assert_eq!(store.show(id).await.nodes[0].status, NodePlace::Submitted);
    let hands = Hands::default();
    let execution = store.sweeping().run(&hands, id).await;
    assert!(completed(&execution));
    assert_eq!((hands.count("a"), hands.count("b")), (0, 1));
}

/// W4: tasks of an execution that has ended are called off, even by somebody else.
async fn tasks_that_outlive_their_execution_are_called_off(store: Harness) {
    let flow = workflow(&[("bad", &[]), ("slow", &[])]);
    let id = store.start(&flow, Value::Null).await;
    store.end_without_its_tasks(id).await;
    let hands = Hands::default().when("slow", [Answer::Never]).when("bad", [Answer::Never]);
    let sweeping = store.sweeping();
    let over = sweeping.until(id, |execution| {
        execution.nodes.iter().all(|node| node.status == NodePlace::Cancelled)
    });
    sweeping.served(&hands, over).await;
}

/// W4: a node whose task is gone fails, and says what to do.
async fn a_node_whose_task_is_gone_fails_with_what_to_do(store: Harness) {
    let id = store.start(&workflow(&[("a", &[])]), Value::Null).await;
    store.settle_unheard(Verdict::Completed { result: None }).await;
    store.forget_tasks().await;
    let hands = Hands::default();
    let execution = store.sweeping().run(&hands, id).await;
    assert_eq!(execution.status, ExecutionStatus::Failed);
    assert!(execution.nodes[0].message.as_ref().unwrap().contains("resume the execution"));
    store.flow.resume(id, &somebody()).await.unwrap();
    assert!(completed(&store.run(&hands, id).await));
}

/// D19: who serves workflows elsewhere is told of what is settled over HTTP by his own look.
async fn a_failure_that_nobody_told_of_is_found(store: Harness) {
    let id = store.start(&workflow(&[("a", &[]), ("b", &["a"])]), Value::Null).await;
    let hands = Hands::default().when("a", [gone()]);
    let other = store.another().await;
    // A worker that knows nothing of workflows.
    let stop = tokio::sync::Notify::new();
    let asked = async {
        while hands.count("a") == 0 {
            tokio::task::yield_now().await;
        }
        stop.notify_one();
    };
    let work = hands.worker(other.store()).run_until(stop.notified());
    let (worked, ()) = tokio::join!(work, asked);
    worked.unwrap();
    let execution = store.sweeping().run(&hands, id).await;
    assert_eq!(execution.status, ExecutionStatus::Failed);
}

cases!(
    an_end_that_nobody_told_of_is_found,
    tasks_that_outlive_their_execution_are_called_off,
    a_node_whose_task_is_gone_fails_with_what_to_do,
    a_failure_that_nobody_told_of_is_found,
);
