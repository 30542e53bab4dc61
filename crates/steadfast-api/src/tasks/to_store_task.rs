//! A new task as a store takes it.

use steadfast::drive::FailedAttempt;
use steadfast::file::Policies;
use steadfast_store::{Task, TaskId, When};

use super::submit::NewTask;
use crate::error::{ApiError, ErrorKind};
use crate::policies::PolicyChoice;
use crate::policies::found;

impl NewTask {
    /// The task, with a policy by name looked for among these.
    pub(crate) fn task(self, policies: Option<&Policies>) -> Result<Task, ApiError> {
        let task = Task::new(self.kind, &self.payload);
        let mut task = under(task, self.policy, policies)?;
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
            (Some(_), history) if !history.is_empty() => return Err(two_pasts()),
            (Some(fault), _) => task.failed_once(fault),
            (None, history) if history.is_empty() => task,
            (None, history) => task.history(history.into_iter().map(FailedAttempt::from).collect()),
        };
        Ok(if self.hold_category { task.hold_category() } else { task })
    }
}

fn two_pasts() -> ApiError {
    ApiError::new(ErrorKind::Invalid, "it has a first fault and a history")
        .field("history")
        .next("say one of them: the history has the first fault in it")
}

/// Ids sort by the time they were made (D2), so they have to be made so.
fn version_7(id: TaskId) -> Result<TaskId, ApiError> {
    match id.is_version_7() {
        true => Ok(id),
        false => Err(ApiError::new(ErrorKind::Invalid, format!("{id} is no UUID of version 7"))
            .field("id")
            .next("make one of version 7, or leave it out and get one")),
    }
}

/// A task under the policy that it is to have.
fn under(
    task: Task,
    choice: Option<PolicyChoice>,
    policies: Option<&Policies>,
) -> Result<Task, ApiError> {
    Ok(match (choice, policies) {
        (Some(PolicyChoice::Given(policy)), _) => task.under(policy),
        (Some(PolicyChoice::Named(name)), Some(known)) => task.under(found(known, &name)?),
        (None, Some(known)) => task.under(known.find("default").clone()),
        // The store knows those that are ready made.
        (Some(PolicyChoice::Named(name)), None) => task.policy(name),
        (None, None) => task,
    })
}
