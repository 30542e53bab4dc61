//! The peers, one per file, each used as its documentation recommends.
//!
//! A file has the peer's [`Entry`] and, unless the peer has its own program, an implementation of
//! [`Peer`](steadfast_bench_drive::Peer). The raw loops are the baseline: hand-written for speed, and
//! without any feature.

mod apalis_postgres;
mod apalis_sqlite;
mod awa;
mod effectum;
mod graphile_worker;
mod graphile_worker_node;
mod pg_boss;
mod raw;
mod raw_sqlite;
mod sqlite_pool;
mod steadfast;
mod underway;

use crate::entry::Entry;

/// The peers on PostgreSQL. The first configuration of the first peer is the baseline.
pub const ON_POSTGRES: &[Entry] = &[
    raw::ENTRY,
    steadfast::ON_POSTGRES,
    graphile_worker::ENTRY,
    graphile_worker_node::ENTRY,
    pg_boss::ENTRY,
    apalis_postgres::ENTRY,
    awa::ENTRY,
    underway::ENTRY,
];

/// The peers on SQLite. The first configuration of the first peer is the baseline.
pub const ON_SQLITE: &[Entry] =
    &[raw_sqlite::ENTRY, steadfast::ON_SQLITE, effectum::ENTRY, apalis_sqlite::ENTRY];

/// The peer with this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    all().find(|entry| entry.name == name)
}

/// All peers.
pub fn all() -> impl Iterator<Item = &'static Entry> {
    ON_POSTGRES.iter().chain(ON_SQLITE)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn peer_names_are_unique() {
        let mut seen = HashSet::new();
        for entry in all() {
            assert!(seen.insert(entry.name), "{}", entry.name);
        }
    }

    #[test]
    fn labels_are_unique_within_a_section() {
        for entry in all() {
            for runs in [entry.drain, entry.future, entry.lateness, entry.churn] {
                let labels: HashSet<_> = runs.iter().map(|run| run.label).collect();
                assert_eq!(labels.len(), runs.len(), "{}", entry.name);
            }
        }
    }

    #[test]
    fn baseline_is_in_quick_reports() {
        for entries in [ON_POSTGRES, ON_SQLITE] {
            assert!(entries[0].drain[0].quick);
        }
    }
}
