//! One shift of a worker: everything begins, and ends in order (D13).
//!
//! ```text
//!   shutdown ──▶ no new claims, what waits goes back ──▶ what runs may finish
//!                                                              │ or its grace is over
//!   the end ◀── the last words are written ◀── what still runs goes back
//! ```
//!
//! Leases are kept alive until the last word is written. A shift that is dropped instead of
//! shut down just stops: its tasks come back as lost when their leases are over.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use steadfast_store::Store;
use tokio::sync::{Notify, mpsc};
use tokio::task::{JoinError, JoinSet};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::breaker_sync;
use crate::claiming::Claiming;
use crate::heartbeat::Heartbeat;
use crate::inbox::Inbox;
use crate::kinds::Kinds;
use crate::leases::Leases;
use crate::maintenance::{self, Due};
use crate::prefetch::Prefetch;
use crate::registration;
use crate::reporting::{Reporter, Reports};
use crate::runner::Runner;
use crate::running::Running;
use crate::settings::Settings;
use crate::settling::{Settler, WAITING};
use crate::shared::Shared;
use crate::store_retry::Patience;
use crate::wake;

/// How long handlers may take to come to where they hear that they are called off.
const LAST_STEPS: Duration = Duration::from_secs(1);
/// How long the last words may take, when everything else has ended.
const LAST_WORDS: Duration = Duration::from_secs(5);

pub(crate) struct Shift {
    shared: Arc<Shared>,
    /// The claim loop, and what maintains the store: they end when the worker stops.
    services: JoinSet<()>,
    runners: JoinSet<()>,
    settler: JoinSet<()>,
    reporter: JoinSet<()>,
    /// What goes on until the last task is settled.
    attendants: JoinSet<()>,
    /// What says that there is a worker.
    presence: JoinSet<()>,
    all_handed_in: CancellationToken,
    all_told: CancellationToken,
    nobody_waits: CancellationToken,
}

impl Shift {
    /// One that claims tasks and runs them.
    pub(crate) fn begin(store: Store, settings: Settings, kinds: Kinds) -> Self {
        let mut shift = Self::upkeep(store, settings, kinds);
        let shared = &shift.shared;
        for slot in 0..shared.settings.concurrency as usize {
            shift.runners.spawn(Runner { shared: shared.clone(), slot }.run());
        }
        shift.services.spawn(Claiming::new(shared.clone()).run());
        shift.presence.spawn(registration::run(shared.clone()));
        shift
    }

    /// One that does everything else.
    pub(crate) fn upkeep(store: Store, settings: Settings, kinds: Kinds) -> Self {
        let (stops, nobody_waits) = (CancellationToken::new(), CancellationToken::new());
        let (all_handed_in, all_told) = (CancellationToken::new(), CancellationToken::new());
        let patience = Patience::until(stops.clone());
        let to_the_end = patience.but_until(nobody_waits.clone());
        let (settling, inbox) = mpsc::channel(WAITING);
        let leases = Arc::<Leases>::default();
        let listener = store.listen();
        let inbox = Inbox { receiver: inbox, ends: all_handed_in.clone() };
        let (reports, events) = Reports::new(settings.events);
        let events = Inbox { receiver: events, ends: all_told.clone() };
        let settler = Settler {
            store: store.clone(),
            leases: leases.clone(),
            patience: to_the_end.clone(),
            reports: reports.clone(),
        };
        let reporter = Reporter {
            store: store.clone(),
            patience: to_the_end.clone(),
            reports: reports.clone(),
        };
        let shared = Arc::new(Shared {
            prefetch: Prefetch::new(&settings),
            running: Running::new(settings.concurrency),
            ready: Notify::new(),
            breakers: Notify::new(),
            store,
            settings,
            kinds,
            leases,
            settling,
            reports,
            stops,
            patience,
        });
        let due = Due::default();
        let mut shift = Self {
            shared: shared.clone(),
            services: JoinSet::new(),
            runners: JoinSet::new(),
            settler: JoinSet::new(),
            reporter: JoinSet::new(),
            attendants: JoinSet::new(),
            presence: JoinSet::new(),
            all_handed_in,
            all_told,
            nobody_waits,
        };
        shift.settler.spawn(settler.run(inbox));
        shift.reporter.spawn(reporter.run(events));
        let heartbeat = Heartbeat { shared: shared.clone(), patience: to_the_end };
        shift.attendants.spawn(heartbeat.run());
        shift.attendants.spawn(wake::run(shared.clone(), listener, due.clone()));
        maintenance::spawn(&mut shift.services, &shared, due);
        shift.services.spawn(breaker_sync::run(shared));
        shift
    }

    /// Goes on until it is told to stop, and then ends in order.
    pub(crate) async fn until(mut self, shutdown: impl Future<Output = ()>) {
        let role = if self.runners.is_empty() { "maintenance" } else { "worker" };
        info!(target: "steadfast", worker = self.shared.settings.name, "{role} started");
        tokio::select! {
            () = shutdown => {}
            // None of them ends by itself, so this is a panic on its way up.
            () = all(&mut self.services) => {}
            () = all(&mut self.runners), if !self.runners.is_empty() => {}
            () = all(&mut self.settler) => {}
            () = all(&mut self.reporter) => {}
            () = all(&mut self.attendants) => {}
            () = all(&mut self.presence), if !self.presence.is_empty() => {}
        }
        self.stop(role).await;
    }

    async fn stop(mut self, role: &str) {
        let settings = self.shared.settings.clone();
        info!(target: "steadfast", worker = settings.name, "{role} stops: nothing new is begun");
        self.shared.stops.cancel();
        let waiting = self.shared.prefetch.close();
        let shared = self.shared.clone();
        self.services.spawn(async move { shared.release(waiting).await });
        if timeout(settings.grace, all(&mut self.runners)).await.is_err() {
            self.call_off().await;
        }
        // A claim that was under way is answered, and what it got goes back, too.
        if timeout(LAST_WORDS, all(&mut self.services)).await.is_err() {
            // A claim that is still on its way is given back by whoever carries it.
            self.services.abort_all();
        }
        self.all_handed_in.cancel();
        if timeout(LAST_WORDS, all(&mut self.settler)).await.is_err() {
            self.nobody_waits.cancel();
            // What is under way may still be written; a server that is gone is not waited for.
            let _ = timeout(LAST_WORDS, all(&mut self.settler)).await;
            self.settler.abort_all();
        }
        self.all_told.cancel();
        let _ = timeout(LAST_WORDS, all(&mut self.reporter)).await;
        if !self.presence.is_empty() {
            self.presence.shutdown().await;
            registration::leave(&self.shared).await;
        }
        info!(target: "steadfast", worker = settings.name, "{role} stopped");
    }

    /// The grace is over: what still runs goes back.
    async fn call_off(&mut self) {
        let running = self.shared.running.list().len();
        warn!(target: "steadfast", running, "the grace is over: what still runs is given back");
        let time = self.shared.running.longest_tidy_up() + LAST_STEPS;
        self.shared.running.close();
        if timeout(time, all(&mut self.runners)).await.is_err() {
            let deaf = self.runners.len();
            warn!(
                target: "steadfast",
                deaf,
                "handlers block their thread and cannot be stopped: their tasks count as lost \
                 when their leases are over"
            );
        }
    }
}

/// Waits for all of them. A panic goes on its way.
async fn all(tasks: &mut JoinSet<()>) {
    while let Some(ended) = tasks.join_next().await {
        if let Err(panic) = ended.map_err(JoinError::try_into_panic)
            && let Ok(panic) = panic
        {
            std::panic::resume_unwind(panic);
        }
    }
}
