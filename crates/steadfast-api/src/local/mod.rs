//! The API of a store in this process.

mod api;
mod policies;
mod queues;
mod read_back;

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use steadfast_flow::{Execution, Flow};
use steadfast_store::{Activity, Actor, Documents, ExecutionId, Page, Store, TaskId};

use crate::audit::{AuditHook, ReadAction, TaskAction};
use crate::claims::{ClaimService, InFlight};
use crate::error::ApiError;
use crate::page::PageQuery;
use crate::tasks::{TaskFilter, TaskView};
use crate::workers::{self, HttpWorkers, WorkerStatus};
pub use policies::PolicySource;
use read_back::read_back;

/// The API of a store in this process, for one actor.
pub struct Local {
    store: Store,
    flow: Flow,
    policies: Option<Arc<dyn PolicySource>>,
    actor: Actor,
    audit_hook: Option<Arc<dyn AuditHook>>,
    in_flight: Arc<InFlight>,
    http_workers: Arc<HttpWorkers>,
}

impl fmt::Debug for Local {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Local").field("actor", &self.actor).finish_non_exhaustive()
    }
}

impl Local {
    /// The API of a store with the built-in policies. The audit log names the actor (K3).
    #[must_use]
    pub fn new(store: Store, actor: Actor) -> Self {
        Self {
            flow: Flow::new(store.clone()),
            store,
            policies: None,
            actor,
            audit_hook: None,
            in_flight: Arc::default(),
            http_workers: Arc::default(),
        }
    }

    /// Sets the policies that tasks can refer to by name.
    #[must_use]
    pub fn with_policies(mut self, policies: impl PolicySource) -> Self {
        self.policies = Some(Arc::new(policies));
        self
    }

    /// Sets the hook for actions that the store does not audit.
    #[must_use]
    pub fn with_audit_hook(mut self, hook: Arc<dyn AuditHook>) -> Self {
        self.audit_hook = Some(hook);
        self
    }

    /// Removes the audit hook.
    #[must_use]
    pub fn without_audit_hook(mut self) -> Self {
        self.audit_hook = None;
        self
    }

    /// The same store and policies for another actor.
    #[must_use]
    pub fn for_actor(&self, actor: Actor) -> Self {
        Self {
            store: self.store.clone(),
            flow: self.flow.clone(),
            policies: self.policies.clone(),
            actor,
            audit_hook: self.audit_hook.clone(),
            in_flight: self.in_flight.clone(),
            http_workers: self.http_workers.clone(),
        }
    }

    /// The workflow engine of the store. A worker that runs workflows shares its cache.
    #[must_use]
    pub const fn flow(&self) -> &Flow {
        &self.flow
    }

    /// Tasks that ended in each minute of the last hour, and that are due in each hour of the next day.
    ///
    /// # Errors
    /// The store failed.
    pub async fn activity(&self) -> Result<Activity, ApiError> {
        Ok(self.store.activity().await?)
    }

    /// Lists tasks without history, payloads and results, for a table.
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
        let store_filter = self.store_filter(filter).await?;
        let tasks = self.store.tasks_with(&store_filter, &page.request()?, documents).await?;
        self.record_read(ReadAction::Tasks(filter));
        Ok(tasks.map(TaskView::listed))
    }

    /// The workers, and the backlog of each queue (H2).
    ///
    /// # Errors
    /// The store failed.
    pub async fn worker_status(&self) -> Result<WorkerStatus, ApiError> {
        Ok(workers::read(&self.store).await?)
    }

    fn claim_service(&self) -> ClaimService<'_> {
        ClaimService { store: &self.store, in_flight: &self.in_flight, workers: &self.http_workers }
    }

    /// Reports a read to the audit hook. A server that answers from a cache calls it as well.
    pub fn record_read(&self, action: ReadAction<'_>) {
        if let Some(hook) = &self.audit_hook {
            hook.on_read(&self.actor, action);
        }
    }

    /// Reports an action on tasks to the audit hook.
    fn record_action(&self, action: TaskAction, tasks: impl IntoIterator<Item = TaskId>) {
        if let Some(hook) = &self.audit_hook {
            hook.on_task_action(&self.actor, action, &tasks.into_iter().collect::<Vec<_>>());
        }
    }

    async fn read_task(&self, id: TaskId) -> Result<TaskView, ApiError> {
        let task = TaskView::whole(self.store.task(id).await?);
        self.record_read(ReadAction::Task(id));
        Ok(task)
    }

    /// A task after a change that is committed.
    async fn changed_task(&self, id: TaskId) -> Result<TaskView, ApiError> {
        Ok(TaskView::whole(read_back(id, || self.store.task(id)).await?))
    }

    /// An execution after a change that is committed.
    async fn changed_execution(&self, id: ExecutionId) -> Result<Execution, ApiError> {
        read_back(id, || self.flow.execution(id)).await
    }

    async fn store_filter(&self, filter: &TaskFilter) -> Result<steadfast_store::Filter, ApiError> {
        let now = match filter.due_within {
            Some(_) => self.store.now().await?,
            None => Timestamp::UNIX_EPOCH,
        };
        Ok(filter.to_store_filter(now))
    }
}
