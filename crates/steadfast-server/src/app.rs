//! What every handler can have.

use std::sync::Arc;
#[cfg(feature = "otlp")]
use std::sync::Weak;
use std::time::Duration;

use steadfast_api::{ApiError, Local};
use steadfast_store::{By, Store};
use tokio::sync::broadcast::Receiver;
use tokio_util::sync::CancellationToken;

use crate::auth::Auth;
use crate::deeds::Deeds;
use crate::health::Readiness;
use crate::journal::Journal;
use crate::kept::{Kept, Told};
use crate::metrics::Metrics;
use crate::page::{Pulse, Simulations};
use crate::standing::Standing;
use crate::tail::{Reading, Tail};

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
    readiness: Readiness,
    stopping: CancellationToken,
    deeds: Deeds,
    pulse: Pulse,
    standing: Kept<Standing>,
    metrics: Metrics,
    simulations: Simulations,
}

/// The same for those who do not keep it alive.
#[cfg(feature = "otlp")]
#[derive(Debug)]
pub(crate) struct Passing(Weak<Things>);

#[cfg(feature = "otlp")]
impl Passing {
    /// The server's things, while there is a server.
    pub(crate) fn still_there(&self) -> Option<App> {
        self.0.upgrade().map(App)
    }
}

impl App {
    pub(crate) fn new(store: Store, api: Local, auth: Auth, body_within: Duration) -> Self {
        let (journal, stopping) = (Arc::<Journal>::default(), CancellationToken::new());
        let api = api.with_witness(journal.clone());
        let (tail, pulse) = (Tail::default(), Pulse::default());
        Self(Arc::new(Things {
            store,
            api,
            tail,
            auth,
            journal,
            body_within,
            readiness: Readiness::default(),
            stopping,
            deeds: Deeds::default(),
            pulse,
            standing: Kept::default(),
            metrics: Metrics::new(),
            simulations: Simulations::default(),
        }))
    }

    pub(crate) fn store(&self) -> &Store {
        &self.0.store
    }

    /// The store, asked by this one.
    pub(crate) fn asked_by(&self, by: By) -> Local {
        self.0.api.asked_by(by)
    }

    /// Events as they happen, read once for all who follow them.
    pub(crate) fn listen(&self) -> Receiver<Arc<Reading>> {
        self.0.tail.listen(|| self.asked_by(By::new("server")).without_witness())
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

    /// What is counted and seen.
    pub(crate) fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    /// Whether the server is on its way out.
    pub(crate) fn stopping(&self) -> &CancellationToken {
        &self.0.stopping
    }

    /// How the store was when somebody asked last.
    pub(crate) fn readiness(&self) -> &Readiness {
        &self.0.readiness
    }

    /// Requests that change something.
    pub(crate) fn deeds(&self) -> &Deeds {
        &self.0.deeds
    }

    /// Tells pages that something changed.
    pub(crate) fn pulse(&self) -> &Pulse {
        &self.0.pulse
    }

    /// How the store stood when somebody looked last.
    pub(crate) fn stood(&self) -> Told<Standing> {
        self.0.standing.known()
    }

    /// How the store stands, as far as that is known within this time.
    pub(crate) async fn stands_within(&self, patience: Duration) -> Told<Standing> {
        self.0.standing.within(patience, self.see()).await
    }

    /// How the store stands now, however long that takes.
    pub(crate) async fn stands(&self) -> Result<Arc<Standing>, ApiError> {
        self.0.standing.anew(|| self.see()).await
    }

    fn see(&self) -> impl Future<Output = Result<Standing, ApiError>> + Send + use<> {
        Standing::see(self.0.store.clone(), self.asked_by(By::new("server")).without_witness())
    }

    /// For those who do not keep it alive.
    #[cfg(feature = "otlp")]
    pub(crate) fn passing(&self) -> Passing {
        Passing(Arc::downgrade(&self.0))
    }

    /// What policies were tried out, for pages that ask what if.
    pub(crate) fn simulations(&self) -> &Simulations {
        &self.0.simulations
    }
}
