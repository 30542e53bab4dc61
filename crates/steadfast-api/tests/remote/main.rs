//! The client against a server over TCP.
//!
//! `equivalence` sends every request twice: to a store in this process, and to a server whose store
//! has the same history. Both responses must be equal, except for ids, times and actors.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may panic"
)]

mod equivalence;
mod event_stream;
mod lost_responses;
mod normalize;
mod unexpected_responses;

use std::sync::Arc;

use steadfast::file::{Format, Policies, Source};
use steadfast_api::remote::Remote;
use steadfast_api::{Api, Local};
use steadfast_server::{BoundServer, Server};
use steadfast_store::{Actor, Store};
use tokio::task::JoinHandle;

/// A policy file with two policies and a mapped name.
const FILE: &str = "
version: '1.1.0'
policies:
  calls: {max_attempts: 7, base_delay: 1h, max_delay: 2h, backoff_type: fixed}
  twice: {max_attempts: 2, backoff_type: immediate}
subsystem_mappings:
  shop: {checkout: {default: calls}}
";

fn policies() -> Arc<Policies> {
    Arc::new(Policies::parse(&Source::new("steadfast.yaml", FILE), Format::Yaml).unwrap())
}

/// A store in this process, and a server with a store of its own.
struct Both {
    local: Local,
    remote: Remote,
    running: JoinHandle<()>,
}

impl Drop for Both {
    fn drop(&mut self) {
        self.running.abort();
    }
}

async fn both() -> Both {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let local = Local::new(store, Actor::new("ada")).with_policies(policies());
    let bound = bound().await;
    let remote = Remote::new(&format!("http://{}", bound.address())).unwrap();
    let running = tokio::spawn(async {
        bound.run_until(std::future::pending()).await.unwrap();
    });
    Both { local, remote, running }
}

async fn bound() -> BoundServer {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let server = Server::new(store).listen("127.0.0.1:0".parse().unwrap()).without_worker();
    server.policies(policies()).bind().await.unwrap()
}

impl Both {
    fn each(&self) -> [&dyn Api; 2] {
        [&self.local, &self.remote]
    }
}
