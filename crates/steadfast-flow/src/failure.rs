//! Executions that fail: why each did, and whether another follows it (W3).
//!
//! When a service is away, hundreds fail in one batch. What is read for them is read for all of
//! them at once.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::Value;
use steadfast::decide::Progress;
use steadfast_store::{
    ExecutionError, ExecutionId, Failure, NewExecution, Result, ValuesWanted, When,
};

use crate::advance::Planned;
use crate::begin::{READ, inputs};
use crate::flow::Flow;
use crate::plan::Failed;
use crate::start::First;

/// After how long another execution follows, and how far the chain has come then.
type Follows = (Duration, Progress);

impl Flow {
    /// Says of those that failed why, and has others follow them if their policies say so.
    /// Answers which have to have another turn: there is no room to write down what follows them.
    pub(crate) async fn tell_failures(
        &self,
        planned: &mut Vec<Planned>,
        room: &mut usize,
    ) -> Result<Vec<ExecutionId>> {
        let tasks: Vec<_> = planned.iter().filter_map(|one| one.plan.failed?.task).collect();
        let failures = self.store.failures(&tasks).await?;
        let failures: HashMap<_, _> = failures.into_iter().map(|one| (one.task, one)).collect();
        let mut following = HashMap::new();
        for one in planned.iter_mut() {
            let Some(failed) = one.plan.failed else { continue };
            let failure = failed.task.and_then(|task| failures.get(&task));
            let follows = tell(one, failed, failure);
            following.extend(follows.map(|follows| (one.state.id, follows)));
        }
        self.follow_up(planned, &following, room).await
    }

    async fn follow_up(
        &self,
        planned: &mut Vec<Planned>,
        following: &HashMap<ExecutionId, Follows>,
        room: &mut usize,
    ) -> Result<Vec<ExecutionId>> {
        let mut triggers = self.triggers(following.keys().copied().collect()).await?;
        let mut put_off = Vec::new();
        for one in planned.iter_mut() {
            let id = one.state.id;
            let Some((delay, progress)) = following.get(&id) else { continue };
            let Some(trigger) = triggers.remove(&id).filter(|_| *room > 0) else {
                put_off.push(id);
                continue;
            };
            let next = next(one, trigger, When::After(*delay))?;
            let bytes: usize = next.begun.iter().map(|begun| begun.task.payload_bytes()).sum();
            *room = room.saturating_sub(bytes + next.trigger.len());
            let counted_from = Some(one.state.counted_from);
            let next = NewExecution { progress: *progress, counted_from, ..next };
            one.plan.step.follow_up = Some(Box::new(next));
        }
        planned.retain(|one| !put_off.contains(&one.state.id));
        Ok(put_off)
    }

    /// The execution that follows another at once, from its saved trigger, counted anew.
    pub(crate) async fn follower(&self, one: &Planned) -> Result<NewExecution> {
        let id = one.state.id;
        let trigger = self.triggers(vec![id]).await?.remove(&id);
        next(one, trigger.ok_or(ExecutionError::NotFound(id))?, When::Now)
    }

    /// What executions were started with; only of some, if it is much.
    async fn triggers(&self, mut ids: Vec<ExecutionId>) -> Result<HashMap<ExecutionId, Value>> {
        while !ids.is_empty() {
            let wanted = |id: &ExecutionId| ValuesWanted {
                execution: *id,
                trigger: true,
                nodes: Vec::new(),
            };
            let wanted: Vec<_> = ids.iter().map(wanted).collect();
            if let Some(values) = self.store.execution_values(&wanted, READ).await? {
                let inputs = inputs(values)?.into_iter();
                return Ok(inputs.map(|(id, input)| (id, input.trigger)).collect());
            }
            ids.truncate(ids.len() / 2);
        }
        Ok(HashMap::new())
    }
}

fn next(one: &Planned, trigger: Value, due: When) -> Result<NewExecution> {
    let first = First { workflow: &one.workflow, number: one.state.workflow, due };
    Ok(first.execution(trigger)?)
}

/// Says why an execution failed. Answers whether another follows.
fn tell(one: &mut Planned, failed: Failed, failure: Option<&Failure>) -> Option<Follows> {
    let mut message = words(one, failed, failure);
    let fault = failure.and_then(|failure| failure.fault.as_ref());
    let mut follows = None;
    if let (Some(policy), Some(fault)) = (one.workflow.retry(), fault) {
        match one.state.follows(policy, fault) {
            Ok(after) => follows = Some(after),
            Err(reason) => message.push_str(&format!("; no other execution follows: {reason}")),
        }
    }
    if let Some(ending) = &mut one.plan.step.ending {
        ending.message = Some(message);
    }
    follows
}

fn words(one: &Planned, failed: Failed, failure: Option<&Failure>) -> String {
    let node = one.workflow.id_of(failed.node);
    if failed.cancelled {
        return format!("node {node} was called off");
    }
    let message = failure.and_then(|failure| failure.message.as_deref());
    match (message, failure.and_then(|failure| failure.reason)) {
        (Some(message), Some(reason)) => format!("node {node} failed ({reason}): {message}"),
        (None, Some(reason)) => format!("node {node} failed ({reason})"),
        _ => format!("node {node} failed"),
    }
}
