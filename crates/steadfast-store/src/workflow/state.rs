//! What must be known of an execution to say what follows.

use std::time::Duration;

use jiff::Timestamp;
use steadfast::decide::{Decision, Progress, SessionLimits};
use steadfast::judge::{self, Judgement};
use steadfast::{Class, Fault, Kind, Policy, Reason};

use super::{ExecutionId, ExecutionStatus, NodeStatus};
use crate::retry::decision::{GuardEnv, moment, worker_lost_judgement};
use crate::task::{Status, TaskId};

/// Where an execution is, and all of its nodes whose turn has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutionState {
    /// Which execution.
    pub id: ExecutionId,
    /// The number of its workflow.
    pub workflow: i64,
    /// A number that grows with each step.
    pub version: i64,
    /// Where it is.
    pub status: ExecutionStatus,
    /// How far the chain of executions has come.
    pub progress: Progress,
    /// When the first of the chain was started.
    pub counted_from: Timestamp,
    /// Whether another execution follows it.
    pub is_followed: bool,
    /// The store's time when it was read.
    pub now: Timestamp,
    /// Its nodes whose turn has come, by number.
    pub nodes: Vec<NodeState>,
}

impl ExecutionState {
    /// After how long another execution follows, now that this one has failed with this fault, and
    /// how far the chain has come then (W3).
    ///
    /// It is judged and decided as for a task, but for one thing: another execution runs every node
    /// again under other keys, so it is an attempt even where the other side only asked for
    /// patience. What was asked for is then the least that is waited for.
    ///
    /// # Errors
    /// Why none follows.
    pub fn follows(&self, policy: &Policy, fault: &Fault) -> Result<(Duration, Progress), Reason> {
        let judgement = match fault.kind {
            Some(Kind::WorkerLost) => worker_lost_judgement(),
            _ => judge::judge(policy.rules(), fault),
        };
        let unasked = Judgement::by_code(judgement.class(), None);
        let (backoff, progress) = self.decided(policy, &unasked)?;
        let Some(hint) = judgement.hint() else { return Ok((backoff, progress)) };
        let (asked, _) = self.decided(policy, &Judgement::by_code(Class::Retryable, Some(hint)))?;
        Ok((backoff.max(asked), progress))
    }

    fn decided(
        &self,
        policy: &Policy,
        judgement: &Judgement,
    ) -> Result<(Duration, Progress), Reason> {
        let started = moment(self.counted_from);
        // The nodes of another execution have other keys.
        let terms = SessionLimits { started, expires_at: None, max_hint: None, key_in_use: false };
        let (mut progress, now) = (self.progress, moment(self.now));
        match progress.decide(policy, &terms, now, judgement, &mut GuardEnv(&mut ())) {
            Decision::Retry(delay) => Ok((delay, progress)),
            Decision::GiveUp(reason) => Err(reason),
        }
    }
}

/// Where a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeState {
    /// Its number in the workflow, from 0.
    pub number: u16,
    /// Where it is, as far as was noticed.
    pub status: NodeStatus,
    /// Its task, unless it could not become one.
    pub task: Option<TaskId>,
    /// Where its task is. Not looked for if the node has completed.
    pub outcome: Outcome,
}

/// Where the task of a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It has not ended.
    Open,
    /// It has ended: as completed, failed or cancelled.
    Ended(Status),
    /// There is none, or not any more.
    Pruned,
}

/// How the task of a node failed.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// Which task.
    pub task: TaskId,
    /// Why it was given up.
    pub reason: Option<Reason>,
    /// What its last error said.
    pub message: Option<String>,
    /// What it failed with last, if that can still be read.
    pub fault: Option<Fault>,
}

impl Failure {
    /// A reason by its name in rows; nothing if a newer version named it.
    pub(crate) fn reason_of(name: &str) -> Option<Reason> {
        serde_json::from_value(serde_json::Value::String(name.to_owned())).ok()
    }
}

/// What nodes that begin want to know of their execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValuesWanted {
    /// Which execution.
    pub execution: ExecutionId,
    /// Whether what it was started with is wanted.
    pub trigger: bool,
    /// Whose answers are.
    pub nodes: Vec<u16>,
}

/// What was wanted to be known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeValue {
    /// Which execution.
    pub execution: ExecutionId,
    /// The node that answered it, or the trigger if there is none.
    pub node: Option<u16>,
    /// As JSON; nothing if nothing was answered.
    pub json: Option<String>,
}

impl NodeValue {
    /// The values, unless reading them ended because they are too many bytes.
    pub(crate) fn within(values: Vec<Self>, max_bytes: u64) -> Option<Vec<Self>> {
        let bytes: u64 =
            values.iter().filter_map(|one| Some(one.json.as_ref()?.len() as u64)).sum();
        (bytes < max_bytes).then_some(values)
    }
}

/// What a look at what has ended found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MissedCompletion {
    /// Executions with a submitted node whose task has ended.
    pub executions: Vec<ExecutionId>,
    /// Whether there are no others.
    pub is_all: bool,
}

/// What a look at some of the nodes that are tasks found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrphanedNodes {
    /// Executions that something has happened to and nobody noticed, or that have ended while
    /// some of their tasks have not.
    pub executions: Vec<ExecutionId>,
    /// Where to go on looking; nothing if these were the last.
    pub next: Option<TaskId>,
}
