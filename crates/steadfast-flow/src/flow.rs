//! The workflows of a store, as a program holds them.

use std::sync::Arc;
use std::time::Duration;

use steadfast_store::{
    Actor, ExecutionFilter, ExecutionId, Page, PageRequest, Result, Started, Store, StoredExecution,
};

use crate::known::Known;
use crate::start::Start;
use crate::view::Execution;
use crate::workflow::Workflow;

/// Starts, shows and steers executions of workflows, and [serves](Self::serve) them. Cheap to
/// clone; clones are the same.
#[derive(Clone, Debug)]
pub struct Flow {
    pub(crate) store: Store,
    pub(crate) known: Arc<Known>,
    pub(crate) sweep_every: Option<Duration>,
}

impl Flow {
    /// The workflows of this store.
    #[must_use]
    pub fn new(store: Store) -> Self {
        Self { store, known: Arc::default(), sweep_every: None }
    }

    /// How often to look for what nobody told of: nodes whose task ended when its worker was
    /// killed, was called off or was settled by another program. Unless said, as often as the
    /// worker that it [serves](Self::serve) looks for lost tasks; every 5 seconds without one.
    #[must_use]
    pub const fn sweep_every(mut self, interval: Duration) -> Self {
        self.sweep_every = Some(interval);
        self
    }

    /// The store that keeps them.
    #[must_use]
    pub const fn store(&self) -> &Store {
        &self.store
    }

    /// Starts an execution. When this returns, it is kept, and its first nodes are tasks.
    ///
    /// # Errors
    /// A first node refers to what the trigger has not, something in it cannot be taken, its key
    /// belongs to another execution, or the database failed.
    pub async fn start(&self, start: Start) -> Result<Started> {
        let mut started = self.start_all(vec![start]).await?;
        started.pop().ok_or_else(steadfast_store::StoreError::no_answer)
    }

    /// Starts many, all or none. The answers are in their order.
    ///
    /// # Errors
    /// As for [`start`](Self::start).
    pub async fn start_all(&self, starts: Vec<Start>) -> Result<Vec<Started>> {
        let mut new = Vec::with_capacity(starts.len());
        for start in starts {
            let number = self.known.keep(&self.store, &start.workflow).await?;
            new.push(start.into_execution(number)?);
        }
        self.store.start_executions(new).await
    }

    /// Keeps the text of a workflow, and answers with its number: the same for the same text.
    ///
    /// # Errors
    /// The database failed.
    pub async fn keep(&self, workflow: &Workflow) -> Result<i64> {
        self.known.keep(&self.store, &Arc::new(workflow.clone())).await
    }

    /// The same because somebody asked for it: both that and the text are written, or nothing is.
    ///
    /// # Errors
    /// The database failed.
    pub async fn keep_for(&self, workflow: &Workflow, by: &Actor) -> Result<i64> {
        self.known.keep_for(&self.store, &Arc::new(workflow.clone()), by).await
    }

    /// The workflow of this number, which is read and checked once.
    ///
    /// # Errors
    /// There is none, what was kept of it cannot be read, or the database failed.
    pub async fn workflow(&self, number: i64) -> Result<Arc<Workflow>> {
        self.known.get(&self.store, number).await
    }

    /// One execution with all of its nodes.
    ///
    /// # Errors
    /// There is none, or the database failed.
    pub async fn execution(&self, id: ExecutionId) -> Result<Execution> {
        let stored = self.store.execution(id).await?;
        self.shown(stored).await
    }

    /// Some executions without their nodes, newest first.
    ///
    /// # Errors
    /// The filter has a name that no workflow can have, the page's cursor is not one of this
    /// list, or the database failed.
    pub async fn executions(
        &self,
        filter: &ExecutionFilter,
        page: &PageRequest,
    ) -> Result<Page<Execution>> {
        let Page { items, next } = self.store.executions(filter, page).await?;
        Ok(Page { items: items.into_iter().map(Execution::in_short).collect(), next })
    }

    /// The executions that this one follows and that follow it (W3), without their nodes, oldest
    /// first. What was pruned is not among them.
    ///
    /// # Errors
    /// There is none, or the database failed.
    pub async fn chain(&self, id: ExecutionId) -> Result<Vec<Execution>> {
        let chain = self.store.execution_chain(id).await?;
        Ok(chain.into_iter().map(Execution::in_short).collect())
    }

    async fn shown(&self, stored: StoredExecution) -> Result<Execution> {
        let workflow = self.known.get(&self.store, stored.workflow).await?;
        Ok(Execution::of(stored, &workflow))
    }
}
