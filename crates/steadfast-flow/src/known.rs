//! The workflows that this process has met, by their numbers in the store.
//!
//! A text is checked once for thousands of executions. A number means the same text for good, so
//! what is remembered is never wrong.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use steadfast_store::{ExecutionError, ExecutionId, Result, Store};

use crate::workflow::Workflow;

/// How many are remembered, so that a program that invents a workflow for each execution costs
/// no more than time.
const MOST: usize = 1000;

#[derive(Debug, Default)]
pub(crate) struct Known(Mutex<Met>);

#[derive(Debug, Default)]
struct Met {
    workflows: HashMap<i64, Arc<Workflow>>,
    numbers: HashMap<String, i64>,
}

impl Known {
    fn met(&self) -> MutexGuard<'_, Met> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn learn(&self, number: i64, workflow: &Arc<Workflow>) {
        let mut met = self.met();
        if met.workflows.len() >= MOST {
            *met = Met::default();
        }
        met.numbers.insert(workflow.text().to_owned(), number);
        met.workflows.insert(number, workflow.clone());
    }

    /// The number of a workflow, which is kept if it is new.
    pub(crate) async fn keep(&self, store: &Store, workflow: &Arc<Workflow>) -> Result<i64> {
        let number = self.met().numbers.get(workflow.text()).copied();
        if let Some(number) = number {
            return Ok(number);
        }
        let number = store.keep_workflow(workflow.name(), workflow.text()).await?;
        self.learn(number, workflow);
        Ok(number)
    }

    /// The workflow of this number, which this execution has.
    pub(crate) async fn get(
        &self,
        store: &Store,
        number: i64,
        execution: ExecutionId,
    ) -> Result<Arc<Workflow>> {
        let known = self.met().workflows.get(&number).cloned();
        if let Some(workflow) = known {
            return Ok(workflow);
        }
        let damaged = |problem: String| ExecutionError::Damaged { id: execution, problem };
        let kept = store.workflow(number).await?;
        let kept = kept.ok_or_else(|| damaged("its workflow is not there any more".to_owned()))?;
        let workflow = Workflow::parse(&kept.text)
            .map_err(|error| damaged(format!("its workflow cannot be read: {error}")))?;
        let workflow = Arc::new(workflow);
        self.learn(number, &workflow);
        Ok(workflow)
    }
}
