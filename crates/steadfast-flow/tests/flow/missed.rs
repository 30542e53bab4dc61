//! W4: what nobody told of is found by looking.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use sqlx::{Connection as _, PgConnection};
use steadfast_flow::{ExecutionId, ExecutionStatus, Flow, NodePlace, Start};
use steadfast_store::{ClaimRequest, Ending, Settlement, Step, Verdict};
use steadfast_worker::Maintenance;
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::harness::{Answer, Hands, Harness, PATIENCE, completed, gone, somebody, workflow};

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

    /// Everything that has ended did so this many seconds earlier.
    async fn age_ends(&self, seconds: u64) {
        let earlier = "ended SET ended_at = ended_at -";
        self.database
            .execute(
                &format!("UPDATE steadfast.{earlier} interval '{seconds} s'"),
                &format!("UPDATE steadfast_{earlier} {seconds} * 1000000"),
            )
            .await;
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

/// D6: what merely waits is not looked at to find what has ended.
async fn what_has_ended_is_found_among_all_that_waits(store: Harness) {
    let flow = workflow(&[("a", &[]), ("b", &["a"])]);
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(store.start(&flow, Value::Null).await);
    }
    let within = |seconds| Duration::from_secs(seconds);
    let found = async |seconds, limit| {
        store.store().executions_ended_within(within(seconds), limit).await.unwrap().executions
    };
    assert!(found(60, 10).await.is_empty(), "all of them wait");
    let task = store.show(ids[1]).await.nodes[0].task.unwrap();
    store.another().await.store().cancel(task, &somebody()).await.unwrap();
    assert_eq!(found(60, 10).await, [ids[1]]);
    store.settle_unheard(Verdict::Completed { result: None }).await;
    assert_eq!((found(60, 10).await.len(), found(60, 1).await.len()), (2, 1));
    store.age_ends(100).await;
    assert!(found(60, 10).await.is_empty(), "that was long ago");
    assert_eq!(found(200, 10).await.len(), 2);
    let hands = Hands::default();
    let sweeping = store.sweeping();
    let all = async {
        for id in &ids {
            sweeping.ended(*id).await;
        }
    };
    sweeping.served(&hands, all).await;
    assert!(found(200, 10).await.is_empty(), "they were noticed");
}

/// W4: several nodes of one execution are not mistaken for all that has ended.
async fn a_look_that_did_not_reach_everything_says_so(store: Harness) {
    let flow = workflow(&[("a", &[]), ("b", &[])]);
    for _ in 0..2 {
        let id = store.start(&flow, Value::Null).await;
        for node in store.show(id).await.nodes {
            store.another().await.store().cancel(node.task.unwrap(), &somebody()).await.unwrap();
        }
    }
    let minute = Duration::from_secs(60);
    let found = async |limit| store.store().executions_ended_within(minute, limit).await.unwrap();
    assert!(!found(2).await.is_all);
    let all = found(5).await;
    assert_eq!((all.executions.len(), all.is_all), (2, true));
}

/// W4: what ended while nobody served is found at once, however much waits beside it. In its turn
/// it would come after ten breaths of the slow round.
async fn what_ended_while_nobody_served_is_found_at_once(store: Harness) {
    let names: Vec<String> = (0..1000).map(|number| format!("n{number}")).collect();
    let nodes: Vec<(&str, &[&str])> = names.iter().map(|name| (name.as_str(), &[][..])).collect();
    let wide = Arc::new(workflow(&nodes));
    let waiting = (0..10).map(|_| Start::of(&wide, &Value::Null)).collect();
    store.flow.start_all(waiting).await.unwrap();
    let id = store.start(&workflow(&[("a", &[])]), Value::Null).await;
    let task = store.show(id).await.nodes[0].task.unwrap();
    store.another().await.store().cancel(task, &somebody()).await.unwrap();
    store.age_ends(3600).await;
    let found = async { timeout(Duration::from_secs(7), store.ended(id)).await };
    tokio::select! {
        () = store.flow.run_until(std::future::pending()) => {}
        found = found => assert!(found.is_ok(), "it is found only in its turn"),
    }
}

