//! The state shared by all handlers.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use steadfast::file::Problems;
use steadfast_api::Local;
use steadfast_store::{Actor, Program, Store};
use tokio_util::sync::CancellationToken;

use crate::api::health::Readiness;
use crate::audit::AuditWriter;
use crate::auth::Auth;
use crate::cache::{EventFeed, Snapshots};
use crate::limits::{BodyBudget, Mutations, ReadPermits};
use crate::telemetry::metrics::Recorder;
use crate::web::{ChangePoller, Simulations};

/// The state of a server. Cheap to clone.
#[derive(Clone)]
pub(crate) struct App(Arc<AppState>);

pub(crate) struct AppState {
    pub(crate) store: Store,
    api: Local,
    pub(crate) event_feed: EventFeed,
    pub(crate) auth: Auth,
    pub(crate) audit: Arc<AuditWriter>,
    pub(crate) body_read_timeout: Duration,
    pub(crate) body_budget: BodyBudget,
    pub(crate) readiness: Readiness,
    /// Cancelled when the server stops.
    pub(crate) stopping: CancellationToken,
    /// Cancelled when the server drains: it still serves requests, but reports not ready.
    pub(crate) draining: CancellationToken,
    pub(crate) mutations: Mutations,
    /// Change notifications for pages.
    pub(crate) change_poller: ChangePoller,
    pub(crate) read_permits: ReadPermits,
    pub(crate) snapshots: Snapshots,
    pub(crate) metrics: Recorder,
    /// Cached results of the what-if pages.
    pub(crate) simulations: Simulations,
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("App(…)")
    }
}

impl Deref for App {
    type Target = AppState;

    fn deref(&self) -> &AppState {
        &self.0
    }
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
            metrics: Recorder::installed(),
            simulations: Simulations::default(),
        }))
    }

    pub(crate) fn api_for(&self, actor: Actor) -> Local {
        self.api.for_actor(actor)
    }

    /// The problems of the policy file, while the previous policies stay active.
    pub(crate) fn policy_problems(&self) -> Option<Problems> {
        self.api.policy_problems()
    }

    /// The store's time, estimated from the clock offset of the last snapshot.
    pub(crate) fn store_time(&self) -> Timestamp {
        let snapshot = self.snapshots.cached().value;
        let offset = snapshot.map(|snapshot| snapshot.clock_offset).unwrap_or_default();
        let now = Timestamp::now();
        now.checked_add(offset).unwrap_or(now)
    }
}
