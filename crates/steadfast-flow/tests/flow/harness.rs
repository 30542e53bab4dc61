//! Where a case runs: a store with nothing in it, its workflows, and a worker whose handlers do
//! as the case says.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqliteConnection};
use steadfast::Fault;
use steadfast_flow::{Execution, ExecutionId, ExecutionStatus, Flow, Start, Workflow};
use steadfast_store::{Actor, Store, StoredTask};
use steadfast_testing::postgres;
use steadfast_worker::handlers::Commands;
use steadfast_worker::{Context, Maintenance, Worker};
use tempfile::TempDir;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};

/// How long anything may take that takes a moment.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Makes a test of each case for each engine.
macro_rules! cases {
    ($($case:ident),+ $(,)?) => {
        mod postgres {
            $(#[test] fn $case() { $crate::harness::on_postgres(super::$case) })+
        }
        mod sqlite {
            $(#[test] fn $case() { $crate::harness::on_sqlite(super::$case) })+
        }
    };
}

pub(crate) fn on_postgres<F: Future<Output = ()>>(case: impl FnOnce(Harness) -> F) {
    // Blocks, so it is made before there is a runtime.
    let database = postgres::Database::fresh().unwrap_or_else(|error| panic!("{error}"));
    run(Database::Postgres(database), case);
}

pub(crate) fn on_sqlite<F: Future<Output = ()>>(case: impl FnOnce(Harness) -> F) {
    run(Database::Sqlite(tempfile::tempdir().unwrap()), case);
}

fn run<F: Future<Output = ()>>(database: Database, case: impl FnOnce(Harness) -> F) {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let database = Arc::new(database);
    runtime.block_on(async {
        let harness = Harness::open(database.clone()).await;
        case(harness).await;
    });
    drop(runtime);
}

pub(crate) enum Database {
    Postgres(postgres::Database),
    Sqlite(TempDir),
}

impl Database {
    pub(crate) fn url(&self) -> String {
        match self {
            Self::Postgres(database) => database.url().to_owned(),
            Self::Sqlite(directory) => {
                format!("sqlite:{}", directory.path().join("tasks.db").display())
            }
        }
    }

    /// Runs statements past the store, as each engine spells them.
    pub(crate) async fn execute(&self, on_postgres: &str, on_sqlite: &str) {
        match self {
            Self::Postgres(_) => {
                let mut connection = PgConnection::connect(&self.url()).await.unwrap();
                let statements = AssertSqlSafe(on_postgres.to_owned());
                sqlx::raw_sql(statements).execute(&mut connection).await.unwrap();
            }
            Self::Sqlite(_) => {
                let mut connection = SqliteConnection::connect(&self.url()).await.unwrap();
                let statements = AssertSqlSafe(on_sqlite.to_owned());
                sqlx::raw_sql(statements).execute(&mut connection).await.unwrap();
            }
        }
    }
}

/// A store and its workflows.
pub(crate) struct Harness {
    pub(crate) flow: Flow,
    pub(crate) database: Arc<Database>,
}

impl Harness {
    async fn open(database: Arc<Database>) -> Self {
        let store = Store::open(&database.url()).await.unwrap();
        let flow = Flow::new(store).sweep_every(Duration::from_secs(3600));
        Self { flow, database }
    }

    /// One more process.
    pub(crate) async fn another(&self) -> Self {
        Self::open(self.database.clone()).await
    }

    pub(crate) fn store(&self) -> &Store {
        self.flow.store()
    }

    pub(crate) async fn start(&self, workflow: &Workflow, trigger: Value) -> ExecutionId {
        self.flow.start(Start::of(workflow, &trigger)).await.unwrap().id
    }

    pub(crate) async fn show(&self, id: ExecutionId) -> Execution {
        self.flow.execution(id).await.unwrap()
    }

    /// Serves workflows with these hands until the future is done.
    pub(crate) async fn served<T>(&self, hands: &Hands, until: impl Future<Output = T>) -> T {
        let stop = Notify::new();
        let work = self.flow.serve(hands.worker(self.store()), stop.notified());
        let wait = async {
            let done = timeout(2 * PATIENCE, until).await;
            stop.notify_one();
            done.expect("it takes too long")
        };
        let (worked, done) = tokio::join!(work, wait);
        worked.unwrap();
        done
    }

    /// Serves workflows until this execution has ended.
    pub(crate) async fn run(&self, hands: &Hands, id: ExecutionId) -> Execution {
        self.served(hands, self.ended(id)).await
    }

    /// Looks until an execution has ended.
    pub(crate) async fn ended(&self, id: ExecutionId) -> Execution {
        self.until(id, |execution| execution.ended_at.is_some()).await
    }

    pub(crate) async fn until(
        &self,
        id: ExecutionId,
        is_so: impl Fn(&Execution) -> bool,
    ) -> Execution {
        let began = Instant::now();
        loop {
            let execution = self.show(id).await;
            if is_so(&execution) {
                return execution;
            }
            if began.elapsed() > PATIENCE {
                panic!("it takes too long: {execution:#?}\n{:#?}", self.tasks(&execution).await);
            }
            sleep(Duration::from_millis(5)).await;
        }
    }

    /// The tasks of an execution, as they are stored.
    async fn tasks(&self, execution: &Execution) -> Vec<StoredTask> {
        let mut tasks = Vec::new();
        for task in execution.nodes.iter().filter_map(|node| node.task) {
            tasks.extend(self.store().task(task).await);
        }
        tasks
    }

    /// Starts an execution and serves it to its end.
    pub(crate) async fn done(&self, hands: &Hands, workflow: &Workflow) -> Execution {
        let id = self.start(workflow, Value::Null).await;
        self.run(hands, id).await
    }
}

/// What handlers of the kind `do` do, by the node that they are asked for, and what they were
/// asked.
#[derive(Clone, Default)]
pub(crate) struct Hands(Arc<Inner>);

#[derive(Default)]
struct Inner {
    answers: Mutex<HashMap<String, Vec<Answer>>>,
    asked: Mutex<Vec<(String, Value)>>,
}

/// What a handler answers.
#[derive(Clone)]
pub(crate) enum Answer {
    Done(Value),
    Failed(Fault),
    /// Not before it is called off.
    Never,
}

impl Hands {
    /// Answers these in turn when this node is asked for, and then the last again. Who is told
    /// nothing is done at once.
    pub(crate) fn when(self, node: &str, answers: impl IntoIterator<Item = Answer>) -> Self {
        let answers = answers.into_iter().collect();
        self.0.answers.lock().unwrap().insert(node.to_owned(), answers);
        self
    }

    /// How often a node was asked for, over all executions.
    pub(crate) fn count(&self, node: &str) -> usize {
        self.0.asked.lock().unwrap().iter().filter(|(asked, _)| asked == node).count()
    }

    /// What a node was asked, each time.
    pub(crate) fn asked(&self, node: &str) -> Vec<Value> {
        let asked = self.0.asked.lock().unwrap();
        asked.iter().filter(|(name, _)| name == node).map(|(_, payload)| payload.clone()).collect()
    }

    fn answer(&self, node: &str, payload: Value) -> Answer {
        self.0.asked.lock().unwrap().push((node.to_owned(), payload));
        let mut answers = self.0.answers.lock().unwrap();
        match answers.get_mut(node) {
            Some(answers) if answers.len() > 1 => answers.remove(0),
            Some(answers) => answers[0].clone(),
            None => Answer::Done(json!(node)),
        }
    }

    pub(crate) fn worker(&self, store: &Store) -> Worker {
        let hands = self.clone();
        let work = move |payload: Value, context: Context| {
            let hands = hands.clone();
            async move {
                let (_, node) = context.key().split_once('/').unwrap();
                match hands.answer(node, payload) {
                    Answer::Done(value) => Ok(value),
                    Answer::Failed(fault) => Err(fault),
                    Answer::Never => std::future::pending().await,
                }
            }
        };
        Worker::new(store.clone())
            .handle("do", work)
            .commands(Commands::new(["sh"]))
            .grace(Duration::from_millis(50))
            .maintenance(Maintenance::default())
    }
}

/// A workflow of nodes of the kind `do`, each with the nodes that it waits for.
pub(crate) fn workflow(nodes: &[(&str, &[&str])]) -> Workflow {
    let nodes: Vec<_> = nodes
        .iter()
        .map(|(id, before)| json!({ "nodeId": id, "type": "do", "dependsOn": before }))
        .collect();
    parsed(json!({ "name": "test", "nodes": nodes }))
}

pub(crate) fn parsed(workflow: Value) -> Workflow {
    Workflow::parse(&workflow.to_string()).unwrap()
}

/// Worth another try.
pub(crate) fn unavailable() -> Answer {
    Answer::Failed(Fault::http(503).with_message("overloaded"))
}

/// Not worth one.
pub(crate) fn gone() -> Answer {
    Answer::Failed(Fault::http(404).with_message("no such customer"))
}

pub(crate) fn done(value: Value) -> Answer {
    Answer::Done(value)
}

pub(crate) fn somebody() -> Actor {
    Actor::new("somebody")
}

pub(crate) fn completed(execution: &Execution) -> bool {
    execution.status == ExecutionStatus::Completed
}
