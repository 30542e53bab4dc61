//! The answers of a store in this process.

mod api;
mod policies;
mod queues;
mod read_back;

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use steadfast_flow::Flow;
use steadfast_store::{Activity, Actor, Documents, ExecutionId, Store, TaskId};

use crate::audit::{Deed, Seen, Witness};
use crate::claims::Desk;
use crate::claims::UnderWay;
use crate::error::ApiError;
use crate::page::{Page, PageQuery};
use crate::tasks::TaskFilter;
use crate::tasks::TaskView;
use crate::workers::{self, Callers, WorkerStatus};
use crate::workflows::ExecutionView;
pub use policies::InForce;
use read_back::shown;

/// A store in this process, asked by somebody.
pub struct Local {
    store: Store,
    flow: Flow,
    policies: Option<Arc<dyn InForce>>,
    by: Actor,
    witness: Option<Arc<dyn Witness>>,
    under_way: Arc<UnderWay>,
    callers: Arc<Callers>,
}

impl fmt::Debug for Local {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Local").field("by", &self.by).finish_non_exhaustive()
    }
}

impl Local {
    /// Answers out of a store. `by` is who asks, for the audit log (K3). Tasks can have the
    /// ready-made policies.
    #[must_use]
    pub fn new(store: Store, by: Actor) -> Self {
        let flow = Flow::new(store.clone());
        let (under_way, callers) = (Arc::default(), Arc::default());
        Self { store, flow, policies: None, by, witness: None, under_way, callers }
    }

    /// The same, and tasks can have these policies.
    #[must_use]
    pub fn with_policies(mut self, policies: impl InForce) -> Self {
        self.policies = Some(Arc::new(policies));
        self
    }

    /// The same, and this one is told what leaves no trace of who did it.
    #[must_use]
    pub fn with_witness(mut self, witness: Arc<dyn Witness>) -> Self {
        self.witness = Some(witness);
        self
    }

    /// The same, and nobody is told.
    #[must_use]
    pub fn without_witness(mut self) -> Self {
        self.witness = None;
        self
    }

    /// The same store and policies, asked by somebody else.
    #[must_use]
    pub fn asked_by(&self, by: Actor) -> Self {
        Self {
            store: self.store.clone(),
            flow: self.flow.clone(),
            policies: self.policies.clone(),
            by,
            witness: self.witness.clone(),
            under_way: self.under_way.clone(),
            callers: self.callers.clone(),
        }
    }

    /// Its workflows, for whoever serves them: what was read of them once is known to both.
    #[must_use]
    pub const fn flow(&self) -> &Flow {
        &self.flow
    }

    /// What ended in each minute of the last hour, and what is due in each hour of the next day.
    ///
    /// # Errors
    /// The store failed.
    pub async fn activity(&self) -> Result<Activity, ApiError> {
        Ok(self.store.activity().await?)
    }

    /// Some tasks, without their history, payloads and results: what a table shows of them.
    ///
    /// # Errors
    /// As for [`tasks`](crate::Api::tasks).
    pub async fn rows(
        &self,
        filter: &TaskFilter,
        page: &PageQuery,
    ) -> Result<Page<TaskView>, ApiError> {
        self.listed(filter, page, Documents::Without).await
    }

    async fn listed(
        &self,
        filter: &TaskFilter,
        page: &PageQuery,
        documents: Documents,
    ) -> Result<Page<TaskView>, ApiError> {
        let wanted = self.filter(filter).await?;
        let tasks = self.store.tasks_with(&wanted, &page.request()?, documents).await?;
        self.has_read(Seen::Tasks(filter));
        Ok(Page::of(tasks, TaskView::listed))
    }

    /// Who holds tasks, and how each queue's line stands (H2).
    ///
    /// # Errors
    /// The store cannot be asked.
    pub async fn worker_status(&self) -> Result<WorkerStatus, ApiError> {
        Ok(workers::look(&self.store).await?)
    }

    fn desk(&self) -> Desk<'_> {
        Desk { store: &self.store, under_way: &self.under_way, callers: &self.callers }
    }

    /// Tells the witness, if there is one, what was read. Whoever answers out of what was read for
    /// all, and not out of this, tells it as well.
    pub fn has_read(&self, what: Seen<'_>) {
        if let Some(witness) = &self.witness {
            witness.read(&self.by, what);
        }
    }

    /// Tells the witness, if there is one, what was done.
    fn has_done(&self, deed: Deed, tasks: impl IntoIterator<Item = TaskId>) {
        if let Some(witness) = &self.witness {
            witness.did(&self.by, deed, &tasks.into_iter().collect::<Vec<_>>());
        }
    }

    async fn read(&self, id: TaskId) -> Result<TaskView, ApiError> {
        let task = self.whole(id).await?;
        self.has_read(Seen::Task(id));
        Ok(task)
    }

    async fn whole_execution(&self, id: ExecutionId) -> Result<ExecutionView, ApiError> {
        Ok(ExecutionView::whole(self.flow.execution(id).await?))
    }

    async fn whole(&self, id: TaskId) -> Result<TaskView, ApiError> {
        Ok(TaskView::whole(self.store.task(id).await?))
    }

    /// The task to which something was done.
    async fn done_to(&self, id: TaskId) -> Result<TaskView, ApiError> {
        Ok(TaskView::whole(shown(id, || self.store.task(id)).await?))
    }

    /// The execution to which something was done.
    async fn done_to_execution(&self, id: ExecutionId) -> Result<ExecutionView, ApiError> {
        Ok(ExecutionView::whole(shown(id, || self.flow.execution(id)).await?))
    }

    async fn filter(&self, filter: &TaskFilter) -> Result<steadfast_store::Filter, ApiError> {
        let now = match filter.due_within {
            Some(_) => self.store.now().await?,
            None => Timestamp::UNIX_EPOCH,
        };
        Ok(filter.at(now))
    }
}
