//! When attempts are used up here, and a store goes on with them (D12).
//!
//! What is written down is what a worker can run somewhere else at another time: the program, its
//! arguments and its limit, with the key that its attempts had here. Its directory, its
//! environment and its input stay behind.

use std::ffi::OsString;
use std::path::{self, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::value::to_raw_value;
use steadfast::policy::Draft;
use steadfast::{GaveUp, Policy};
use steadfast_api::remote::Remote;
use steadfast_api::{Api, NewTask, PriorAttempt, PolicyChoice};
use steadfast_store::{Store, Task, TaskId, When, can_hand_over};

use crate::error::CliError;
use crate::target::{ResolvedTarget, Target};

/// The kind of task that a worker runs a command for.
const KIND: &str = "command";
/// The policy in the store, if that of the run has no `durable` stage.
const DEFAULT_DURABLE_PRESET: &str = "patient";

/// Where a command goes that was given up.
pub(super) struct HandOver {
    to: HandOverTarget,
    /// A policy whose `durable` stage is that of the task.
    policy: Policy,
    call: Call,
}

/// Who takes it.
enum HandOverTarget {
    Store(String),
    Server(Remote),
}

/// What a task of that kind asks for.
#[derive(Debug, PartialEq, Serialize)]
struct Call {
    program: String,
    args: Vec<String>,
    #[serde(with = "steadfast::duration::serde_seconds::option")]
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout: Option<Duration>,
}

impl HandOver {
    /// Sees to it that it will work: the attempts are not to be made for nothing.
    pub(super) async fn prepared(
        target: &Target,
        policy: &Policy,
        command: &[OsString],
    ) -> Result<Self, CliError> {
        let call = Call::of(command, policy.attempt_timeout())?;
        let to = match target.resolve()? {
            ResolvedTarget::Store(url) => HandOverTarget::Store(url),
            ResolvedTarget::Server(address) => HandOverTarget::Server(target.remote(&address)?),
        };
        match &to {
            HandOverTarget::Store(url) => drop(open(url).await?),
            HandOverTarget::Server(remote) => remote.ready().await?,
        }
        Ok(Self { to, policy: with_stage(policy)?, call })
    }

    /// Writes down what was given up here. Nothing if another day would not help.
    pub(super) async fn take(
        &self,
        gave_up: &GaveUp,
        key: Option<String>,
    ) -> Result<Option<TaskId>, CliError> {
        match &self.to {
            HandOverTarget::Store(url) => self.straight_to(&open(url).await?, gave_up, key).await,
            HandOverTarget::Server(remote) => self.through(remote, gave_up, key).await,
        }
    }

    async fn straight_to(
        &self,
        store: &Store,
        gave_up: &GaveUp,
        key: Option<String>,
    ) -> Result<Option<TaskId>, CliError> {
        let mut task = Task::new(KIND, &self.call);
        if let Some(key) = key {
            task = task.key(key);
        }
        store.hand_over(&self.policy, gave_up, task).await.map_err(|why| not_handed_over(&why))
    }

    /// The same through a server.
    async fn through(
        &self,
        remote: &Remote,
        gave_up: &GaveUp,
        key: Option<String>,
    ) -> Result<Option<TaskId>, CliError> {
        let Some(stage) = self.policy.durable().filter(|_| may_go_on(gave_up.reason)) else {
            return Ok(None);
        };
        let call = to_raw_value(&self.call).map_err(|why| not_handed_over(&why))?;
        let mut task = NewTask::new(KIND, call);
        task.policy = Some(PolicyChoice::Given(Arc::new(stage.clone())));
        task.history = gave_up.failures.iter().map(PriorAttempt::from).collect();
        task.run_at = gave_up.retry_after.map(When::After);
        task.idempotency_key = key;
        let taken = remote.submit(task).await.map_err(|why| not_handed_over(&why))?;
        Ok(Some(taken.task.id))
    }
}

fn not_handed_over(why: &dyn std::error::Error) -> CliError {
    CliError::failed(format!("it could not be handed over: {why}"))
}

async fn open(url: &str) -> Result<Store, CliError> {
    Store::open(url).await.map_err(|why| {
        CliError::failed(format!("the store cannot be opened: {why}"))
            .with_help("name another with --store, or leave out --durable".to_owned())
    })
}

fn with_stage(policy: &Policy) -> Result<Policy, CliError> {
    if policy.durable().is_some() {
        return Ok(policy.clone());
    }
    let stage = Draft::preset(DEFAULT_DURABLE_PRESET).unwrap_or_default();
    let built = Draft::new().durable(stage).build();
    built.map_err(|why| CliError::configuration(why.to_string()))
}

impl Call {
    fn of(command: &[OsString], timeout: Option<Duration>) -> Result<Self, CliError> {
        let mut words = command.iter().map(|word| word.to_str().map(str::to_owned));
        let program = words.next().flatten().map(from_anywhere);
        match (program, words.collect()) {
            (Some(program), Some(args)) => Ok(Self { program, args, timeout }),
            _ => Err(CliError::usage("a store keeps text, and the command is none")
                .with_help("leave out --durable, or rename what it is called with".to_owned())),
        }
    }
}

/// A path that leads to the same program from another directory.
fn from_anywhere(program: String) -> String {
    let whole = program.contains('/').then(|| path::absolute(&program).ok()).flatten();
    whole.map(PathBuf::into_os_string).and_then(|path| path.into_string().ok()).unwrap_or(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    /// D12, D19: the payload is what the handler `command` reads.
    #[test]
    fn a_task_has_the_program_its_arguments_and_its_limit() {
        let call = Call::of(&words("backup --full orders"), Some(Duration::from_secs(90))).unwrap();
        assert_eq!(
            serde_json::to_value(&call).unwrap(),
            serde_json::json!({"program": "backup", "args": ["--full", "orders"], "timeout": 90.0})
        );
        let bare = Call::of(&words("backup"), None).unwrap();
        assert_eq!(
            serde_json::to_value(&bare).unwrap(),
            serde_json::json!({"program": "backup", "args": []})
        );
    }

    #[test]
    fn a_path_leads_to_the_same_program_from_another_directory() {
        let here = std::env::current_dir().unwrap();
        assert_eq!(from_anywhere("./a".to_owned()), here.join("a").to_str().unwrap());
        assert_eq!(from_anywhere("a".to_owned()), "a");
    }
}
