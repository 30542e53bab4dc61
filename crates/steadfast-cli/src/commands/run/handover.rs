//! Hand-over of a failed command to a store (D12).
//!
//! The task contains what a worker can run elsewhere and later: the program, its arguments, its
//! timeout and its idempotency key. Directory, environment and input are not transferred.

use std::ffi::OsString;
use std::path::{self, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::value::to_raw_value;
use steadfast::policy::Draft;
use steadfast::{GaveUp, Policy};
use steadfast_api::remote::Remote;
use steadfast_api::{Api, NewTask, PolicyChoice, PriorAttempt};
use steadfast_store::{Store, Task, TaskId, When, can_hand_over};

use crate::error::CliError;
use crate::target::{ResolvedTarget, Target};

const KIND: &str = "command";
/// The preset used if the policy has no `durable` stage.
const DEFAULT_DURABLE_PRESET: &str = "patient";

pub(super) struct HandOver {
    to: HandOverTarget,
    /// A policy whose `durable` stage applies to the task.
    policy: Policy,
    call: Call,
}

enum HandOverTarget {
    Store(String),
    Server(Remote),
}

#[derive(Debug, PartialEq, Serialize)]
struct Call {
    program: String,
    args: Vec<String>,
    #[serde(with = "steadfast::duration::serde_seconds::option")]
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout: Option<Duration>,
}

impl HandOver {
    /// Checks before the first attempt that the hand-over will work.
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

    /// Submits the failed command. Returns `None` if the failure is not retryable.
    pub(super) async fn submit(
        &self,
        gave_up: &GaveUp,
        key: Option<String>,
    ) -> Result<Option<TaskId>, CliError> {
        match &self.to {
            HandOverTarget::Store(url) => {
                let mut task = Task::new(KIND, &self.call);
                if let Some(key) = key {
                    task = task.key(key);
                }
                let handed_over = open(url).await?.hand_over(&self.policy, gave_up, task).await;
                handed_over.map_err(|why| hand_over_error(&why))
            }
            HandOverTarget::Server(remote) => self.submit_to_server(remote, gave_up, key).await,
        }
    }

    async fn submit_to_server(
        &self,
        remote: &Remote,
        gave_up: &GaveUp,
        key: Option<String>,
    ) -> Result<Option<TaskId>, CliError> {
        let Some(stage) = self.policy.durable().filter(|_| can_hand_over(gave_up.reason)) else {
            return Ok(None);
        };
        let call = to_raw_value(&self.call).map_err(|why| hand_over_error(&why))?;
        let mut task = NewTask::new(KIND, call);
        task.policy = Some(PolicyChoice::Given(Arc::new(stage.clone())));
        task.history = gave_up.failures.iter().map(PriorAttempt::from).collect();
        task.run_at = gave_up.retry_after().map(When::After);
        task.idempotency_key = key;
        let submission = remote.submit(task).await.map_err(|why| hand_over_error(&why))?;
        Ok(Some(submission.task.id))
    }
}

fn hand_over_error(why: &dyn std::error::Error) -> CliError {
    CliError::failed(format!("cannot hand over to the store: {why}"))
}

async fn open(url: &str) -> Result<Store, CliError> {
    Store::open(url).await.map_err(|why| {
        CliError::failed(format!("cannot open the store: {why}"))
            .with_help("name another store with --store, or omit --durable")
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
        let program = words.next().flatten().map(absolute_program);
        match (program, words.collect()) {
            (Some(program), Some(args)) => Ok(Self { program, args, timeout }),
            _ => Err(CliError::usage("the command is not valid UTF-8 and cannot be stored")
                .with_help("omit --durable, or use UTF-8 arguments")),
        }
    }
}

/// Makes a relative path absolute, so that it works from another directory.
fn absolute_program(program: String) -> String {
    let whole = program.contains('/').then(|| path::absolute(&program).ok()).flatten();
    whole.map(PathBuf::into_os_string).and_then(|path| path.into_string().ok()).unwrap_or(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    /// D12, D19: the payload is what the `command` handler reads.
    #[test]
    fn payload_has_program_args_and_timeout() {
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
    fn relative_program_path_becomes_absolute() {
        let here = std::env::current_dir().unwrap();
        assert_eq!(absolute_program("./a".to_owned()), here.join("a").to_str().unwrap());
        assert_eq!(absolute_program("a".to_owned()), "a");
    }
}
