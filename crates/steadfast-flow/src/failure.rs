//! Failed executions: their messages, and the follow-up executions of their retry policies (W3).
//!
//! When a service is down, hundreds of executions fail in one batch. What they need is read for all of
//! them at once.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::Value;
use steadfast::decide::Progress;
use steadfast_store::{
    ExecutionError, ExecutionId, Failure, NewExecution, Result, ValuesWanted, When,
};

use crate::advance::PlannedExecution;
use crate::flow::Flow;
use crate::plan::Failed;
use crate::start::FirstNodes;
use crate::start_nodes::{MAX_READ_BYTES, inputs};

/// The delay until a follow-up execution, and the chain's progress by then.
type FollowUp = (Duration, Progress);

impl Flow {
    /// Sets the messages of failed executions, and adds the follow-ups that their policies ask for.
    /// Returns the executions to plan again because the write budget is used up.
    pub(crate) async fn settle_failures(
        &self,
        planned: &mut Vec<PlannedExecution>,
        write_budget: &mut usize,
    ) -> Result<Vec<ExecutionId>> {
        let tasks: Vec<_> = planned.iter().filter_map(|one| one.plan.failed?.task).collect();
        let failures = self.store.failures(&tasks).await?;
        let failures: HashMap<_, _> = failures.into_iter().map(|one| (one.task, one)).collect();
        let mut follow_ups = HashMap::new();
        for one in planned.iter_mut() {
            let Some(failed) = one.plan.failed else { continue };
            let failure = failed.task.and_then(|task| failures.get(&task));
            let follow_up = settle_failure(one, failed, failure);
            follow_ups.extend(follow_up.map(|follow_up| (one.state.id, follow_up)));
        }
        self.add_follow_ups(planned, &follow_ups, write_budget).await
    }

    async fn add_follow_ups(
        &self,
        planned: &mut Vec<PlannedExecution>,
        follow_ups: &HashMap<ExecutionId, FollowUp>,
        write_budget: &mut usize,
    ) -> Result<Vec<ExecutionId>> {
        let mut triggers = self.triggers(follow_ups.keys().copied().collect()).await?;
        let mut deferred = Vec::new();
        for one in planned.iter_mut() {
            let id = one.state.id;
            let Some((delay, progress)) = follow_ups.get(&id) else { continue };
            let Some(trigger) = triggers.remove(&id).filter(|_| *write_budget > 0) else {
                deferred.push(id);
                continue;
            };
            let next = new_execution(one, trigger, When::After(*delay))?;
            let bytes: usize = next.started.iter().map(|begun| begun.task.payload_bytes()).sum();
            *write_budget = write_budget.saturating_sub(bytes + next.trigger.len());
            let counted_from = Some(one.state.counted_from);
            let next = NewExecution { progress: *progress, counted_from, ..next };
            one.plan.step.follow_up = Some(Box::new(next));
        }
        planned.retain(|one| !deferred.contains(&one.state.id));
        Ok(deferred)
    }

    /// An immediate follow-up of an execution, from its stored trigger, with a new attempt count.
    pub(crate) async fn immediate_follow_up(&self, one: &PlannedExecution) -> Result<NewExecution> {
        let id = one.state.id;
        let trigger = self.triggers(vec![id]).await?.remove(&id);
        new_execution(one, trigger.ok_or(ExecutionError::NotFound(id))?, When::Now)
    }

    /// The triggers of executions; only of some if they are large.
    async fn triggers(&self, mut ids: Vec<ExecutionId>) -> Result<HashMap<ExecutionId, Value>> {
        while !ids.is_empty() {
            let wanted = |id: &ExecutionId| ValuesWanted {
                execution: *id,
                trigger: true,
                nodes: Vec::new(),
            };
            let wanted: Vec<_> = ids.iter().map(wanted).collect();
            if let Some(values) = self.store.execution_values(&wanted, MAX_READ_BYTES).await? {
                let inputs = inputs(values)?.into_iter();
                return Ok(inputs.map(|(id, input)| (id, input.trigger)).collect());
            }
            ids.truncate(ids.len() / 2);
        }
        Ok(HashMap::new())
    }
}

fn new_execution(one: &PlannedExecution, trigger: Value, due: When) -> Result<NewExecution> {
    let first = FirstNodes { workflow: &one.workflow, number: one.state.workflow, due };
    Ok(first.execution(trigger)?)
}

/// Sets the message of a failed execution. Returns its follow-up, if its policy asks for one.
fn settle_failure(
    one: &mut PlannedExecution,
    failed: Failed,
    failure: Option<&Failure>,
) -> Option<FollowUp> {
    let mut message = failure_message(one, failed, failure);
    let fault = failure.and_then(|failure| failure.fault.as_ref());
    let mut follow_up = None;
    if let (Some(policy), Some(fault)) = (one.workflow.retry(), fault) {
        match one.state.follows(policy, fault) {
            Ok(next) => follow_up = Some(next),
            Err(reason) => message.push_str(&format!("; the execution is not retried: {reason}")),
        }
    }
    if let Some(ending) = &mut one.plan.step.ending {
        ending.message = Some(message);
    }
    follow_up
}

fn failure_message(one: &PlannedExecution, failed: Failed, failure: Option<&Failure>) -> String {
    let node = one.workflow.id_of(failed.node);
    if failed.cancelled {
        return format!("node {node} was cancelled");
    }
    let message = failure.and_then(|failure| failure.message.as_deref());
    match (message, failure.and_then(|failure| failure.reason)) {
        (Some(message), Some(reason)) => {
            format!("node {node} failed ({}): {message}", reason.name().replace('_', " "))
        }
        (None, Some(reason)) => format!("node {node} failed ({})", reason.name().replace('_', " ")),
        _ => format!("node {node} failed"),
    }
}
