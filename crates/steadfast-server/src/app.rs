//! What every handler can have.

use std::sync::Arc;

use steadfast_api::Local;
use steadfast_store::{By, Store};
use tokio::sync::broadcast::Receiver;
use tokio_util::sync::CancellationToken;

use crate::tail::{Reading, Tail};

/// The server's own things. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct App(Arc<Things>);

#[derive(Debug)]
struct Things {
    store: Store,
    api: Local,
    tail: Tail,
    stopping: CancellationToken,
}

impl App {
    pub(crate) fn new(store: Store, api: Local) -> Self {
        let (tail, stopping) = (Tail::default(), CancellationToken::new());
        Self(Arc::new(Things { store, api, tail, stopping }))
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
        self.0.tail.listen(|| self.asked_by(By::new("server")))
    }

    /// Whether the server is on its way out.
    pub(crate) fn stopping(&self) -> &CancellationToken {
        &self.0.stopping
    }
}
