//! Executions that fail: why each did, and whether another follows it (W3).

use steadfast::Fault;
use steadfast_store::{
    ExecutionId, NewExecution, Result, Status, StoreError, StoredTask, TaskId, ValuesWanted, When,
};

use crate::advance::Planned;
use crate::begin::inputs;
use crate::flow::Flow;
use crate::plan::Failed;
use crate::start::First;

impl Flow {
    /// Says of those that failed why. Answers which have to have another turn: there is no room to
    /// write down those that follow them.
    pub(crate) async fn tell_failures(
        &self,
        planned: &mut Vec<Planned>,
        room: &mut usize,
    ) -> Result<Vec<ExecutionId>> {
        let mut put_off = Vec::new();
        for one in planned.iter_mut() {
            let Some(failed) = one.plan.failed else { continue };
            if *room == 0 {
                put_off.push(one.state.id);
                continue;
            }
            self.tell_failure(one, failed).await?;
            if let Some(next) = &one.plan.step.follow_up {
                let bytes: usize = next.begun.iter().map(|begun| begun.task.payload_bytes()).sum();
                *room = room.saturating_sub(bytes + next.trigger.len());
            }
        }
        planned.retain(|one| !put_off.contains(&one.state.id));
        Ok(put_off)
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
        let values = self.store.execution_values(&[wanted], u64::MAX).await?;
        let mut inputs = inputs(values.unwrap_or_default())?;
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
