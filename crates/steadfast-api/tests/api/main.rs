//! The API of a store in memory.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod claims;
mod control;
mod events;
mod former_names;
mod guards;
mod policies;
mod preview;
mod submit;
mod task_list;
mod task_view;
mod workers;

use std::sync::Arc;

use steadfast::file::{Format, Policies, Source};
use steadfast_api::{Api, Local, NewTask};
use steadfast_store::{Actor, Store};

/// A policy file with one policy and a mapped name.
const FILE: &str = "
version: '1.1.0'
policies:
  calls: {max_attempts: 7, base_delay: 1h, max_delay: 2h, backoff_type: fixed}
subsystem_mappings:
  shop: {checkout: {default: calls}}
";

struct World {
    store: Store,
    api: Local,
}

async fn world() -> World {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let policies = Policies::parse(&Source::new("steadfast.yaml", FILE), Format::Yaml).unwrap();
    let api = Local::new(store.clone(), Actor::new("ada")).with_policies(Arc::new(policies));
    World { store, api }
}

fn new(json: &str) -> NewTask {
    NewTask::from_json(json).unwrap()
}

impl World {
    async fn submit(&self, json: &str) -> steadfast_api::TaskView {
        self.api.submit(new(json)).await.unwrap().task
    }
}