/// W4, D7: it is looked as often as the worker beside it looks for lost tasks. Looked at every five
/// seconds, as when nobody says anything, so many ends one after the other would take too long.
async fn it_is_looked_as_often_as_the_worker_looks(store: Harness) {
    let (flow, stop) = (Flow::new(store.store().clone()), Notify::new());
    let hands = Hands::default().when("a", [Answer::Never]);
    let often = Maintenance::default().reclaim_every(Duration::from_millis(20));
    let worker = hands.worker(store.store()).maintenance(often);
    // Another process, which tells nobody here.
    let other = store.another().await;
    let called_off = async {
        for _ in 0..20 {
            let id = other.start(&workflow(&[("a", &[])]), Value::Null).await;
            let task = other.show(id).await.nodes[0].task.unwrap();
            other.store().cancel(task, &somebody()).await.unwrap();
            store.ended(id).await;
        }
    };
    let served = async {
        timeout(PATIENCE, called_off).await.expect("they are found soon");
        stop.notify_one();
    };
    let (worked, ()) = tokio::join!(flow.serve(worker, stop.notified()), served);
    worked.unwrap();
}

/// D13: it ends in time even if the database does not answer.
async fn it_ends_in_time_though_a_step_hangs(store: Harness) {
    let id = store.start(&workflow(&[("a", &[]), ("b", &["a"])]), Value::Null).await;
    let task = store.show(id).await.nodes[0].task.unwrap();
    let mut other = PgConnection::connect(&store.database.url()).await.unwrap();
    let mut lock = other.begin().await.unwrap();
    let stop = Notify::new();
    let hangs = async {
        let held = "LOCK TABLE steadfast.executions IN ACCESS EXCLUSIVE MODE";
        sqlx::raw_sql(held).execute(&mut *lock).await.unwrap();
        store.store().cancel(task, &somebody()).await.unwrap();
        let waits = "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
                      WHERE NOT l.granted AND d.datname = current_database()";
        while sqlx::query_scalar::<_, i64>(waits).fetch_one(&mut *lock).await.unwrap() == 0 {
            tokio::task::yield_now().await;
        }
        stop.notify_one();
    };
    let ended = async { tokio::join!(store.flow.run_until(stop.notified()), hangs) };
    timeout(Duration::from_secs(30), ended).await.expect("it ends");
    lock.rollback().await.unwrap();
    assert_eq!(store.show(id).await.status, ExecutionStatus::Running, "it is left for another");
}

/// W4: a step that the database refuses for the moment is taken again, and no sweep is needed.
async fn a_step_that_meets_a_deadlock_is_taken_again(store: Harness) {
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
    let hands = Hands::default();
    let execution = store.done(&hands, &workflow(&[("a", &[]), ("b", &["a"])])).await;
    assert!(completed(&execution), "{execution:?}");
    assert_eq!((hands.count("a"), hands.count("b")), (1, 1));
}

#[test]
fn a_deadlock_needs_no_sweep() {
    crate::harness::on_postgres(a_step_that_meets_a_deadlock_is_taken_again);
}

#[test]
fn it_ends_in_time() {
    crate::harness::on_postgres(it_ends_in_time_though_a_step_hangs);
}

/// D19: who serves workflows elsewhere is told of what is settled over HTTP by his own look.
async fn a_failure_that_nobody_told_of_is_found(store: Harness) {
    let id = store.start(&workflow(&[("a", &[]), ("b", &["a"])]), Value::Null).await;
    let hands = Hands::default().when("a", [gone()]);
    let other = store.another().await;
    // A worker that knows nothing of workflows.
    let stop = Notify::new();
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
    what_has_ended_is_found_among_all_that_waits,
    a_look_that_did_not_reach_everything_says_so,
    what_ended_while_nobody_served_is_found_at_once,
    an_end_that_nobody_told_of_is_found,
    it_is_looked_as_often_as_the_worker_looks,
    tasks_that_outlive_their_execution_are_called_off,
    a_node_whose_task_is_gone_fails_with_what_to_do,
    a_failure_that_nobody_told_of_is_found,
);
