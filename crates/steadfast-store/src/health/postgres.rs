//! Health facts of a store on PostgreSQL.

use std::time::Duration;

use super::{Clock, Fact};

/// The facts of a PostgreSQL server and database.
#[derive(Clone, Debug)]
pub struct PostgresHealth {
    /// The server and its settings.
    pub server: Fact<Server>,
    /// Missing privileges, each as `SELECT, INSERT ON TABLE steadfast.tasks`.
    pub missing_rights: Fact<Vec<String>>,
    /// The difference of the clocks.
    pub clock: Fact<Clock>,
    /// Open transactions.
    pub transactions: Fact<Transactions>,
    /// Prepared transactions that were not committed.
    pub prepared: Fact<Vec<Prepared>>,
    /// Replication slots of the server.
    pub slots: Fact<Vec<Slot>>,
    /// The queue of notifications, which all databases of the server share.
    pub listening: Fact<Listening>,
    /// The tables of the store, those with most dead rows first.
    pub tables: Fact<Vec<Table>>,
    /// The age of the oldest transaction id.
    pub numbers: Fact<Numbers>,
    /// The connections of the server.
    pub connections: Fact<Connections>,
    /// Other connections of Steadfast to this database.
    pub other_connections: Fact<u64>,
    /// Whether a pooler shares connections between clients.
    pub pooled: Fact<bool>,
    /// Whether the store listens for notifications, that is, the URL has no `listen=off`.
    pub listens: bool,
}

/// A server and its settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// The version: `15.18 (Debian 15.18-0+deb12u1)`.
    pub version: String,
    /// The major version.
    pub major: i32,
    /// The current user.
    pub user: String,
    /// The database.
    pub database: String,
    /// Whether it is a standby, which is read-only.
    pub standby: bool,
    /// Whether transactions are read-only by default.
    pub read_only: bool,
    /// Whether autovacuum is on.
    pub autovacuum: bool,
    /// Whether writes are flushed to disk.
    pub fsync: bool,
    /// Whether a commit waits for the disk.
    pub synchronous_commit: bool,
    /// Whether a torn page can be restored.
    pub full_page_writes: bool,
}

/// Another session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Its server process.
    pub pid: i32,
    /// Its user.
    pub user: String,
    /// Its application name.
    pub application: String,
    /// Its state: `active`, `idle in transaction`.
    pub state: String,
    /// The age of its transaction; `None` without the privilege to see it.
    pub open_for: Option<Duration>,
    /// The age of its xmin, in transactions: dead rows since then cannot be removed.
    pub holds_back: Option<u64>,
}

/// The open transactions of this database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transactions {
    /// The oldest ones, oldest first.
    pub oldest: Vec<Session>,
    /// The number of sessions that the user may not see.
    pub hidden: u64,
}

/// A prepared transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepared {
    /// Its name.
    pub name: String,
    /// Its owner.
    pub owner: String,
    /// Its age.
    pub open_for: Duration,
}

/// A replication slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Its name.
    pub name: String,
    /// Whether it is in use.
    pub active: bool,
    /// The age of its xmin, in transactions: dead rows since then cannot be removed.
    pub holds_back: Option<u64>,
    /// The size of the write-ahead log that it retains.
    pub retained: Option<u64>,
}

/// The queue of notifications.
#[derive(Clone, Debug, PartialEq)]
pub struct Listening {
    /// The used fraction: 0 to 1.
    pub usage: f64,
    /// Sessions that may cause it, because they do not read.
    pub suspects: Vec<Session>,
}

/// One table of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its name, with its schema.
    pub name: String,
    /// Live rows.
    pub live: u64,
    /// Dead rows.
    pub dead: u64,
    /// Its size on disk, with its indexes.
    pub bytes: u64,
    /// The time since its last vacuum.
    pub vacuumed: Option<Duration>,
    /// Whether autovacuum is on for it.
    pub autovacuum: bool,
}

/// The age of the oldest transaction id that is still needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// The age, in transactions.
    pub age: u64,
    /// The age at which the server forces a vacuum.
    pub freeze_at: u64,
}

/// The number of connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connections {
    /// Open connections.
    pub used: u64,
    /// The maximum, without those reserved for administrators.
    pub most: u64,
}
