//! Executions go on: what has happened is read, what follows is computed, and the steps are taken.
//!
//! Anybody may do it, at any time, several at once. A step holds only if its execution is still as
//! it was read; who was too late reads again. So it does not matter who notices that a task has
//! ended, how often, or when, and a process that is killed leaves nothing half done. Executions go
//! in batches: a few statements for hundreds of them.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;
use steadfast::Fault;
use steadfast_store::{
    Begun, By, Ending, ExecutionId, ExecutionState, ExecutionStatus, Invalid, NewExecution,
    NodeValue, Result, Status, StoreError, StoredTask, TaskId, Unbegun, ValuesWanted, When,
};
use tracing::{info, warn};

use crate::flow::Flow;
use crate::plan::{Failed, Plan, column, plan};
use crate::start::First;
use crate::task::{Input, node_task, reads};
use crate::workflow::Workflow;

/// How many executions go in one transaction.
const BATCH: usize = 250;

/// How often an execution is read again that others were faster with. Whoever was faster has
/// advanced it; should that be for ever, the sweep goes on.
const ROUNDS: usize = 50;

/// An execution, its workflow and what is to be done.
pub(crate) struct Planned {
    pub(crate) state: ExecutionState,
    pub(crate) workflow: Arc<Workflow>,
    pub(crate) plan: Plan,
}

impl Flow {
    /// Has executions go on of which these tasks are nodes.
    pub(crate) async fn advance_after(&self, ended: &[TaskId]) {
        for tasks in ended.chunks(1000) {
            match self.store.executions_of(tasks).await {
                Ok(executions) => self.advance_all(&executions).await,
                Err(error) => warn!(target: "steadfast", %error, "workflows wait for the sweep"),
            }
        }
    }

    /// Has executions go on. What cannot be done now is left for the next sweep.
    pub(crate) async fn advance_all(&self, executions: &[ExecutionId]) {
        for batch in executions.chunks(BATCH) {
            let Err(error) = self.advance(batch.to_vec()).await else { continue };
            if error.is_passing() || batch.len() == 1 {
                warn!(target: "steadfast", %error, "executions wait for the sweep");
                continue;
            }
            // One of them cannot go on. The others must not suffer for it.
            for alone in batch {
                if let Err(error) = self.advance(vec![*alone]).await {
                    warn!(target: "steadfast", execution = %alone, %error, "it cannot go on");
                }
            }
        }
    }

    async fn advance(&self, mut left: Vec<ExecutionId>) -> Result<()> {
        for _ in 0..ROUNDS {
            let planned = self.planned(&left).await?;
            left = self.take(planned).await?;
            if left.is_empty() {
                return Ok(());
            }
        }
        Ok(())
    }

    async fn planned(&self, executions: &[ExecutionId]) -> Result<Vec<Planned>> {
        let states = self.store.execution_states(executions).await?;
        let mut planned = Vec::with_capacity(states.len());
        for state in states {
            let workflow = self.known.get(&self.store, state.workflow, state.id).await?;
            let plan = plan(&state, &workflow);
            planned.push(Planned { state, workflow, plan });
        }
        Ok(planned)
    }

    /// Completes plans and takes their steps. Answers with the executions that have changed
    /// since they were read.
    pub(crate) async fn take(&self, mut planned: Vec<Planned>) -> Result<Vec<ExecutionId>> {
        self.begin(&mut planned).await?;
        for one in &mut planned {
            if let Some(failed) = one.plan.failed {
                self.tell_failure(one, failed).await?;
            }
        }
        let mut leftover: Vec<_> = planned
            .iter_mut()
            .map(|one| (one.state.id, std::mem::take(&mut one.plan.leftover)))
            .collect();
        let steps: Vec<_> = planned
            .into_iter()
            .map(|one| one.plan.step)
            .filter(|step| !step.is_nothing() || step.follow_up.is_some())
            .collect();
        let told: Vec<_> = steps.iter().map(|step| (step.execution, step.ending.clone())).collect();
        let answers = self.store.take_steps(steps).await?;
        let mut changed = Vec::new();
        for ((id, ending), holds) in told.into_iter().zip(answers) {
            match (holds, ending) {
                (false, _) => changed.push(id),
                (true, Some(ending)) => log(id, &ending),
                (true, None) => {}
            }
        }
        leftover.retain(|(id, tasks)| !tasks.is_empty() && !changed.contains(id));
        self.store.call_off(&leftover, &By::new("steadfast-flow")).await?;
        Ok(changed)
    }

    /// Makes tasks of the nodes that begin, of what they refer to.
    async fn begin(&self, planned: &mut [Planned]) -> Result<()> {
        let wanted: Vec<_> = planned.iter().filter_map(wanted).collect();
        let mut inputs = match wanted.is_empty() {
            true => HashMap::new(),
            false => inputs(self.store.execution_values(&wanted).await?)?,
        };
        for one in planned {
            let input = inputs.remove(&one.state.id).unwrap_or_default();
            begin(one, &input);
        }
        Ok(())
    }

