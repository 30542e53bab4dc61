//! A workflow definition (W1): its nodes, their dependencies and their retry policies.

mod check;
mod kind;
mod parse;
mod problem;
mod retry;

use std::sync::Arc;

use serde_json::Value;
use steadfast::Policy;

pub(crate) use kind::Handlers;
pub use problem::{Problem, WorkflowError};

/// The maximum number of nodes in a workflow. All of them are read when one of them ends.
pub const MAX_NODES: usize = 1000;

/// A valid workflow definition: see [`parse`](Self::parse).
///
/// ```
/// use steadfast_flow::Workflow;
///
/// let workflow = Workflow::parse(r#"{
///     "name": "sign-up",
///     "nodes": [
///         {
///             "nodeId": "create", "type": "action", "subType": "api-call",
///             "config": {
///                 "url": "https://api.example.com/users",
///                 "method": "POST",
///                 "body": { "$from": "/trigger" },
///                 "retry": {
///                     "enabled": true, "strategy": "exponential_backoff",
///                     "maxAttempts": 5, "initialDelaySeconds": 60, "maxDelaySeconds": 3600,
///                     "retryOn": ["5xx", "408", "429"], "ignoreExceptions": ["4xx"]
///                 }
///             }
///         },
///         {
///             "nodeId": "welcome", "type": "send-mail", "dependsOn": ["create"],
///             "config": { "to": { "$from": "/nodes/create/body/mail" } }
///         }
///     ]
/// }"#)?;
/// assert_eq!(workflow.node("create").unwrap().kind(), "http");
/// # Ok::<(), steadfast_flow::WorkflowError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Workflow {
    name: String,
    queue: Option<String>,
    retry: Option<Arc<Policy>>,
    nodes: Vec<Node>,
    /// The dependencies of each node, by number.
    dependencies: Vec<Vec<usize>>,
    text: String,
}

/// A node of a workflow.
#[derive(Clone, Debug)]
pub struct Node {
    id: String,
    kind: String,
    queue: Option<String>,
    depends_on: Vec<String>,
    config: Option<Value>,
    retry: Option<Arc<Policy>>,
    policy: Arc<Policy>,
}

impl Workflow {
    /// Parses and checks a workflow in JSON. Its nodes may be of any kind that a handler can have,
    /// except for a typo of a built-in one, such as `htpp`.
    ///
    /// # Errors
    /// All problems of the workflow, each with its path.
    pub fn parse(text: &str) -> Result<Self, WorkflowError> {
        parse::parse(text, Handlers::Unknown)
    }

    /// The same for workers with these handlers, including `http` and `command` if they have those. A
    /// node without a handler is a problem, too.
    ///
    /// ```
    /// use steadfast_flow::Workflow;
    ///
    /// let text = r#"{"name": "w", "nodes": [{"nodeId": "a", "type": "send-mial"}]}"#;
    /// let error = Workflow::parse_for(text, &["send-mail", "http"]).unwrap_err().to_string();
    /// assert_eq!(
    ///     error,
    ///     r#"nodes[0].type: no handler for "send-mial"; did you mean "send-mail"?"#
    /// );
    /// ```
    ///
    /// # Errors
    /// All problems of the workflow, each with its path.
    pub fn parse_for(text: &str, handlers: &[&str]) -> Result<Self, WorkflowError> {
        parse::parse(text, Handlers::Only(handlers))
    }

    /// Parses a stored workflow, whose kinds were checked when it was stored.
    pub(crate) fn parse_stored(text: &str) -> Result<Self, WorkflowError> {
        parse::parse(text, Handlers::Checked)
    }

    /// The kinds of its nodes that need a registered handler, each once.
    #[must_use]
    pub fn handlers(&self) -> Vec<&str> {
        let kinds = self.nodes.iter().map(Node::kind);
        let mut custom: Vec<_> = kinds.filter(|kind| !kind::is_built_in(kind)).collect();
        custom.sort_unstable();
        custom.dedup();
        custom
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The policy for retrying whole executions, if any (W3).
    #[must_use]
    pub const fn retry(&self) -> Option<&Arc<Policy>> {
        self.retry.as_ref()
    }

    /// Its nodes, in the order of the definition.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node of this id.
    #[must_use]
    pub fn node(&self, id: &str) -> Option<&Node> {
        self.nodes.iter().find(|node| node.id == id)
    }

    /// The dependencies of a node, by number.
    pub(crate) fn dependencies(&self, number: usize) -> &[usize] {
        self.dependencies.get(number).map_or(&[], Vec::as_slice)
    }

    /// The number of a node.
    pub(crate) fn number(&self, id: &str) -> Option<usize> {
        self.nodes.iter().position(|node| node.id == id)
    }

    /// The id of the node of this number.
    pub(crate) fn id_of(&self, number: usize) -> &str {
        self.nodes.get(number).map_or("", Node::id)
    }

    /// The text that it was parsed from.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The queue of a node's task: its own, or that of the workflow.
    #[must_use]
    pub fn queue_of<'w>(&'w self, node: &'w Node) -> Option<&'w str> {
        node.queue.as_deref().or(self.queue.as_deref())
    }
}

impl Node {
    /// Its id in the workflow.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its kind: `http`, `command`, or the name of a handler.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The nodes that must complete first.
    #[must_use]
    pub fn depends_on(&self) -> &[String] {
        &self.depends_on
    }

    /// Its payload, with references that are not resolved yet.
    #[must_use]
    pub const fn config(&self) -> Option<&Value> {
        self.config.as_ref()
    }

    /// Its retry policy, if any. A node without one is tried once.
    #[must_use]
    pub const fn retry(&self) -> Option<&Arc<Policy>> {
        self.retry.as_ref()
    }

    /// The policy of its task: its own, or one that retries only after a lost worker.
    #[must_use]
    pub const fn policy(&self) -> &Arc<Policy> {
        &self.policy
    }
}

#[cfg(test)]
mod tests;
