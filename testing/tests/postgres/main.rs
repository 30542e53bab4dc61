//! Real PostgreSQL servers: start, faults and removal.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test may panic")]

mod databases;
mod ending;
mod faults;
mod session;
mod starting;

use std::path::{Path, PathBuf};
use std::time::Duration;

use steadfast_testing::poll::wait_for;
use steadfast_testing::postgres::{Cluster, Settings};

/// Longer than anything takes on a slow machine.
const LONG: Duration = Duration::from_secs(30);

fn cluster() -> Cluster {
    Cluster::start(Settings::default()).unwrap()
}

fn with_option(option: &str) -> Settings {
    Settings { options: vec![option.to_owned()], ..Settings::default() }
}

/// The directory of a server.
fn home(data: impl Into<PathBuf>) -> PathBuf {
    data.into().parent().unwrap().to_owned()
}

fn home_of(cluster: &Cluster) -> PathBuf {
    home(cluster.query("postgres", "SHOW data_directory").unwrap())
}

fn wait_until_removed(path: &Path) {
    wait_for("the directory is removed", || (!path.exists()).then_some(()));
}
