//! The facts of a store on PostgreSQL.

use std::time::Duration;

use super::{Clock, Fact};

/// What is PostgreSQL's own.
#[derive(Clone, Debug)]
pub struct PostgresHealth {
    /// The server and its settings.
    pub server: Fact<Server>,
    /// Rights that are missing, each as `SELECT, INSERT ON TABLE steadfast.tasks`.
    pub missing_rights: Fact<Vec<String>>,
    /// How far the clocks are apart.
    pub clock: Fact<Clock>,
    /// Transactions that are open.
    pub transactions: Fact<Transactions>,
    /// Transactions that were prepared to be committed in two steps, and were not.
    pub prepared: Fact<Vec<Prepared>>,
    /// Replication slots of the server.
    pub slots: Fact<Vec<Slot>>,
    /// The queue of notifications, which all databases of the server share.
    pub listening: Fact<Listening>,
    /// The store's tables, the one with most dead rows first.
    pub tables: Fact<Vec<Table>>,
    /// How many transaction numbers are used up.
    pub numbers: Fact<Numbers>,
    /// How many connections there are.
    pub connections: Fact<Connections>,
    /// Other connections of Steadfast to this database.
    pub other_connections: Fact<u64>,
    /// Whether a pooler hands one connection to several clients in turn.
    pub pooled: Fact<bool>,
    /// Whether the URL says so, with `listen=off`.
    pub listens: bool,
}

/// A server and its settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// As it tells it: `15.18 (Debian 15.18-0+deb12u1)`.
    pub version: String,
    /// The first part of it.
    pub major: i32,
    /// Who is connected.
    pub user: String,
    /// To which database.
    pub database: String,
    /// Whether it is a standby, which takes no writes.
    pub standby: bool,
    /// Whether transactions are read-only unless they say otherwise.
    pub read_only: bool,
    /// Whether dead rows are removed by themselves.
    pub autovacuum: bool,
    /// Whether what is written is brought to the disk.
    pub fsync: bool,
    /// Whether a commit waits for the disk.
    pub synchronous_commit: bool,
    /// Whether a page that was half written can be mended.
    pub full_page_writes: bool,
}

/// A session of somebody else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// The process of the server that serves it.
    pub pid: i32,
    /// Who it is.
    pub user: String,
    /// What the program calls itself, if it does.
    pub application: String,
    /// What it is doing: `active`, `idle in transaction`.
    pub state: String,
    /// For how long its transaction has been open; unknown if it is not ours to see.
    pub open_for: Option<Duration>,
    /// How many transactions ago the oldest row was written that must stay for it.
    pub holds_back: Option<u64>,
}

/// Transactions that are open in this database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transactions {
    /// The oldest of them, the oldest first.
    pub oldest: Vec<Session>,
    /// How many sessions are not ours to see.
    pub hidden: u64,
}

/// A transaction that was prepared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepared {
    /// Its name.
    pub name: String,
    /// Whose it is.
    pub owner: String,
    /// For how long it has been waiting.
    pub open_for: Duration,
}

/// A replication slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Its name.
    pub name: String,
    /// Whether anybody reads from it.
    pub active: bool,
    /// How many transactions ago the oldest row was written that must stay for it.
    pub holds_back: Option<u64>,
    /// How many bytes of the server's log must stay for it.
    pub retained: Option<u64>,
}

/// The queue of notifications.
#[derive(Clone, Debug, PartialEq)]
pub struct Listening {
    /// How much of it is used: 0 to 1.
    pub usage: f64,
    /// Sessions that may be why: they listen or may listen, and do not read.
    pub suspects: Vec<Session>,
}

/// One table of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its name, with its schema.
    pub name: String,
    /// Rows that are there.
    pub live: u64,
    /// Rows that are gone and still take room.
    pub dead: u64,
    /// What it takes of the disk, with its indexes.
    pub bytes: u64,
    /// How long ago it was vacuumed, if it ever was.
    pub vacuumed: Option<Duration>,
    /// Whether that happens by itself.
    pub autovacuum: bool,
}

/// How many transaction numbers are used up since the oldest that is still needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// Of transactions.
    pub age: u64,
    /// At this many the server begins to free them whatever the settings are.
    pub freeze_at: u64,
}

/// How many connections there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connections {
    /// That are open.
    pub used: u64,
    /// That there may be, without those kept for administrators.
    pub most: u64,
}
