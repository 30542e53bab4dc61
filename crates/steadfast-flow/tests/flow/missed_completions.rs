//! W4: missed completions are found by the sweeps.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use sqlx::{Connection as _, PgConnection};
use steadfast_flow::{ExecutionId, ExecutionNodeStatus, ExecutionStatus, Flow, Start};
use steadfast_store::{ClaimRequest, Ending, Settlement, Step, Verdict};
use steadfast_worker::Maintenance;
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::harness::{
    Handlers, Harness, Response, TEST_TIMEOUT, completed, gone, operator, workflow,
};

impl Harness {
    /// Settles the next task through another store whose completions are not published, as if its
    /// process had been killed.
    pub(crate) async fn settle_unpublished(&self, verdict: Verdict) {
        let other = self.another().await;
        let claimed = other.store().claim(&ClaimRequest::new("lost", 1)).await.unwrap().tasks;
        let task = &claimed[0];
        let settlement = Settlement { id: task.id, fencing_token: task.fencing_token, verdict };
        other.store().settle(vec![settlement]).await.unwrap();
    }

    /// Moves all ends this many seconds back.
    async fn age_ends(&self, seconds: u64) {
        let earlier = "ended SET ended_at = ended_at -";
        self.database
            .execute(
                &format!("UPDATE steadfast.{earlier} interval '{seconds} s'"),
                &format!("UPDATE steadfast_{earlier} {seconds} * 1000000"),
            )
            .await;
    }

    /// Fails an execution without cancelling its tasks, as if its process had been killed.
    pub(crate) async fn end_without_cancelling_tasks(&self, id: ExecutionId) {
        let state = self.store().execution_states(&[id]).await.unwrap().remove(0);
        let mut step = Step::of(id, state.version);
        step.ending = Some(Ending::plain(ExecutionStatus::Failed));
        assert_eq!(self.store().apply_steps(vec![step]).await.unwrap(), [true]);
    }

    /// The same workflows with frequent sweeps.
    pub(crate) fn sweeping(&self) -> Self {
        let flow = Flow::new(self.store().clone()).sweep_every(Duration::from_millis(20));
        Self { flow, database: self.database.clone() }
    }
}

/// W4: a missed completion of a node is found, and its execution advances.
async fn missed_completion_is_found(store: Harness) {
    let id = store.start(&workflow(&[("a", &[]), ("b", &["a"])]), Value::Null).await;
    store.settle_unpublished(Verdict::Completed { result: Some("7".to_owned()) }).await;
    assert_eq!(store.show(id).await.nodes[0].status, ExecutionNodeStatus::Submitted);
    let handlers = Handlers::default();
    let execution = store.sweeping().run(&handlers, id).await;
    assert!(completed(&execution));
    assert_eq!((handlers.count("a"), handlers.count("b")), (0, 1));
}

/// W4: open tasks of a finished execution are cancelled by any process.
async fn open_tasks_of_an_ended_execution_are_cancelled(store: Harness) {
    let flow = workflow(&[("bad", &[]), ("slow", &[])]);
    let id = store.start(&flow, Value::Null).await;
    store.end_without_cancelling_tasks(id).await;
    let handlers =
        Handlers::default().when("slow", [Response::Never]).when("bad", [Response::Never]);
    let sweeping = store.sweeping();
    let over = sweeping.until(id, |execution| {
        execution.nodes.iter().all(|node| node.status == ExecutionNodeStatus::Cancelled)
    });
    sweeping.served(&handlers, over).await;
}

/// W4: a node whose task was pruned fails with a hint.
async fn node_with_a_pruned_task_fails_with_a_hint(store: Harness) {
    let id = store.start(&workflow(&[("a", &[])]), Value::Null).await;
    store.settle_unpublished(Verdict::Completed { result: None }).await;
    store.prune_tasks().await;
    let handlers = Handlers::default();
    let execution = store.sweeping().run(&handlers, id).await;
    assert_eq!(execution.status, ExecutionStatus::Failed);
    assert!(execution.nodes[0].message.as_ref().unwrap().contains("resume the execution"));
    store.flow.resume(id, &operator()).await.unwrap();
    assert!(completed(&store.run(&handlers, id).await));
}

