//! The start of an execution.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use steadfast::decide::Progress;
use steadfast_store::{
    Actor, AuditEntry, ExecutionId, InputError, NewExecution, StartedNode, When,
};

use crate::next_step::{NextStep, next_step};
use crate::node_task::{Input, node_task};
use crate::start_nodes::MAX_WRITE_BYTES;
use crate::workflow::Workflow;

/// A workflow and the trigger to start it with.
///
/// ```
/// use steadfast_flow::{Start, Workflow};
///
/// # fn example(workflow: &Workflow) -> Start {
/// Start::of(workflow, &serde_json::json!({ "user": "ada" })).key("sign-up of ada")
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "nothing starts until it is passed to `Flow::start`"]
pub struct Start {
    pub(crate) workflow: Arc<Workflow>,
    trigger: Result<Value, InputError>,
    key: Option<String>,
    by: Option<Actor>,
}

impl Start {
    /// An execution of this workflow. The trigger is stored, and every node may refer to it; one that
    /// cannot be serialized is an error of the start.
    pub fn of(workflow: impl Into<SharedWorkflow>, trigger: &(impl Serialize + ?Sized)) -> Self {
        let trigger = serde_json::to_value(trigger)
            .map_err(|error| InputError::new("trigger", format!("cannot be serialized: {error}")));
        Self { workflow: workflow.into().0, trigger, key: None, by: None }
    }

    /// Sets an idempotency key: starting it twice starts it once.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Sets the actor for the audit log.
    pub fn by(mut self, actor: Actor) -> Self {
        self.by = Some(actor);
        self
    }

    /// The execution as it is stored, with its first nodes.
    pub(crate) fn into_execution(self, number: i64) -> Result<NewExecution, InputError> {
        let trigger = self.trigger?;
        let first = FirstNodes { workflow: &self.workflow, number, due: When::Now };
        let new = first.execution(trigger)?;
        let entry = |by| AuditEntry::new(by, "execution.start").target(new.id);
        Ok(NewExecution { key: self.key, audit: self.by.map(entry), ..new })
    }
}

/// A workflow that several starts can share.
#[derive(Debug)]
#[doc(hidden)]
pub struct SharedWorkflow(Arc<Workflow>);

impl From<&Workflow> for SharedWorkflow {
    fn from(workflow: &Workflow) -> Self {
        Self(Arc::new(workflow.clone()))
    }
}

impl From<&Arc<Workflow>> for SharedWorkflow {
    fn from(workflow: &Arc<Workflow>) -> Self {
        Self(workflow.clone())
    }
}

/// The first nodes of an execution: the first of its chain, or a follow-up.
pub(crate) struct FirstNodes<'w> {
    pub(crate) workflow: &'w Workflow,
    pub(crate) number: i64,
    pub(crate) due: When,
}

impl FirstNodes<'_> {
    /// The execution, with its first nodes.
    pub(crate) fn execution(&self, trigger: Value) -> Result<NewExecution, InputError> {
        let id = ExecutionId::fresh();
        let trigger_json = trigger.to_string();
        let input = Input { trigger, nodes: HashMap::new() };
        Ok(NewExecution {
            id,
            workflow: self.number,
            trigger: trigger_json,
            key: None,
            progress: Progress::default(),
            counted_from: None,
            run_at: self.due,
            started: self.start(id, &input)?,
            audit: None,
        })
    }

    fn start(&self, id: ExecutionId, input: &Input) -> Result<Vec<StartedNode>, InputError> {
        let NextStep::Start(first) = next_step(self.workflow, &[]) else {
            return Ok(Vec::new());
        };
        let start = |number: usize| {
            let task = node_task(self.workflow, number, id, input).map_err(|problem| {
                let node = self.workflow.id_of(number);
                let hint = "include the values that its nodes refer to";
                InputError::new("trigger", format!("node {node} cannot start: {problem}; {hint}"))
            })?;
            let task = match self.due {
                When::Now => task,
                When::After(delay) => task.after(delay),
                When::At(time) => task.at(time),
            };
            Ok(StartedNode { number: crate::plan::column(number), task })
        };
        let started = first.into_iter().map(start).collect::<Result<Vec<_>, InputError>>()?;
        let bytes: usize = started.iter().map(|node| node.task.payload_bytes()).sum();
        if bytes > MAX_WRITE_BYTES {
            let problem = format!(
                "the payloads of its first nodes are {bytes} bytes of JSON; the maximum is \
                 {MAX_WRITE_BYTES}: store the data elsewhere and pass its address"
            );
            return Err(InputError::new("trigger", problem));
        }
        Ok(started)
    }
}
