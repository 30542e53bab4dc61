//! Conversion of a submit request into a task of the store.

use steadfast::drive::FailedAttempt;
use steadfast::file::Policies;
use steadfast_store::{Task, TaskId, When};

use super::submit::NewTask;
use crate::error::{ApiError, ErrorKind};
use crate::policies::{PolicyChoice, find_policy};

impl NewTask {
    /// The task for a store, with its policy name resolved.
    pub(crate) fn into_store_task(self, policies: Option<&Policies>) -> Result<Task, ApiError> {
        let task = Task::new(self.kind, &self.payload);
        let mut task = with_policy(task, self.policy, policies)?;
        if let Some(id) = self.id {
            task = task.with_id(version_7(id)?);
        }
        if let Some(priority) = self.priority {
            task = task.priority(priority);
        }
        if let Some(queue) = self.queue {
            task = task.queue(queue);
        }
        if let Some(category) = self.category {
            task = task.category(category);
        }
        task = match self.run_at {
            None | Some(When::Now) => task,
            Some(When::After(delay)) => task.after(delay),
            Some(When::At(time)) => task.at(time),
        };
        if let Some(expires) = self.expires_at {
            task = task.expires(expires);
        }
        if let Some(key) = self.idempotency_key {
            task = task.key(key);
        }
        if let Some(id) = self.correlation_id {
            task = task.correlation_id(id);
        }
        task = match (self.first_fault, self.history) {
            (Some(_), history) if !history.is_empty() => return Err(first_fault_and_history()),
            (Some(fault), _) => task.failed_once(fault),
            (None, history) if history.is_empty() => task,
            (None, history) => task.history(history.into_iter().map(FailedAttempt::from).collect()),
        };
        Ok(if self.hold_category { task.hold_category() } else { task })
    }
}

fn first_fault_and_history() -> ApiError {
    ApiError::new(ErrorKind::Invalid, "cannot be combined with first_fault")
        .field("history")
        .next("send one of them: the history includes the first fault")
}

/// Ids sort by their time of creation (D2), so they must be of version 7.
fn version_7(id: TaskId) -> Result<TaskId, ApiError> {
    match id.is_version_7() {
        true => Ok(id),
        false => Err(ApiError::new(ErrorKind::Invalid, format!("{id} is not a UUID of version 7"))
            .field("id")
            .next("generate a UUID of version 7, or leave it out")),
    }
}

fn with_policy(
    task: Task,
    choice: Option<PolicyChoice>,
    policies: Option<&Policies>,
) -> Result<Task, ApiError> {
    Ok(match (choice, policies) {
        (Some(PolicyChoice::Given(policy)), _) => task.under(policy),
        (Some(PolicyChoice::Named(name)), Some(policies)) => {
            task.under(find_policy(policies, &name)?)
        }
        (None, Some(policies)) => task.under(policies.find("default").clone()),
        // The store resolves the built-in policies.
        (Some(PolicyChoice::Named(name)), None) => task.policy(name),
        (None, None) => task,
    })
}