/// D6: scheduled tasks are not read to find ended ones.
async fn ended_task_is_found_among_scheduled_ones(store: Harness) {
    let flow = workflow(&[("a", &[]), ("b", &["a"])]);
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(store.start(&flow, Value::Null).await);
    }
    let within = |seconds| Duration::from_secs(seconds);
    let found = async |seconds, limit| {
        store.store().missed_completions(within(seconds), limit).await.unwrap().executions
    };
    assert!(found(60, 10).await.is_empty(), "no task has ended");
    let task = store.show(ids[1]).await.nodes[0].task.unwrap();
    store.another().await.store().cancel(task, &operator()).await.unwrap();
    assert_eq!(found(60, 10).await, [ids[1]]);
    store.settle_unpublished(Verdict::Completed { result: None }).await;
    assert_eq!((found(60, 10).await.len(), found(60, 1).await.len()), (2, 1));
    store.age_ends(100).await;
    assert!(found(60, 10).await.is_empty(), "they ended before the window");
    assert_eq!(found(200, 10).await.len(), 2);
    let handlers = Handlers::default();
    let sweeping = store.sweeping();
    let all = async {
        for id in &ids {
            sweeping.ended(*id).await;
        }
    };
    sweeping.served(&handlers, all).await;
    assert!(found(200, 10).await.is_empty(), "they were recorded");
}

/// W4: several nodes of one execution are not mistaken for all finished tasks.
async fn incomplete_sweep_is_reported_as_incomplete(store: Harness) {
    let flow = workflow(&[("a", &[]), ("b", &[])]);
    for _ in 0..2 {
        let id = store.start(&flow, Value::Null).await;
        for node in store.show(id).await.nodes {
            store.another().await.store().cancel(node.task.unwrap(), &operator()).await.unwrap();
        }
    }
    let minute = Duration::from_secs(60);
    let found = async |limit| store.store().missed_completions(minute, limit).await.unwrap();
    assert!(!found(2).await.is_all);
    let all = found(5).await;
    assert_eq!((all.executions.len(), all.is_all), (2, true));
}

/// W4: tasks that ended while no process served are found at once, among many scheduled ones. The
/// full sweep would find them after ten pauses.
async fn task_ended_while_not_serving_is_found_at_once(store: Harness) {
    let names: Vec<String> = (0..1000).map(|number| format!("n{number}")).collect();
    let nodes: Vec<(&str, &[&str])> = names.iter().map(|name| (name.as_str(), &[][..])).collect();
    let wide = Arc::new(workflow(&nodes));
    let waiting = (0..10).map(|_| Start::of(&wide, &Value::Null)).collect();
    store.flow.start_all(waiting).await.unwrap();
    let id = store.start(&workflow(&[("a", &[])]), Value::Null).await;
    let task = store.show(id).await.nodes[0].task.unwrap();
    store.another().await.store().cancel(task, &operator()).await.unwrap();
    store.age_ends(3600).await;
    let found = async { timeout(Duration::from_secs(7), store.ended(id)).await };
    tokio::select! {
        () = store.flow.run_until(std::future::pending()) => {}
        found = found => assert!(found.is_ok(), "only the full sweep would find it"),
    }
}

/// W4, D7: the sweep is as frequent as the worker's reclaim. At the default of five
/// seconds, this many ends in sequence would take too long.
async fn sweep_interval_follows_the_worker(store: Harness) {
    let (flow, stop) = (Flow::new(store.store().clone()), Notify::new());
    let handlers = Handlers::default().when("a", [Response::Never]);
    let often = Maintenance::default().reclaim_every(Duration::from_millis(20));
    let worker = handlers.worker(store.store()).maintenance(often);
    // Another process, whose completions are not published here.
    let other = store.another().await;
    let cancelled = async {
        for _ in 0..20 {
            let id = other.start(&workflow(&[("a", &[])]), Value::Null).await;
            let task = other.show(id).await.nodes[0].task.unwrap();
            other.store().cancel(task, &operator()).await.unwrap();
            store.ended(id).await;
        }
    };
    let served = async {
        timeout(TEST_TIMEOUT, cancelled).await.expect("the ends are found soon");
        stop.notify_one();
    };
    let (worked, ()) = tokio::join!(flow.serve(worker, stop.notified()), served);
    worked.unwrap();
}

