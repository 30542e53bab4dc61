//! The peers, one to a file, each driven the way its own documentation says.
//!
//! A file has the peer's [`Entry`] and, unless another program
//! drives it, an implementation of [`Peer`](steadfast_bench_drive::Peer). The raw loops
//! are no peers but what everyone is compared with: what a person would write who
//! needs nothing but speed.

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

/// On PostgreSQL. Everything is compared with the first run of the first.
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

/// On SQLite, likewise.
pub const ON_SQLITE: &[Entry] =
    &[raw_sqlite::ENTRY, steadfast::ON_SQLITE, effectum::ENTRY, apalis_sqlite::ENTRY];

/// The peer of this name.
pub fn named(name: &str) -> Option<&'static Entry> {
    all().find(|entry| entry.name == name)
}

/// All of them.
pub fn all() -> impl Iterator<Item = &'static Entry> {
    ON_POSTGRES.iter().chain(ON_SQLITE)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_are_unique() {
        let mut seen = HashSet::new();
        for entry in all() {
            assert!(seen.insert(entry.name), "{}", entry.name);
        }
    }

    #[test]
    fn labels_are_unique_in_their_entry() {
        for entry in all() {
            for runs in [entry.drain, entry.future, entry.lateness, entry.churn] {
                let labels: HashSet<_> = runs.iter().map(|run| run.label).collect();
                assert_eq!(labels.len(), runs.len(), "{}", entry.name);
            }
        }
    }

    /// Or a quick report would have nothing to compare with.
    #[test]
    fn what_everyone_is_compared_with_is_in_every_report() {
        for entries in [ON_POSTGRES, ON_SQLITE] {
            assert!(entries[0].drain[0].quick);
        }
    }
}
