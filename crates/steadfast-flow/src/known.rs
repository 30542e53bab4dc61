//! The workflows that this process has met, by their numbers in the store.
//!
//! A text is checked once for thousands of executions. A number means the same text for good, so
//! what is remembered is never wrong.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use steadfast_store::{Actor, ExecutionError, Result, Store};

use crate::workflow::Workflow;

/// How many bytes of text are remembered, so that a program that invents a workflow for each
/// execution costs no more than time.
const MOST: usize = 32 << 20;

/// What a workflow takes beside its text.
const EACH: usize = 1 << 10;

#[derive(Debug, Default)]
pub(crate) struct Known(Mutex<Met>);

#[derive(Debug, Default)]
struct Met {
    workflows: HashMap<i64, Arc<Workflow>>,
    /// By the hash of the text, which is long.
    numbers: HashMap<u64, i64>,
    hasher: RandomState,
    bytes: usize,
}

impl Met {
    fn number(&self, text: &str) -> Option<i64> {
        let number = *self.numbers.get(&self.hasher.hash_one(text))?;
        self.workflows.get(&number).filter(|known| known.text() == text)?;
        Some(number)
    }

    fn learn(&mut self, number: i64, workflow: &Arc<Workflow>) {
        let bytes = workflow.text().len() + EACH;
        if self.bytes + bytes > MOST {
            *self = Self::default();
        }
        self.numbers.insert(self.hasher.hash_one(workflow.text()), number);
        if self.workflows.insert(number, workflow.clone()).is_none() {
            self.bytes += bytes;
        }
    }
}

impl Known {
    fn met(&self) -> MutexGuard<'_, Met> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a workflow, which is kept if it is new.
    pub(crate) async fn keep(&self, store: &Store, workflow: &Arc<Workflow>) -> Result<i64> {
        let number = self.met().number(workflow.text());
        if let Some(number) = number {
            return Ok(number);
        }
        let number = store.keep_workflow(workflow.name(), workflow.text(), None).await?;
        self.met().learn(number, workflow);
        Ok(number)
    }

    /// The same because somebody asked for it, which is written down each time.
    pub(crate) async fn keep_for(
        &self,
        store: &Store,
        workflow: &Arc<Workflow>,
        by: &Actor,
    ) -> Result<i64> {
        let number = store.keep_workflow(workflow.name(), workflow.text(), Some(by)).await?;
        self.met().learn(number, workflow);
        Ok(number)
    }

    /// The workflow of this number.
    pub(crate) async fn get(&self, store: &Store, number: i64) -> Result<Arc<Workflow>> {
        let known = self.met().workflows.get(&number).cloned();
        if let Some(workflow) = known {
            return Ok(workflow);
        }
        let kept = store.workflow(number).await?.ok_or(ExecutionError::NoWorkflow(number))?;
        let workflow = Workflow::of_kept(&kept.text).map_err(|error| {
            ExecutionError::Unreadable { workflow: number, problem: error.to_string() }
        })?;
        let workflow = Arc::new(workflow);
        self.met().learn(number, &workflow);
        Ok(workflow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn long(number: i64) -> Arc<Workflow> {
        let config = serde_json::json!({ "text": "x".repeat(500_000), "number": number });
        let node = serde_json::json!({ "nodeId": "a", "type": "do", "config": config });
        let text = serde_json::json!({ "name": "long", "nodes": [node] }).to_string();
        Arc::new(Workflow::parse(&text).unwrap())
    }

    /// K4: what is remembered is bounded by its size, and what is remembered is right.
    #[test]
    fn no_more_is_remembered_than_so_many_bytes() {
        let mut met = Met::default();
        for number in 0..100 {
            let workflow = long(number);
            met.learn(number, &workflow);
            met.learn(number, &workflow);
            assert_eq!(met.number(workflow.text()), Some(number));
            let bytes: usize = met.workflows.values().map(|one| one.text().len()).sum();
            assert!(bytes <= met.bytes && met.bytes <= MOST);
        }
        assert!(met.workflows.len() > 10);
        assert_eq!(met.number("{}"), None);
    }
}
