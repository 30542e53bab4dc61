//! A directory with a store, and commands run in it.

#![allow(dead_code, reason = "no test needs all of it")]

use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use jiff::Timestamp;
use steadfast::Fault;
use steadfast::decide::DecisionEnv;
use steadfast_store::{ClaimRequest, Claimed, FailureContext, Settlement, Store, Task, Verdict};
use tempfile::TempDir;

/// A temporary directory; `steadfast.db` is its default store.
pub(crate) struct Folder(TempDir);

impl Folder {
    /// A directory with a store filled by the test.
    pub(crate) fn with(fill: impl AsyncFnOnce(Store)) -> Self {
        let folder = Self::empty();
        folder.change(fill);
        folder
    }

    pub(crate) fn empty() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Changes the store directly.
    pub(crate) fn change<T>(&self, change: impl AsyncFnOnce(Store) -> T) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let url = format!("sqlite:{}", self.path().join("steadfast.db").display());
            change(Store::open(&url).await.unwrap()).await
        })
    }

    /// Runs SQL on the file.
    pub(crate) fn sql(&self, statement: &'static str) {
        use sqlx::{Connection, Executor};
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let url = format!("sqlite:{}", self.path().join("steadfast.db").display());
            let mut file = sqlx::SqliteConnection::connect(&url).await.unwrap();
            file.execute(statement).await.unwrap();
            file.close().await.unwrap();
        });
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// The command, run in this directory.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_steadfast"));
        command.args(line.split(' ')).current_dir(self.path());
        let variables = [
            "NO_COLOR",
            "CLICOLOR",
            "CLICOLOR_FORCE",
            "STEADFAST_CONFIG",
            "STEADFAST_SECRETS",
            "STEADFAST_SERVER",
            "STEADFAST_STORE",
            "STEADFAST_TOKEN",
        ];
        variables.iter().for_each(|variable| {
            command.env_remove(variable);
        });
        command
    }

    pub(crate) fn output(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    /// The output of a successful command.
    pub(crate) fn run_ok(&self, line: &str) -> String {
        let output = self.output(line);
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The exit code and stderr of a failed command.
    pub(crate) fn run_err(&self, line: &str) -> (Option<i32>, String) {
        let output = self.output(line);
        assert!(!output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stdout));
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    }
}

pub(crate) fn later(task: Task, delay: &str) -> Task {
    task.after(steadfast::duration::parse(delay).unwrap())
}

/// A task with a final failure.
pub(crate) fn failed_for_good(task: Task) -> Task {
    task.failed_once(Fault::http(404).with_message("no such invoice"))
}

/// A task with a retryable failure, due in an hour.
pub(crate) fn failed_once(task: Task) -> Task {
    let hour = Duration::from_secs(3600);
    let policy = steadfast::Policy::fixed(hour).max_attempts(4).build().unwrap();
    task.under(policy).failed_once(Fault::http(503).with_message("down for repair"))
}

/// Claims due tasks and settles each attempt, as a worker does.
pub(crate) async fn work(store: &Store, queue: &str, end: impl Fn(&Claimed, Timestamp) -> Verdict) {
    let claims = store.claim(&ClaimRequest::new("w1", 100).queue(queue)).await.unwrap();
    let settle = |task: &Claimed| Settlement {
        id: task.id,
        fencing_token: task.fencing_token,
        verdict: end(task, claims.now),
    };
    store.settle(claims.tasks.iter().map(settle).collect()).await.unwrap();
}

/// Settles an attempt with this fault.
pub(crate) fn failing(fault: Fault) -> impl Fn(&Claimed, Timestamp) -> Verdict {
    move |task, now| {
        let circumstances = FailureContext::at(now);
        task.failed(fault.clone(), circumstances, &mut NoChance)
    }
}

/// A random source that is not used without jitter.
struct NoChance;

impl DecisionEnv for NoChance {
    fn draw(&mut self) -> u64 {
        0
    }
}
