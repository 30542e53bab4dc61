//! What every handler can have.

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
use crate::audit::Journal;
use crate::auth::Auth;
use crate::cache::event_feed::{Reading, Tail};
use crate::cache::query_cache::LastSeen;
use crate::cache::snapshots::{DueFirst, Looks, Standing};
use crate::limits::body_budget::Room;
use crate::limits::mutations::Changes;
use crate::limits::read_permits::Turns;
use crate::telemetry::metrics::Metrics;
use crate::web::{Pulse, Simulations};

/// The server's own things. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct App(Arc<Things>);

#[derive(Debug)]
struct Things {
    store: Store,
    api: Local,
    tail: Tail,
    auth: Auth,
    journal: Arc<Journal>,
    body_within: Duration,
    room: Room,
    readiness: Readiness,
    stopping: CancellationToken,
    leaving: CancellationToken,
    changes: Changes,
    pulse: Pulse,
    turns: Turns,
    looks: Looks,
    metrics: Metrics,
    simulations: Simulations,
}

impl App {
    pub(crate) fn new(store: Store, api: Local, auth: Auth, body_within: Duration) -> Self {
        let (journal, stopping) = (Arc::<Journal>::default(), CancellationToken::new());
        let api = api.with_witness(journal.clone());
        let (tail, pulse, turns) = (Tail::default(), Pulse::default(), Turns::default());
        Self(Arc::new(Things {
            store,
            api,
            tail,
            auth,
            journal,
            body_within,
            room: Room::default(),
            readiness: Readiness::default(),
            leaving: stopping.child_token(),
            stopping,
            changes: Changes::default(),
            pulse,
            looks: Looks::new(turns.clone()),
            turns,
            metrics: Metrics::new(),
            simulations: Simulations::default(),
        }))
    }

    pub(crate) fn store(&self) -> &Store {
        &self.0.store
    }

    /// The store, asked by this one.
    pub(crate) fn asked_by(&self, by: Actor) -> Local {
        self.0.api.asked_by(by)
    }

    /// What is wrong with the policy file as it is now, while older policies hold.
    pub(crate) fn policy_problems(&self) -> Option<Problems> {
        self.0.api.policy_problems()
    }

    /// Events as they happen, read once for all who follow them.
    pub(crate) fn listen(&self) -> Receiver<Arc<Reading>> {
        self.0.tail.listen(|| self.asked_by_itself())
    }

    /// Waits until it is one's turn to read for oneself what was told before one listened.
    pub(crate) async fn turn(&self) -> Result<SemaphorePermit<'_>, AcquireError> {
        self.0.tail.turn().await
    }

    /// Who may come in.
    pub(crate) fn auth(&self) -> &Auth {
        &self.0.auth
    }

    /// Who asked what, on its way to the audit log.
    pub(crate) fn journal(&self) -> &Journal {
        &self.0.journal
    }

    /// How long the body of a request may take to come.
    pub(crate) fn body_within(&self) -> Duration {
        self.0.body_within
    }

    /// Room for what is sent.
    pub(crate) fn room(&self) -> &Room {
        &self.0.room
    }

    /// What is counted and seen.
    pub(crate) fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    /// Whether the server is on its way out.
    pub(crate) fn stopping(&self) -> &CancellationToken {
        &self.0.stopping
    }

    /// Whether others should be asked. All is still done here until the server stops.
    pub(crate) fn leaving(&self) -> &CancellationToken {
        &self.0.leaving
    }

    /// How the store was when somebody asked last.
    pub(crate) fn readiness(&self) -> &Readiness {
        &self.0.readiness
    }

    /// Requests that change something.
    pub(crate) fn changes(&self) -> &Changes {
        &self.0.changes
    }

    /// Tells pages that something changed.
    pub(crate) fn pulse(&self) -> &Pulse {
        &self.0.pulse
    }

    /// Turns at what is dear to read.
    pub(crate) fn turns(&self) -> &Turns {
        &self.0.turns
    }

    /// How the store stood when somebody looked last.
    pub(crate) fn stood(&self) -> LastSeen<Standing> {
        self.0.looks.stood()
    }

    /// The store's time, as far as that is known; this machine's until somebody has looked.
    pub(crate) fn time(&self) -> Timestamp {
        let ahead = self.stood().seen.map(|seen| seen.ahead).unwrap_or_default();
        let now = Timestamp::now();
        now.checked_add(ahead).unwrap_or(now)
    }

    /// How the store stands, as far as that is known within this time.
    pub(crate) async fn stands_within(&self, patience: Duration) -> LastSeen<Standing> {
        self.0.looks.stands_within(patience, self.store(), self.asked_by_itself()).await
    }

    /// How the store stands now, however long that takes.
    pub(crate) async fn stands(&self) -> Result<Arc<Standing>, ApiError> {
        self.0.looks.stands(self.store(), || self.asked_by_itself()).await
    }

    /// How many tasks are where now, however long that takes.
    pub(crate) async fn counts(&self) -> Result<Arc<Counts>, ApiError> {
        self.0.looks.counts(self.store()).await
    }

    /// The queues as they are now, however long that takes.
    pub(crate) async fn queues(&self) -> Result<Arc<Vec<QueueInfo>>, ApiError> {
        self.0.looks.queues(self.store()).await
    }

    /// How well it went within this window until now, however long that takes.
    pub(crate) async fn figures(&self, window: Window) -> Result<Arc<MetricsSummary>, ApiError> {
        self.0.looks.figures(window, || self.asked_by_itself()).await
    }

    /// What is due first, as far as that is known within this time.
    pub(crate) async fn due_within(&self, patience: Duration) -> LastSeen<DueFirst> {
        self.0.looks.due_within(patience, self.store()).await
    }

    fn asked_by_itself(&self) -> Local {
        self.asked_by(Program::Server.into()).without_witness()
    }

    /// What policies were tried out, for pages that ask what if.
    pub(crate) fn simulations(&self) -> &Simulations {
        &self.0.simulations
    }
}
