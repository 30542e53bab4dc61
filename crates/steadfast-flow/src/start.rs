//! An execution that is to be started.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use steadfast::decide::Progress;
use steadfast_store::{Actor, AuditEntry, ExecutionId, Invalid, NewExecution, StartedNode, When};

use crate::begin::WRITTEN;
use crate::next::{Next, next};
use crate::task::{Input, node_task};
use crate::workflow::Workflow;

/// A workflow, and what to start it with.
///
/// ```
/// use steadfast_flow::{Start, Workflow};
///
/// # fn example(workflow: &Workflow) -> Start {
/// Start::of(workflow, &serde_json::json!({ "user": "ada" })).key("sign-up of ada")
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "nothing starts until it is handed to a flow"]
pub struct Start {
    pub(crate) workflow: Arc<Workflow>,
    trigger: Result<Value, Invalid>,
    key: Option<String>,
    by: Option<Actor>,
}

impl Start {
    /// An execution of this workflow. The trigger is kept, and every node may refer to it; one
    /// that cannot be written as JSON is told when it is started.
    pub fn of(workflow: impl Into<Shared>, trigger: &(impl Serialize + ?Sized)) -> Self {
        let trigger = serde_json::to_value(trigger)
            .map_err(|error| Invalid::new("trigger", format!("cannot be written: {error}")));
        Self { workflow: workflow.into().0, trigger, key: None, by: None }
    }

    /// Names it, so that starting it twice is starting it once.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Who starts it, for the audit log.
    pub fn by(mut self, by: Actor) -> Self {
        self.by = Some(by);
        self
    }

    /// As it is written down, with its first nodes.
    pub(crate) fn into_execution(self, number: i64) -> Result<NewExecution, Invalid> {
        let trigger = self.trigger?;
        let first = First { workflow: &self.workflow, number, due: When::Now };
        let new = first.execution(trigger)?;
        let entry = |by| AuditEntry::new(by, "execution.start").target(new.id);
        Ok(NewExecution { key: self.key, audit: self.by.map(entry), ..new })
    }
}

/// A workflow that a start may share with others.
#[derive(Debug)]
#[doc(hidden)]
pub struct Shared(Arc<Workflow>);

impl From<&Workflow> for Shared {
    fn from(workflow: &Workflow) -> Self {
        Self(Arc::new(workflow.clone()))
    }
}

impl From<&Arc<Workflow>> for Shared {
    fn from(workflow: &Arc<Workflow>) -> Self {
        Self(workflow.clone())
    }
}

/// The beginning of an execution: the first of its chain, or one that follows.
pub(crate) struct First<'w> {
    pub(crate) workflow: &'w Workflow,
    pub(crate) number: i64,
    pub(crate) due: When,
}

impl First<'_> {
    /// The execution, with its first nodes.
    pub(crate) fn execution(&self, trigger: Value) -> Result<NewExecution, Invalid> {
        let id = ExecutionId::fresh();
        let written = trigger.to_string();
        let input = Input { trigger, nodes: HashMap::new() };
        Ok(NewExecution {
            id,
            workflow: self.number,
            trigger: written,
            key: None,
            progress: Progress::default(),
            counted_from: None,
            due: self.due,
            begun: self.begun(id, &input)?,
            audit: None,
        })
    }

    fn begun(&self, id: ExecutionId, input: &Input) -> Result<Vec<StartedNode>, Invalid> {
        let Next::Begin(first) = next(self.workflow, &[]) else {
            return Ok(Vec::new());
        };
        let begin = |number: usize| {
            let task = node_task(self.workflow, number, id, input).map_err(|problem| {
                let node = self.workflow.id_of(number);
                let next = "start it with what its nodes refer to";
                Invalid::new("trigger", format!("node {node} cannot begin: {problem}; {next}"))
            })?;
            let task = match self.due {
                When::Now => task,
                When::After(delay) => task.after(delay),
                When::At(time) => task.at(time),
            };
            Ok(StartedNode { number: crate::plan::column(number), task })
        };
        let begun = first.into_iter().map(begin).collect::<Result<Vec<_>, Invalid>>()?;
        let bytes: usize = begun.iter().map(|begun| begun.task.payload_bytes()).sum();
        if bytes > WRITTEN {
            let problem = format!(
                "its first nodes would be asked {bytes} bytes of JSON; at most {WRITTEN} are \
                 written at once: keep it elsewhere, and its address here"
            );
            return Err(Invalid::new("trigger", problem));
        }
        Ok(begun)
    }
}
