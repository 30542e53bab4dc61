//! Workflows: work in several steps, each retried by itself, all of it kept.
//!
//! A task is retried as a whole. Work that calls three services should not call the first two
//! again because the third was away. A [`Workflow`] names the steps, what each waits for and how
//! each is retried; every step is a task of the store, so all that holds for tasks holds for it:
//! leases, weeks of waiting, crashes, queues, the page.
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
//! # How it is made
//!
//! - [`Workflow`] is data that was checked: whatever is wrong with it is told before anything
//!   runs (W1). Values of its nodes' `config` may come from the trigger and from nodes before.
//! - What follows from what has happened is one pure function (`next.rs`). The store keeps what
//!   happened, and takes a step only if nothing has happened since (`advance.rs`).
//! - [`Flow`] starts, shows and steers executions. Whoever [serves](Flow::serve) them advances
//!   each when a task of it ends, and looks for what was missed (`serve.rs`).

mod advance;
mod begin;
mod failure;
mod flow;
mod known;
mod next;
mod plan;
mod reference;
mod serve;
mod start;
mod steer;
mod task;
mod view;
mod workflow;

pub use flow::Flow;
pub use start::Start;
pub use steadfast_store::{
    ExecutionError, ExecutionFilter, ExecutionId, ExecutionStatus, Started, WorkflowDefinition,
};
pub use view::{Execution, ExecutionNode, NodePlace};
pub use workflow::{MAX_NODES, Node, Problem, Workflow, WorkflowError};