    /// Says why an execution failed, and has another follow it if its policy says so (W3).
    async fn tell_failure(&self, one: &mut Planned, failed: Failed) -> Result<()> {
        let task = match failed.task {
            Some(task) => self.task(task).await?,
            None => None,
        };
        let mut message = words(one, failed, task.as_ref());
        if let (Some(policy), Some(fault)) = (one.workflow.retry().cloned(), last_fault(&task))
            && !failed.cancelled
        {
            match one.state.follows(&policy, fault) {
                Ok((delay, progress)) => {
                    let next = self.follow_up(one, When::After(delay)).await?;
                    let counted_from = Some(one.state.counted_from);
                    let next = NewExecution { progress, counted_from, ..next };
                    one.plan.step.follow_up = Some(Box::new(next));
                }
                Err(reason) => message.push_str(&format!("; no other execution follows: {reason}")),
            }
        }
        if let Some(ending) = &mut one.plan.step.ending {
            ending.message = Some(message);
        }
        Ok(())
    }

    /// The execution that follows another, from its saved trigger.
    pub(crate) async fn follow_up(&self, one: &Planned, due: When) -> Result<NewExecution> {
        let id = one.state.id;
        let wanted = ValuesWanted { execution: id, trigger: true, nodes: Vec::new() };
        let mut inputs = inputs(self.store.execution_values(&[wanted]).await?)?;
        let trigger = inputs.remove(&id).unwrap_or_default().trigger;
        let first = First { workflow: &one.workflow, number: one.state.workflow, due };
        Ok(first.execution(trigger)?)
    }

    async fn task(&self, id: TaskId) -> Result<Option<StoredTask>> {
        match self.store.task(id).await {
            Ok(task) => Ok(Some(task)),
            Err(StoreError::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// What the nodes of an execution that begin refer to.
fn wanted(one: &Planned) -> Option<ValuesWanted> {
    if one.plan.begin.is_empty() {
        return None;
    }
    let mut wanted = ValuesWanted { execution: one.state.id, trigger: false, nodes: Vec::new() };
    for node in one.plan.begin.iter().filter_map(|number| one.workflow.nodes().get(*number)) {
        let reads = reads(node);
        wanted.trigger |= reads.trigger;
        wanted
            .nodes
            .extend(reads.nodes.iter().filter_map(|id| one.workflow.number(id)).map(column));
    }
    wanted.nodes.sort_unstable();
    wanted.nodes.dedup();
    (wanted.trigger || !wanted.nodes.is_empty()).then_some(wanted)
}

fn inputs(values: Vec<NodeValue>) -> Result<HashMap<ExecutionId, Input>> {
    let mut inputs: HashMap<ExecutionId, Input> = HashMap::new();
    for NodeValue { execution, node, json } in values {
        let value = match json {
            Some(json) => serde_json::from_str(&json)
                .map_err(|error| Invalid::new("result", format!("cannot be read: {error}")))?,
            None => Value::Null,
        };
        let input = inputs.entry(execution).or_default();
        match node {
            Some(node) => drop(input.nodes.insert(usize::from(node), value)),
            None => input.trigger = value,
        }
    }
    Ok(inputs)
}

/// A node that cannot become a task fails, and the execution with it; no other begins then.
fn begin(one: &mut Planned, input: &Input) {
    for number in std::mem::take(&mut one.plan.begin) {
        match node_task(&one.workflow, number, one.state.id, input) {
            Ok(task) => one.plan.step.begun.push(Begun { number: column(number), task }),
            Err(message) => {
                let node = one.workflow.nodes().get(number).map_or("", |node| node.id());
                let why = format!("node {node} cannot begin: {message}");
                let step = &mut one.plan.step;
                step.begun.clear();
                step.unbegun.push(Unbegun { number: column(number), message });
                step.ending = Some(Ending {
                    status: ExecutionStatus::Failed,
                    node: Some(column(number)),
                    message: Some(why),
                });
                return;
            }
        }
    }
}

fn words(one: &Planned, failed: Failed, task: Option<&StoredTask>) -> String {
    let node = one.workflow.nodes().get(failed.node).map_or("", |node| node.id());
    if failed.cancelled {
        return format!("node {node} was called off");
    }
    let last = task.and_then(|task| task.last_error.as_ref());
    match (last, task.and_then(|task| task.reason)) {
        (Some(last), Some(reason)) => format!("node {node} failed ({reason}): {}", last.message),
        (None, Some(reason)) => format!("node {node} failed ({reason})"),
        _ => format!("node {node} failed"),
    }
}

fn last_fault(task: &Option<StoredTask>) -> Option<&Fault> {
    let task = task.as_ref().filter(|task| task.status == Status::Failed)?;
    Some(&task.faults.last()?.fault)
}

fn log(execution: ExecutionId, ending: &Ending) {
    let message = ending.message.as_deref().unwrap_or_default();
    match ending.status {
        ExecutionStatus::Failed => {
            warn!(target: "steadfast", %execution, message, "an execution failed");
        }
        status => info!(target: "steadfast", %execution, %status, message, "an execution ended"),
    }
}
