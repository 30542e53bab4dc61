//! What every handler can have.

use std::sync::Arc;

use steadfast_api::Local;
use steadfast_store::{By, Store};
use tokio_util::sync::CancellationToken;

/// The server's own things. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct App(Arc<Things>);

#[derive(Debug)]
struct Things {
    store: Store,
    api: Local,
    stopping: CancellationToken,
}

impl App {
    pub(crate) fn new(store: Store, api: Local) -> Self {
        Self(Arc::new(Things { store, api, stopping: CancellationToken::new() }))
    }

    pub(crate) fn store(&self) -> &Store {
        &self.0.store
    }

    /// The store, asked by this one.
    pub(crate) fn asked_by(&self, by: By) -> Local {
        self.0.api.asked_by(by)
    }

    /// Whether the server is on its way out.
    pub(crate) fn stopping(&self) -> &CancellationToken {
        &self.0.stopping
    }
}
