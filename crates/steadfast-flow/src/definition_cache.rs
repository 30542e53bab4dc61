//! A cache of workflow definitions, by their numbers in the store.
//!
//! A definition is parsed and checked once for thousands of executions. A number always means the same
//! text, so the cache is never stale.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use steadfast_store::{Actor, ExecutionError, Result, Store};

use crate::workflow::Workflow;

/// The cache is cleared beyond this size, so that a program that makes a workflow for each execution
/// does not fill the memory.
const MAX_CACHE_BYTES: usize = 32 << 20;

/// The size of a cached workflow beside its text.
const ENTRY_OVERHEAD_BYTES: usize = 1 << 10;

#[derive(Debug, Default)]
pub(crate) struct DefinitionCache(Mutex<Definitions>);

#[derive(Debug, Default)]
struct Definitions {
    workflows: HashMap<i64, Arc<Workflow>>,
    /// By the hash of the text.
    numbers: HashMap<u64, i64>,
    hasher: RandomState,
    bytes: usize,
}

impl Definitions {
    fn number(&self, text: &str) -> Option<i64> {
        let number = *self.numbers.get(&self.hasher.hash_one(text))?;
        self.workflows.get(&number).filter(|cached| cached.text() == text)?;
        Some(number)
    }

    fn insert(&mut self, number: i64, workflow: &Arc<Workflow>) {
        let bytes = workflow.text().len() + ENTRY_OVERHEAD_BYTES;
        if self.bytes + bytes > MAX_CACHE_BYTES {
            *self = Self::default();
        }
        self.numbers.insert(self.hasher.hash_one(workflow.text()), number);
        if self.workflows.insert(number, workflow.clone()).is_none() {
            self.bytes += bytes;
        }
    }
}

impl DefinitionCache {
    fn definitions(&self) -> MutexGuard<'_, Definitions> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a workflow, which is stored if it is new. An actor is audited each time.
    pub(crate) async fn save(
        &self,
        store: &Store,
        workflow: &Arc<Workflow>,
        by: Option<&Actor>,
    ) -> Result<i64> {
        let number = self.definitions().number(workflow.text());
        if let (Some(number), None) = (number, by) {
            return Ok(number);
        }
        let number = store.save_workflow(workflow.name(), workflow.text(), by).await?;
        self.definitions().insert(number, workflow);
        Ok(number)
    }

    /// The workflow of this number.
    pub(crate) async fn get(&self, store: &Store, number: i64) -> Result<Arc<Workflow>> {
        let cached = self.definitions().workflows.get(&number).cloned();
        if let Some(workflow) = cached {
            return Ok(workflow);
        }
        let stored = store.workflow(number).await?.ok_or(ExecutionError::NoWorkflow(number))?;
        let workflow = Workflow::parse_stored(&stored.text).map_err(|error| {
            ExecutionError::Unreadable { workflow: number, problem: error.to_string() }
        })?;
        let workflow = Arc::new(workflow);
        self.definitions().insert(number, &workflow);
        Ok(workflow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn large_workflow(number: i64) -> Arc<Workflow> {
        let config = serde_json::json!({ "text": "x".repeat(500_000), "number": number });
        let node = serde_json::json!({ "nodeId": "a", "type": "do", "config": config });
        let text = serde_json::json!({ "name": "long", "nodes": [node] }).to_string();
        Arc::new(Workflow::parse(&text).unwrap())
    }

    /// K4: the cache is bounded by its size.
    #[test]
    fn cache_beyond_its_limit_is_cleared() {
        let mut cache = Definitions::default();
        for number in 0..100 {
            let workflow = large_workflow(number);
            cache.insert(number, &workflow);
            cache.insert(number, &workflow);
            assert_eq!(cache.number(workflow.text()), Some(number));
            let bytes: usize = cache.workflows.values().map(|one| one.text().len()).sum();
            assert!(bytes <= cache.bytes && cache.bytes <= MAX_CACHE_BYTES);
        }
        assert!(cache.workflows.len() > 10);
        assert_eq!(cache.number("{}"), None);
    }
}
