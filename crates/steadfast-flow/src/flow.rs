//! The entry point for programs: the workflows of a store.

use std::sync::Arc;
use std::time::Duration;

use steadfast_store::{
    Actor, ExecutionFilter, ExecutionId, Page, PageRequest, Result, Started, Store,
};

use crate::definition_cache::DefinitionCache;
use crate::start::Start;
use crate::view::Execution;
use crate::workflow::Workflow;

/// Starts, reads and controls executions of workflows, and [serves](Self::serve) them. Cheap to clone;
/// clones share their cache.
#[derive(Clone, Debug)]
pub struct Flow {
    pub(crate) store: Store,
    pub(crate) definitions: Arc<DefinitionCache>,
    pub(crate) sweep_every: Option<Duration>,
}

impl Flow {
    /// The workflows of this store.
    #[must_use]
    pub fn new(store: Store) -> Self {
        Self { store, definitions: Arc::default(), sweep_every: None }
    }

    /// Sets how often to sweep for missed completions: nodes whose task ended when its worker was
    /// killed, was cancelled, or was settled by another program. By default as often as the worker that
    /// it [serves](Self::serve) reclaims expired leases; every 5 seconds without a worker.
    #[must_use]
    pub const fn sweep_every(mut self, interval: Duration) -> Self {
        self.sweep_every = Some(interval);
        self
    }

    /// The store.
    #[must_use]
    pub const fn store(&self) -> &Store {
        &self.store
    }

    /// Starts an execution. When this returns, it is stored, and its first nodes are tasks.
    ///
    /// # Errors
    /// A first node refers to a value that the trigger lacks, the trigger is invalid, the key belongs to
    /// another execution, or the database failed.
    pub async fn start(&self, start: Start) -> Result<Started> {
        let mut started = self.start_all(vec![start]).await?;
        started.pop().ok_or_else(steadfast_store::StoreError::timed_out)
    }

    /// Starts many executions, all or none. The results are in the same order.
    ///
    /// # Errors
    /// As for [`start`](Self::start).
    pub async fn start_all(&self, starts: Vec<Start>) -> Result<Vec<Started>> {
        let mut new = Vec::with_capacity(starts.len());
        for start in starts {
            let number = self.definitions.save(&self.store, &start.workflow, None).await?;
            new.push(start.into_execution(number)?);
        }
        self.store.start_executions(new).await
    }

    /// Stores a workflow definition and returns its number: the same for the same text.
    ///
    /// # Errors
    /// The database failed.
    pub async fn save(&self, workflow: &Workflow) -> Result<i64> {
        self.definitions.save(&self.store, &Arc::new(workflow.clone()), None).await
    }

    /// The same with an audit entry, which is written together with the definition.
    ///
    /// # Errors
    /// The database failed.
    pub async fn save_for(&self, workflow: &Workflow, by: &Actor) -> Result<i64> {
        self.definitions.save(&self.store, &Arc::new(workflow.clone()), Some(by)).await
    }

    /// The workflow definition of this number, which is parsed and checked once.
    ///
    /// # Errors
    /// The definition does not exist, cannot be parsed, or the database failed.
    pub async fn workflow(&self, number: i64) -> Result<Arc<Workflow>> {
        self.definitions.get(&self.store, number).await
    }

    /// One execution with all its nodes.
    ///
    /// # Errors
    /// The execution does not exist, or the database failed.
    pub async fn execution(&self, id: ExecutionId) -> Result<Execution> {
        let stored = self.store.execution(id).await?;
        let workflow = self.definitions.get(&self.store, stored.workflow).await?;
        Ok(Execution::of(stored, &workflow))
    }

    /// A page of executions without their nodes, newest first.
    ///
    /// # Errors
    /// The filter has an invalid workflow name, the cursor belongs to another list, or the database
    /// failed.
    pub async fn executions(
        &self,
        filter: &ExecutionFilter,
        page: &PageRequest,
    ) -> Result<Page<Execution>> {
        Ok(self.store.executions(filter, page).await?.map(Execution::listed))
    }

    /// The retry chain of an execution (W3), without nodes, oldest first. Pruned executions are
    /// missing.
    ///
    /// # Errors
    /// The execution does not exist, or the database failed.
    pub async fn chain(&self, id: ExecutionId) -> Result<Vec<Execution>> {
        let chain = self.store.execution_chain(id).await?;
        Ok(chain.into_iter().map(Execution::listed).collect())
    }
}
