//! The harness of a case: an empty store, its workflows, and a worker with scripted
//! handlers.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use steadfast::Fault;
use steadfast_flow::{Execution, ExecutionId, ExecutionStatus, Flow, Start, Workflow};
use steadfast_store::{Actor, Store, StoredTask};
use steadfast_testing::StoreDatabase;
use steadfast_worker::handlers::Commands;
use steadfast_worker::{Context, Maintenance, Worker};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};

/// No wait takes this long; a longer one fails the case.
pub(crate) const TEST_TIMEOUT: Duration = Duration::from_secs(60);

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
    run(StoreDatabase::postgres().unwrap(), case);
}

pub(crate) fn on_sqlite<F: Future<Output = ()>>(case: impl FnOnce(Harness) -> F) {
    run(StoreDatabase::sqlite().unwrap(), case);
}

fn run<F: Future<Output = ()>>(database: StoreDatabase, case: impl FnOnce(Harness) -> F) {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let database = Arc::new(database);
    runtime.block_on(async {
        let harness = Harness::open(database.clone()).await;
        case(harness).await;
    });
    drop(runtime);
}

/// A store and its workflows.
pub(crate) struct Harness {
    pub(crate) flow: Flow,
    pub(crate) database: Arc<StoreDatabase>,
}

impl Harness {
    async fn open(database: Arc<StoreDatabase>) -> Self {
        let store = Store::open(&database.url()).await.unwrap();
        let flow = Flow::new(store).sweep_every(Duration::from_secs(3600));
        Self { flow, database }
    }

    /// Another store on the same database, as another process has it.
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

    /// Serves workflows with these handlers until the future resolves.
    pub(crate) async fn served<T>(&self, handlers: &Handlers, until: impl Future<Output = T>) -> T {
        let stop = Notify::new();
        let work = self.flow.serve(handlers.worker(self.store()), stop.notified());
        let wait = async {
            let done = timeout(2 * TEST_TIMEOUT, until).await;
            stop.notify_one();
            done.expect("timed out")
        };
        let (worked, done) = tokio::join!(work, wait);
        worked.unwrap();
        done
    }

    /// Serves workflows until this execution has ended.
    pub(crate) async fn run(&self, handlers: &Handlers, id: ExecutionId) -> Execution {
        self.served(handlers, self.ended(id)).await
    }

    /// Polls until an execution has ended.
    pub(crate) async fn ended(&self, id: ExecutionId) -> Execution {
        self.until(id, |execution| execution.ended_at.is_some()).await
    }

    pub(crate) async fn until(
        &self,
        id: ExecutionId,
        condition: impl Fn(&Execution) -> bool,
    ) -> Execution {
        let began = Instant::now();
        loop {
            let execution = self.show(id).await;
            if condition(&execution) {
                return execution;
            }
            if began.elapsed() > TEST_TIMEOUT {
                panic!("timed out: {execution:#?}\n{:#?}", self.tasks(&execution).await);
            }
            // Polled here, and not by a helper, to show the tasks in the failure.
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
    pub(crate) async fn done(&self, handlers: &Handlers, workflow: &Workflow) -> Execution {
        let id = self.start(workflow, Value::Null).await;
        self.run(handlers, id).await
    }
}

/// Scripted handlers of the kind `do`, by node, and the payloads they
/// received.
#[derive(Clone, Default)]
pub(crate) struct Handlers(Arc<Inner>);

#[derive(Default)]
struct Inner {
    answers: Mutex<HashMap<String, Vec<Response>>>,
    calls: Mutex<Vec<(String, Value)>>,
}

/// The response of a handler.
#[derive(Clone)]
pub(crate) enum Response {
    Done(Value),
    Failed(Fault),
    /// It hangs until it is cancelled.
    Never,
}

impl Handlers {
    /// Sets the responses of a node, in order; the last one is repeated. A node without
    /// responses completes at once.
    pub(crate) fn when(self, node: &str, answers: impl IntoIterator<Item = Response>) -> Self {
        let answers = answers.into_iter().collect();
        self.0.answers.lock().unwrap().insert(node.to_owned(), answers);
        self
    }

    /// How often a node was called, over all executions.
    pub(crate) fn count(&self, node: &str) -> usize {
        self.0.calls.lock().unwrap().iter().filter(|(name, _)| name == node).count()
    }

    /// The payloads of a node's calls.
    pub(crate) fn payloads(&self, node: &str) -> Vec<Value> {
        let calls = self.0.calls.lock().unwrap();
        calls.iter().filter(|(name, _)| name == node).map(|(_, payload)| payload.clone()).collect()
    }

    fn answer(&self, node: &str, payload: Value) -> Response {
        self.0.calls.lock().unwrap().push((node.to_owned(), payload));
        let mut answers = self.0.answers.lock().unwrap();
        match answers.get_mut(node) {
            Some(answers) if answers.len() > 1 => answers.remove(0),
            Some(answers) => answers[0].clone(),
            None => Response::Done(json!(node)),
        }
    }

    pub(crate) fn worker(&self, store: &Store) -> Worker {
        let handlers = self.clone();
        let work = move |payload: Value, context: Context| {
            let handlers = handlers.clone();
            async move {
                let (_, node) = context.key().split_once('/').unwrap();
                match handlers.answer(node, payload) {
                    Response::Done(value) => Ok(value),
                    Response::Failed(fault) => Err(fault),
                    Response::Never => std::future::pending().await,
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

/// A workflow of nodes of the kind `do`, each with its dependencies.
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

/// A retryable failure.
pub(crate) fn unavailable() -> Response {
    Response::Failed(Fault::http(503).with_message("overloaded"))
}

/// A final failure.
pub(crate) fn gone() -> Response {
    Response::Failed(Fault::http(404).with_message("no such customer"))
}

pub(crate) fn done(value: Value) -> Response {
    Response::Done(value)
}

pub(crate) fn operator() -> Actor {
    Actor::new("operator")
}

pub(crate) fn completed(execution: &Execution) -> bool {
    execution.status == ExecutionStatus::Completed
}
