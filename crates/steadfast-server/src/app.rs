//! The state shared by all handlers.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use steadfast::file::Problems;
use steadfast_api::{ApiError, Local};
use steadfast_store::{Actor, Program, Store};
use tokio_util::sync::CancellationToken;

use crate::api::health::Readiness;
use crate::audit::AuditWriter;
use crate::auth::Auth;
use crate::cache::event_feed::EventFeed;
use crate::cache::query_cache::Cached;
use crate::cache::snapshots::{Snapshots, StoreSnapshot};
use crate::limits::body_budget::BodyBudget;
use crate::limits::mutations::Mutations;
use crate::limits::read_permits::ReadPermits;
use crate::telemetry::metrics::Metrics;
use crate::web::{ChangePoller, Simulations};

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
    change_poller: ChangePoller,
    read_permits: ReadPermits,
    snapshots: Snapshots,
    metrics: Metrics,
    simulations: Simulations,
}

impl App {
    pub(crate) fn new(store: Store, api: Local, auth: Auth, body_read_timeout: Duration) -> Self {
        let (audit, stopping) = (Arc::<AuditWriter>::default(), CancellationToken::new());
        let api = api.with_audit_hook(audit.clone());
        // The server's own queries are not audited.
        let internal = Arc::new(api.for_actor(Program::Server.into()).without_audit_hook());
        let read_permits = ReadPermits::default();
        Self(Arc::new(AppState {
            event_feed: EventFeed::new(internal.clone()),
            snapshots: Snapshots::new(store.clone(), internal, read_permits.clone()),
            store,
            api,
            auth,
            audit,
            body_read_timeout,
            body_budget: BodyBudget::default(),
            readiness: Readiness::default(),
            draining: stopping.child_token(),
            stopping,
            mutations: Mutations::default(),
            change_poller: ChangePoller::default(),
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
        self.0.api.for_actor(actor)
    }

    /// The problems of the policy file, while the previous policies stay active.
    pub(crate) fn policy_problems(&self) -> Option<Problems> {
        self.0.api.policy_problems()
    }

    /// The live event feed.
    pub(crate) fn event_feed(&self) -> &EventFeed {
        &self.0.event_feed
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
    pub(crate) fn change_poller(&self) -> &ChangePoller {
        &self.0.change_poller
    }

    pub(crate) fn read_permits(&self) -> &ReadPermits {
        &self.0.read_permits
    }

    /// Cached queries of the store.
    pub(crate) fn snapshots(&self) -> &Snapshots {
        &self.0.snapshots
    }

    /// The last snapshot of the store, without a query.
    pub(crate) fn cached_snapshot(&self) -> Cached<StoreSnapshot> {
        self.snapshots().cached()
    }

    /// A recent snapshot of the store; waits for a query up to `max_wait`.
    pub(crate) async fn snapshot_within(&self, max_wait: Duration) -> Cached<StoreSnapshot> {
        self.snapshots().full_within(max_wait).await
    }

    /// A current snapshot of the store.
    pub(crate) async fn snapshot(&self) -> Result<Arc<StoreSnapshot>, ApiError> {
        self.snapshots().full().await
    }

    /// The store's time, estimated from the clock offset of the last snapshot.
    pub(crate) fn store_time(&self) -> Timestamp {
        let snapshot = self.cached_snapshot().value;
        let offset = snapshot.map(|snapshot| snapshot.clock_offset).unwrap_or_default();
        let now = Timestamp::now();
        now.checked_add(offset).unwrap_or(now)
    }

    /// Cached results of the what-if pages.
    pub(crate) fn simulations(&self) -> &Simulations {
        &self.0.simulations
    }
}
