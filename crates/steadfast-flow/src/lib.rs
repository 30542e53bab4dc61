//! Workflows: durable operations in several steps, each retried by itself.
//!
//! A task is retried as a whole. An operation that calls three services should not call the first two
//! again because the third was down. A [`Workflow`] names the nodes, the dependencies and the retry
//! policy of each; every node is a task of the store, with all that tasks have: leases, weeks of
//! delay, crash recovery, queues, the web UI.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use serde_json::{Value, json};
//! use steadfast_flow::{ExecutionStatus, Flow, Start, Workflow};
//! use steadfast_store::Store;
//! use steadfast_worker::Worker;
//!
//! let workflow = Workflow::parse(r#"{
//!     "name": "order",
//!     "nodes": [
//!         { "nodeId": "charge", "type": "charge", "config": { "amount": { "$from": "/trigger" } } },
//!         { "nodeId": "thank", "type": "mail", "dependsOn": ["charge"],
//!           "config": { "text": "You paid ${/nodes/charge}." } }
//!     ]
//! }"#)?;
//!
//! let store = Store::open("sqlite::memory:").await?;
//! let worker = Worker::new(store.clone())
//!     .handle("charge", |order: Value| async move { Ok::<_, std::io::Error>(order["amount"].clone()) })
//!     .handle("mail", |mail: Value| async move { Ok::<_, std::io::Error>(mail["text"].clone()) });
//!
//! let flow = Flow::new(store);
//! let started = flow.start(Start::of(&workflow, &42)).await?;
//! let done = async { while flow.execution(started.id).await.unwrap().ended_at.is_none() {} };
//! flow.serve(worker, done).await?;
//!
//! let execution = flow.execution(started.id).await?;
//! assert_eq!(execution.status, ExecutionStatus::Completed);
//! assert_eq!(execution.nodes[1].result, Some(json!("You paid 42.")));
//! # Ok(())
//! # }
//! ```
//!
//! # Structure
//!
//! - [`Workflow`] is a checked definition: errors are reported before anything runs (W1). Values in a
//!   node's `config` may come from the trigger and from earlier nodes.
//! - The next step is a pure function of the nodes' states (`next_step.rs`). The store records it only
//!   if the execution has not changed since it was read (`advance.rs`).
//! - [`Flow`] starts, reads and controls executions. A process that [serves](Flow::serve) them advances
//!   each one when a task of it ends, and sweeps for missed completions (`serve.rs`).

#![cfg_attr(docsrs, feature(doc_cfg))]

mod advance;
mod control;
mod definition_cache;
mod failure;
mod flow;
mod next_step;
mod node_task;
mod plan;
mod reference;
mod serve;
mod start;
mod start_nodes;
mod view;
mod workflow;

pub use flow::Flow;
pub use start::Start;
pub use steadfast_store::{
    ExecutionError, ExecutionFilter, ExecutionId, ExecutionStatus, Started, WorkflowDefinition,
};
pub use view::{Execution, ExecutionNode, ExecutionNodeStatus};
pub use workflow::{MAX_NODES, Node, Problem, Workflow, WorkflowError};
