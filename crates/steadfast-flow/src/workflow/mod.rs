//! A workflow as data (W1): its nodes, what each waits for, and how each is retried.

mod check;
mod kind;
mod problem;
mod read;
mod retry;

use std::sync::Arc;

use serde_json::Value;
use steadfast::Policy;

pub(crate) use kind::Handlers;
pub use problem::{Problem, WorkflowError};

/// The most nodes of one workflow. All of them are looked at when one of them ends.
pub const MAX_NODES: usize = 1000;

/// Steps that wait for each other. One that exists makes sense: see [`parse`](Self::parse).
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
    /// What each node waits for, by number.
    before: Vec<Vec<usize>>,
    text: String,
}

/// One step of a workflow.
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
    /// Reads a workflow that is written as JSON. Its nodes may be of any type that a handler may
    /// have, but for a slip in what is built in, such as `htpp`.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with its place.
    pub fn parse(text: &str) -> Result<Self, WorkflowError> {
        read::read(text, Handlers::Unknown)
    }

    /// The same for workers that have these handlers, `http` and `command` among them if they have
    /// those. A node that none of them does is told, too.
    ///
    /// ```
    /// use steadfast_flow::Workflow;
    ///
    /// let text = r#"{"name": "w", "nodes": [{"nodeId": "a", "type": "send-mial"}]}"#;
    /// let told = Workflow::parse_for(text, &["send-mail", "http"]).unwrap_err().to_string();
    /// assert_eq!(
    ///     told,
    ///     r#"nodes[0].type: nobody handles "send-mial"; did you mean "send-mail"?"#
    /// );
    /// ```
    ///
    /// # Errors
    /// Everything that is wrong with it, each with its place.
    pub fn parse_for(text: &str, handlers: &[&str]) -> Result<Self, WorkflowError> {
        read::read(text, Handlers::These(handlers))
    }

    /// Reads one that was taken before: what is refused today need not have been then.
    pub(crate) fn of_kept(text: &str) -> Result<Self, WorkflowError> {
        read::read(text, Handlers::Settled)
    }

    /// The types of its nodes that no worker does without a handler of that name, each once.
    #[must_use]
    pub fn handlers(&self) -> Vec<&str> {
        let kinds = self.nodes.iter().map(Node::kind);
        let mut named: Vec<_> = kinds.filter(|kind| !kind::is_built_in(kind)).collect();
        named.sort_unstable();
        named.dedup();
        named
    }

    /// What it is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How a whole execution is tried again, if it is (W3).
    #[must_use]
    pub const fn retry(&self) -> Option<&Arc<Policy>> {
        self.retry.as_ref()
    }

    /// Its nodes, as they were written.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node of this id.
    #[must_use]
    pub fn node(&self, id: &str) -> Option<&Node> {
        self.nodes.iter().find(|node| node.id == id)
    }

    /// What a node waits for, by number.
    pub(crate) fn before(&self, number: usize) -> &[usize] {
        self.before.get(number).map_or(&[], Vec::as_slice)
    }

    /// The number of a node.
    pub(crate) fn number(&self, id: &str) -> Option<usize> {
        self.nodes.iter().position(|node| node.id == id)
    }

    /// What the node of this number is called.
    pub(crate) fn id_of(&self, number: usize) -> &str {
        self.nodes.get(number).map_or("", Node::id)
    }

    /// The text that it was read from.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The queue that a node's task stands in: its own, or that of the workflow.
    #[must_use]
    pub fn queue_of<'w>(&'w self, node: &'w Node) -> Option<&'w str> {
        node.queue.as_deref().or(self.queue.as_deref())
    }
}

impl Node {
    /// What it is called in its workflow.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Who does it: `http`, `command`, or a handler of that name.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The nodes that must have completed before.
    #[must_use]
    pub fn depends_on(&self) -> &[String] {
        &self.depends_on
    }

    /// What it is asked to do, with its references not yet followed.
    #[must_use]
    pub const fn config(&self) -> Option<&Value> {
        self.config.as_ref()
    }

    /// How it is tried again, if anything is said. A node that says nothing is tried once.
    #[must_use]
    pub const fn retry(&self) -> Option<&Arc<Policy>> {
        self.retry.as_ref()
    }

    /// The policy of its task: its own, or one that tries again only what a lost worker had.
    #[must_use]
    pub const fn policy(&self) -> &Arc<Policy> {
        &self.policy
    }
}

#[cfg(test)]
mod tests;
