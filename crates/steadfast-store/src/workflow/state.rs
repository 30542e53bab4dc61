//! The states of executions, as input of the next step.

use std::time::Duration;

use jiff::Timestamp;
use steadfast::decide::{Decision, Progress, SessionLimits};
use steadfast::judge::{self, Judgement};
use steadfast::{Class, Fault, Kind, Policy, Reason};

use super::{ExecutionId, ExecutionStatus, NodeStatus};
use crate::retry::decision::{GuardEnv, moment, worker_lost_judgement};
use crate::task::{Status, TaskId};

/// The state of an execution and of its started nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutionState {
    /// The execution.
    pub id: ExecutionId,
    /// The number of its workflow.
    pub workflow: i64,
    /// A number that grows with each step.
    pub version: i64,
    /// The state.
    pub status: ExecutionStatus,
    /// The attempts of the chain so far.
    pub progress: Progress,
    /// The start of the first execution of the chain.
    pub counted_from: Timestamp,
    /// Its follow-up.
    pub next: Option<ExecutionId>,
    /// The store's time when it was read.
    pub now: Timestamp,
    /// The started nodes, by number.
    pub nodes: Vec<NodeState>,
}

impl ExecutionState {
    /// The delay of the follow-up after this fault, and the progress of the chain (W3).
    ///
    /// The decision is that of a task, with one difference: a follow-up runs every node again under
    /// other keys, so it is an attempt even after a rate limit, whose hint is the minimum delay.
    ///
    /// # Errors
    /// Why there is no follow-up.
    pub fn follows(&self, policy: &Policy, fault: &Fault) -> Result<(Duration, Progress), Reason> {
        let judgement = match fault.kind {
            Some(Kind::WorkerLost) => worker_lost_judgement(),
            _ => judge::judge(policy.rules(), fault),
        };
        let without_hint = Judgement::by_code(judgement.class(), None);
        let (backoff, progress) = self.decided(policy, &without_hint)?;
        let Some(hint) = judgement.hint() else { return Ok((backoff, progress)) };
        let (hinted, _) =
            self.decided(policy, &Judgement::by_code(Class::Retryable, Some(hint)))?;
        Ok((backoff.max(hinted), progress))
    }

    fn decided(
        &self,
        policy: &Policy,
        judgement: &Judgement,
    ) -> Result<(Duration, Progress), Reason> {
        let started = moment(self.counted_from);
        // The nodes of another execution have other keys.
        let limits = SessionLimits::IN_STORE.started(started);
        let (mut progress, now) = (self.progress, moment(self.now));
        match progress.decide(policy, &limits, now, judgement, &mut GuardEnv(&mut ())) {
            Decision::Retry(delay) => Ok((delay, progress)),
            Decision::GiveUp(reason) => Err(reason),
        }
    }
}

/// The state of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeState {
    /// Its number in the workflow, from 0.
    pub number: u16,
    /// The recorded state.
    pub status: NodeStatus,
    /// Its task, unless it could not start.
    pub task: Option<TaskId>,
    /// The state of its task. Not read if the node has completed.
    pub outcome: Outcome,
}

/// The state of the task of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The task has not ended.
    Open,
    /// The task has ended.
    Ended(Status),
    /// The task does not exist, or was pruned.
    Pruned,
}

/// The failure of a node's task.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The task.
    pub task: TaskId,
    /// Why it failed.
    pub reason: Option<Reason>,
    /// The message of its last error.
    pub message: Option<String>,
    /// Its last fault, if it can be decoded.
    pub fault: Option<Fault>,
}

/// The inputs that nodes of an execution need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValuesWanted {
    /// The execution.
    pub execution: ExecutionId,
    /// Whether the trigger is needed.
    pub trigger: bool,
    /// The nodes whose results are needed.
    pub nodes: Vec<u16>,
}

/// An input of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeValue {
    /// The execution.
    pub execution: ExecutionId,
    /// The node with this result; `None` for the trigger.
    pub node: Option<u16>,
    /// The value as JSON; `None` without a result.
    pub json: Option<String>,
}

impl NodeValue {
    /// The values, unless they exceed the limit.
    pub(crate) fn within(values: Vec<Self>, max_bytes: u64) -> Option<Vec<Self>> {
        let bytes: u64 =
            values.iter().filter_map(|one| Some(one.json.as_ref()?.len() as u64)).sum();
        (bytes < max_bytes).then_some(values)
    }
}

/// Executions with missed completions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MissedCompletion {
    /// Executions with a submitted node whose task has ended.
    pub executions: Vec<ExecutionId>,
    /// Whether these are all.
    pub is_all: bool,
}

/// Executions with orphaned nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrphanedNodes {
    /// Executions with a missed completion, or that have ended with open tasks.
    pub executions: Vec<ExecutionId>,
    /// The task to continue after; `None` at the end.
    pub next: Option<TaskId>,
}
