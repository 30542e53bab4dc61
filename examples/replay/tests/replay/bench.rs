//! The test setup: recordings, a service and daemons.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use example_replay::config::{Config, Retry};
use example_replay::daemon::{self, Problem};
use example_replay::demo::scenario;
use example_replay::demo::service::{Answer, Service};
use example_replay::demo::table::{self, Run};
use jiff::Timestamp;
use serde_json::{Value, json};
use steadfast_store::{Actor, Store, StoredTask, TaskId};
use tempfile::TempDir;
use tokio::sync::{OnceCell, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

/// Far longer than any case takes, even on a busy machine.
const LIMIT: Duration = Duration::from_secs(30);

pub(crate) struct Bench {
    place: TempDir,
    pub(crate) service: Service,
    /// The same store that the daemons have.
    opened: OnceCell<Store>,
}

/// A daemon in this process.
pub(crate) struct Daemon {
    stop: oneshot::Sender<()>,
    task: JoinHandle<Result<(), Problem>>,
}

impl Daemon {
    /// Stops gracefully.
    pub(crate) async fn stop(self) {
        self.stop.send(()).expect("the daemon is there");
        self.task.await.unwrap().unwrap();
    }
}

impl Bench {
    pub(crate) async fn new() -> Self {
        let place = TempDir::new().unwrap();
        std::fs::create_dir(place.path().join("runs")).unwrap();
        Self { place, service: Service::start().await.unwrap(), opened: OnceCell::new() }
    }

    pub(crate) fn runs(&self) -> PathBuf {
        self.place.path().join("runs")
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.place.path().join("replay.db")
    }

    /// A recording, and the responses to it from now on. The recorded response is [`good`].
    pub(crate) fn record(&self, name: &str, answers: impl IntoIterator<Item = Answer>) {
        self.service.answers(&format!("/{name}"), answers);
        scenario::record(&self.runs(), name, &answer()).unwrap();
    }

    /// The same, written on this day.
    pub(crate) fn record_on(
        &self,
        day: &str,
        name: &str,
        answers: impl IntoIterator<Item = Answer>,
    ) {
        self.record(name, answers);
        let day: Timestamp = format!("{day}T00:00:00Z").parse().unwrap();
        let file = File::options().write(true).open(file(&self.runs(), name)).unwrap();
        file.set_modified(SystemTime::from(day)).unwrap();
    }

    /// The default configuration, with a shorter search interval.
    pub(crate) fn config(&self) -> Config {
        Config {
            runs: self.runs(),
            store: self.store(),
            service: self.service.url().parse().unwrap(),
            categories: Vec::new(),
            concurrency: 4,
            look_every: Duration::from_millis(20),
            lease: Duration::from_secs(30),
            retry: Retry::default(),
            until_done: false,
        }
    }

    pub(crate) fn start(&self, config: Config) -> Daemon {
        let (stop, stopped) = oneshot::channel();
        let stopped = async move {
            let _ = stopped.await;
        };
        Daemon { stop, task: tokio::spawn(daemon::run(config, stopped)) }
    }

    /// Runs a daemon until the view satisfies a condition.
    pub(crate) async fn run_until(&self, is_so: impl Fn(&[Run]) -> bool) -> Vec<Run> {
        self.run_as(self.config(), is_so).await
    }

    pub(crate) async fn run_as(&self, config: Config, is_so: impl Fn(&[Run]) -> bool) -> Vec<Run> {
        let daemon = self.start(config);
        let runs = self.until(is_so).await;
        daemon.stop().await;
        runs
    }

    /// Waits until the view satisfies a condition.
    pub(crate) async fn until(&self, is_so: impl Fn(&[Run]) -> bool) -> Vec<Run> {
        let began = Instant::now();
        loop {
            let runs = table::read(&self.store()).await.unwrap_or_default();
            if is_so(&runs) {
                return runs;
            }
            assert!(began.elapsed() < LIMIT, "timeout:\n{}", table::table(&runs));
            // Polled here, to show the table in the failure.
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// The number of requests for a run.
    pub(crate) fn asked(&self, name: &str) -> usize {
        let path = format!("/{name}");
        self.service.asked().iter().filter(|asked| **asked == path).count()
    }

    /// Makes a scheduled run due.
    pub(crate) async fn make_due(&self, name: &str) {
        let store = self.open().await;
        store.run_now(id(store, name).await, &Actor::new("time")).await.unwrap();
    }

    /// The stored task of a run.
    pub(crate) async fn task(&self, name: &str) -> StoredTask {
        let store = self.open().await;
        store.task(id(store, name).await).await.unwrap()
    }

    async fn open(&self) -> &Store {
        let url = format!("sqlite:{}", self.store().display());
        self.opened.get_or_init(|| async { Store::open(&url).await.unwrap() }).await
    }
}

async fn id(store: &Store, name: &str) -> TaskId {
    store.task_by_key(name).await.unwrap().expect("it was discovered")
}

pub(crate) fn file(runs: &Path, name: &str) -> PathBuf {
    runs.join(name).with_extension("json")
}

/// The response in every recording.
pub(crate) fn answer() -> Value {
    json!({ "price": 20 })
}

/// The recorded response.
pub(crate) fn good() -> Answer {
    Answer::Body(answer())
}

pub(crate) fn busy() -> Answer {
    Answer::Status(503)
}

/// The row of a run.
pub(crate) fn row<'r>(runs: &'r [Run], name: &str) -> Option<&'r Run> {
    runs.iter().find(|run| run.run == name)
}

/// Whether a run waits for a retry.
pub(crate) fn waits(runs: &[Run], name: &str) -> bool {
    row(runs, name).is_some_and(|run| run.status == "error" && run.next_retry_at.is_some())
}

/// Whether it waits for this retry.
pub(crate) fn waits_for(runs: &[Run], name: &str, retry: i64) -> bool {
    waits(runs, name) && row(runs, name).is_some_and(|run| run.retry_count == retry)
}

/// Whether there are this many runs, and all have ended.
pub(crate) fn all_ended(runs: &[Run], count: usize) -> bool {
    runs.len() == count && !runs.iter().any(|run| run.is_open)
}

/// The status, the retry count, and the error's class.
pub(crate) fn in_short<'r>(runs: &'r [Run], name: &str) -> (&'r str, i64, Option<&'r str>) {
    let run = row(runs, name).expect("it was discovered");
    (run.status.as_str(), run.retry_count, run.error_class.as_deref())
}
