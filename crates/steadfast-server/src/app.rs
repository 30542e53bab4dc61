//! The state shared by all handlers.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use steadfast::file::Problems;
use steadfast::observe::MetricsSummary;
use steadfast_api::{ApiError, Local, Window};
use steadfast_store::{Actor, Counts, Program, QueueInfo, Store};
use tokio::sync::broadcast::Receiver;
use tokio::sync::{AcquireError, SemaphorePermit};
use tokio_util::sync::CancellationToken;

use crate::api::health::Readiness;
use crate::audit::AuditWriter;
use crate::auth::Auth;
use crate::cache::event_feed::{EventBatch, EventFeed};
use crate::cache::query_cache::Cached;
use crate::cache::snapshots::{OldestDue, Snapshots, StoreSnapshot};
use crate::limits::body_budget::BodyBudget;
use crate::limits::mutations::Mutations;
use crate::limits::read_permits::ReadPermits;
use crate::telemetry::metrics::Metrics;
use crate::web::{Pulse, Simulations};

/// The state of a server. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct App(Arc<AppState>);

#[derive(Debug)]
struct AppState {
    store: Store,
    api: Local,
    event_feed: EventFeed,
    auth: Auth,
    audit: Arc<AuditWriter>,
    body_read_timeout: Duration,
    body_budget: BodyBudget,
    readiness: Readiness,
    stopping: CancellationToken,
    draining: CancellationToken,
    mutations: Mutations,
    pulse: Pulse,
    read_permits: ReadPermits,
    snapshots: Snapshots,
    metrics: Metrics,
    simulations: Simulations,
}

impl App {
    pub(crate) fn new(store: Store, api: Local, auth: Auth, body_read_timeout: Duration) -> Self {
        let (audit, stopping) = (Arc::<AuditWriter>::default(), CancellationToken::new());
        let read_permits = ReadPermits::default();
        Self(Arc::new(AppState {
            store,
            api: api.with_witness(audit.clone()),
            event_feed: EventFeed::default(),
            auth,
            audit,
            body_read_timeout,
            body_budget: BodyBudget::default(),
            readiness: Readiness::default(),
            draining: stopping.child_token(),
            stopping,
            mutations: Mutations::default(),
            pulse: Pulse::default(),
            snapshots: Snapshots::new(read_permits.clone()),
            read_permits,
            metrics: Metrics::new(),
            simulations: Simulations::default(),
        }))
    }

    pub(crate) fn store(&self) -> &Store {
        &self.0.store
    }

    /// The API in the name of this actor.
    pub(crate) fn api_for(&self, actor: Actor) -> Local {
        self.0.api.asked_by(actor)
    }

    /// The problems of the policy file, while the previous policies stay active.
    pub(crate) fn policy_problems(&self) -> Option<Problems> {
        self.0.api.policy_problems()
    }

    /// Subscribes to new events.
    pub(crate) fn subscribe_events(&self) -> Receiver<Arc<EventBatch>> {
        self.0.event_feed.subscribe(|| self.internal_api())
    }

    /// Waits for permission to read missed events from the store.
    pub(crate) async fn catch_up_permit(&self) -> Result<SemaphorePermit<'_>, AcquireError> {
        self.0.event_feed.catch_up_permit().await
    }

    pub(crate) fn auth(&self) -> &Auth {
        &self.0.auth
    }

    pub(crate) fn audit(&self) -> &AuditWriter {
        &self.0.audit
    }

    /// Timeout of reading a request body.
    pub(crate) fn body_read_timeout(&self) -> Duration {
        self.0.body_read_timeout
    }

    pub(crate) fn body_budget(&self) -> &BodyBudget {
        &self.0.body_budget
    }

    pub(crate) fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    /// Cancelled when the server stops.
    pub(crate) fn stopping(&self) -> &CancellationToken {
        &self.0.stopping
    }

    /// Cancelled when the server drains: it still serves requests, but reports not ready.
    pub(crate) fn draining(&self) -> &CancellationToken {
        &self.0.draining
    }

    pub(crate) fn readiness(&self) -> &Readiness {
        &self.0.readiness
    }

    pub(crate) fn mutations(&self) -> &Mutations {
        &self.0.mutations
    }

    /// Change notifications for pages.
    pub(crate) fn pulse(&self) -> &Pulse {
        &self.0.pulse
    }

    pub(crate) fn read_permits(&self) -> &ReadPermits {
        &self.0.read_permits
    }

    /// The last snapshot of the store, without a query.
    pub(crate) fn cached_snapshot(&self) -> Cached<StoreSnapshot> {
        self.0.snapshots.cached()
    }

    /// The store's time, estimated from the clock offset of the last snapshot.
    pub(crate) fn store_time(&self) -> Timestamp {
        let snapshot = self.cached_snapshot().value;
        let offset = snapshot.map(|snapshot| snapshot.clock_offset).unwrap_or_default();
        let now = Timestamp::now();
        now.checked_add(offset).unwrap_or(now)
    }

    /// A recent snapshot of the store; waits for a query up to `max_wait`.
    pub(crate) async fn snapshot_within(&self, max_wait: Duration) -> Cached<StoreSnapshot> {
        self.0.snapshots.full_within(max_wait, self.store(), self.internal_api()).await
    }

    /// A current snapshot of the store.
    pub(crate) async fn snapshot(&self) -> Result<Arc<StoreSnapshot>, ApiError> {
        self.0.snapshots.full(self.store(), || self.internal_api()).await
    }

    /// Current task counts.
    pub(crate) async fn counts(&self) -> Result<Arc<Counts>, ApiError> {
        self.0.snapshots.counts(self.store()).await
    }

    /// The current queues.
    pub(crate) async fn queues(&self) -> Result<Arc<Vec<QueueInfo>>, ApiError> {
        self.0.snapshots.queues(self.store()).await
    }

    /// The current metrics summary of this window.
    pub(crate) async fn metrics_summary(
        &self,
        window: Window,
    ) -> Result<Arc<MetricsSummary>, ApiError> {
        self.0.snapshots.metrics(window, || self.internal_api()).await
    }

    /// A recent oldest due task; waits for a query up to `max_wait`.
    pub(crate) async fn oldest_due_within(&self, max_wait: Duration) -> Cached<OldestDue> {
        self.0.snapshots.oldest_due_within(max_wait, self.store()).await
    }

    /// The API for the server's own queries, which are not audited.
    fn internal_api(&self) -> Local {
        self.api_for(Program::Server.into()).without_witness()
    }

    /// Cached results of the what-if pages.
    pub(crate) fn simulations(&self) -> &Simulations {
        &self.0.simulations
    }
}