/// D13: shutdown is in time even if the database does not answer.
async fn shutdown_while_a_step_hangs(store: Harness) {
    let id = store.start(&workflow(&[("a", &[]), ("b", &["a"])]), Value::Null).await;
    let task = store.show(id).await.nodes[0].task.unwrap();
    let mut other = PgConnection::connect(&store.database.url()).await.unwrap();
    let mut lock = other.begin().await.unwrap();
    let stop = Notify::new();
    let hangs = async {
        let held = "LOCK TABLE steadfast.executions IN ACCESS EXCLUSIVE MODE";
        sqlx::raw_sql(held).execute(&mut *lock).await.unwrap();
        store.store().cancel(task, &operator()).await.unwrap();
        let waits = "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
                      WHERE NOT l.granted AND d.datname = current_database()";
        while sqlx::query_scalar::<_, i64>(waits).fetch_one(&mut *lock).await.unwrap() == 0 {
            tokio::task::yield_now().await;
        }
        stop.notify_one();
    };
    let ended = async { tokio::join!(store.flow.run_until(stop.notified()), hangs) };
    timeout(Duration::from_secs(30), ended).await.expect("shutdown is in time");
    lock.rollback().await.unwrap();
    assert_eq!(
        store.show(id).await.status,
        ExecutionStatus::Running,
        "it is left for another process"
    );
}

/// W4: a step that hits a deadlock is retried without a sweep.
async fn step_with_a_deadlock(store: Harness) {
    let refuses = "
        CREATE SEQUENCE public.refused;
        CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF nextval('public.refused') <= 2 THEN
                RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '40P01';
            END IF;
            RETURN NEW;
        END $$;
        CREATE TRIGGER refuse BEFORE UPDATE ON steadfast.executions
            FOR EACH ROW EXECUTE FUNCTION public.refuse();";
    store.database.execute(refuses, "").await;
    let handlers = Handlers::default();
    let execution = store.done(&handlers, &workflow(&[("a", &[]), ("b", &["a"])])).await;
    assert!(completed(&execution), "{execution:?}");
    assert_eq!((handlers.count("a"), handlers.count("b")), (1, 1));
}

#[test]
fn step_with_a_deadlock_is_retried_without_a_sweep() {
    crate::harness::on_postgres(step_with_a_deadlock);
}

#[test]
fn shutdown_while_a_step_hangs_is_in_time() {
    crate::harness::on_postgres(shutdown_while_a_step_hangs);
}

/// D19: a process finds failures that were settled by a worker without workflows.
async fn missed_failure_is_found(store: Harness) {
    let id = store.start(&workflow(&[("a", &[]), ("b", &["a"])]), Value::Null).await;
    let handlers = Handlers::default().when("a", [gone()]);
    let other = store.another().await;
    // A worker without workflows.
    let stop = Notify::new();
    let called = async {
        while handlers.count("a") == 0 {
            tokio::task::yield_now().await;
        }
        stop.notify_one();
    };
    let work = handlers.worker(other.store()).run_until(stop.notified());
    let both = async { tokio::join!(work, called) };
    let (worked, ()) = timeout(TEST_TIMEOUT, both).await.expect("node a is called");
    worked.unwrap();
    let execution = store.sweeping().run(&handlers, id).await;
    assert_eq!(execution.status, ExecutionStatus::Failed);
}

cases!(
    ended_task_is_found_among_scheduled_ones,
    incomplete_sweep_is_reported_as_incomplete,
    task_ended_while_not_serving_is_found_at_once,
    missed_completion_is_found,
    sweep_interval_follows_the_worker,
    open_tasks_of_an_ended_execution_are_cancelled,
    node_with_a_pruned_task_fails_with_a_hint,
    missed_failure_is_found,
);
