//! A folder with a store in it, and the command line run there.

#![allow(dead_code, reason = "no test needs all of it")]

use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use jiff::Timestamp;
use steadfast::Fault;
use steadfast::decide::DecisionEnv;
use steadfast_store::{ClaimRequest, Claimed, FailureContext, Settlement, Store, Task, Verdict};
use tempfile::TempDir;

/// A folder; `steadfast.db` in it is the store that commands find there.
pub(crate) struct Folder(TempDir);

impl Folder {
    /// One with a store that was filled.
    pub(crate) fn with(fill: impl AsyncFnOnce(Store)) -> Self {
        let folder = Self::empty();
        folder.change(fill);
        folder
    }

    pub(crate) fn empty() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Changes the store behind the command line's back.
    pub(crate) fn change<T>(&self, change: impl AsyncFnOnce(Store) -> T) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let url = format!("sqlite:{}", self.path().join("steadfast.db").display());
            change(Store::open(&url).await.unwrap()).await
        })
    }

    /// Changes the file itself.
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

    /// The command, to be run here.
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

    /// What it says if all is well.
    pub(crate) fn told(&self, line: &str) -> String {
        let output = self.output(line);
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// What it says if it is not, and the exit code.
    pub(crate) fn refused(&self, line: &str) -> (Option<i32>, String) {
        let output = self.output(line);
        assert!(!output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stdout));
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    }
}

pub(crate) fn later(task: Task, delay: &str) -> Task {
    task.after(steadfast::duration::parse(delay).unwrap())
}

/// It failed elsewhere, in a way that cannot be helped.
pub(crate) fn failed_for_good(task: Task) -> Task {
    task.failed_once(Fault::http(404).with_message("no such invoice"))
}

/// It failed elsewhere and will be tried again in an hour.
pub(crate) fn failed_once(task: Task) -> Task {
    let hour = Duration::from_secs(3600);
    let policy = steadfast::Policy::fixed(hour).max_attempts(4).build().unwrap();
    task.under(policy).failed_once(Fault::http(503).with_message("down for repair"))
}

/// Does what a worker would: takes the tasks that are due and ends each attempt with this.
pub(crate) async fn work(store: &Store, queue: &str, end: impl Fn(&Claimed, Timestamp) -> Verdict) {
    let claims = store.claim(&ClaimRequest::new("w1", 100).queue(queue)).await.unwrap();
    let settle = |task: &Claimed| Settlement {
        id: task.id,
        version: task.version,
        verdict: end(task, claims.now),
    };
    store.settle(claims.tasks.iter().map(settle).collect()).await.unwrap();
}

/// The attempt failed with this.
pub(crate) fn failing(fault: Fault) -> impl Fn(&Claimed, Timestamp) -> Verdict {
    move |task, now| {
        let circumstances = FailureContext { now, key_in_use: false };
        task.failed(fault.clone(), circumstances, &mut NoChance)
    }
}

/// Without jitter nothing is drawn.
struct NoChance;

impl DecisionEnv for NoChance {
    fn draw(&mut self) -> u64 {
        0
    }
}
