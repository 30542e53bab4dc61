//! The server: its settings, sessions and tables.

use jiff::Timestamp;
use sqlx::postgres::PgRow;

use super::read::{Probe, maybe_seconds, session};
use crate::engine::row::{EngineRow, unsigned};
use crate::health::{
    Clock, Connections, Fact, Listening, Numbers, Prepared, Server, Slot, Table, Transactions,
    Unavailable, seconds,
};

const CLOCK: &str = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint";
const HIDDEN: &str = "SELECT count(*) FROM pg_stat_activity \
     WHERE datname = current_database() AND query = '<insufficient privilege>'";
const PREPARED: &str = "SELECT gid AS name, owner::text AS owner, \
         extract(epoch FROM clock_timestamp() - prepared)::float8 AS open_for \
     FROM pg_prepared_xacts WHERE database = current_database() ORDER BY prepared LIMIT 10";
const NUMBERS: &str = "SELECT age(datfrozenxid)::bigint AS age, \
         current_setting('autovacuum_freeze_max_age')::bigint AS freeze_at \
     FROM pg_database WHERE datname = current_database()";
const OTHER_CONNECTIONS: &str = "SELECT count(*) FROM pg_stat_activity \
     WHERE datname = current_database() AND application_name = $1 AND pid <> pg_backend_pid()";

/// The number of clock comparisons, of which the fastest counts.
const CLOCK_COMPARISONS: usize = 5;

impl Probe {
    pub(super) async fn server(&mut self) -> Fact<Server> {
        let row = self.row(include_str!("../sql/health_server.sql")).await?;
        Ok(Server {
            version: row.get("version")?,
            major: row.get("major")?,
            user: row.get("user")?,
            database: row.get("database")?,
            standby: row.get("standby")?,
            read_only: row.get("read_only")?,
            autovacuum: row.get("autovacuum")?,
            fsync: row.get("fsync")?,
            synchronous_commit: row.get("synchronous_commit")?,
            full_page_writes: row.get("full_page_writes")?,
        })
    }

    pub(super) async fn missing_rights(&mut self) -> Fact<Vec<String>> {
        self.all(include_str!("../sql/health_rights.sql"), |row| Ok(row.get("missing")?)).await
    }

    pub(super) async fn clock(&mut self, local: &(impl Fn() -> Timestamp + Sync)) -> Fact<Clock> {
        // In one transaction, so that only the round trip takes time.
        let mut transaction = self.begin().await?;
        let mut best: Option<Clock> = None;
        for _ in 0..CLOCK_COMPARISONS {
            let asked = sqlx::query_scalar(CLOCK).persistent(false);
            let before = local();
            let micros = asked.fetch_one(&mut *transaction).await?;
            let after = local();
            let database = Timestamp::from_microsecond(micros)
                .map_err(|error| Unavailable::new(format!("the server's time: {error}")))?;
            let clock = Clock::measured(before, database, after);
            best = Some(best.map_or(clock, |best| best.better(clock)));
        }
        transaction.rollback().await?;
        best.ok_or_else(|| Unavailable::new("no comparison was made"))
    }

    pub(super) async fn transactions(&mut self) -> Fact<Transactions> {
        let oldest = self.all(include_str!("../sql/health_transactions.sql"), session).await?;
        Ok(Transactions { oldest, hidden: unsigned(self.value(HIDDEN).await?) })
    }

    pub(super) async fn prepared(&mut self) -> Fact<Vec<Prepared>> {
        let prepared = |row: &PgRow| {
            let open_for = seconds(row.get("open_for")?);
            Ok(Prepared { name: row.get("name")?, owner: row.get("owner")?, open_for })
        };
        self.all(PREPARED, prepared).await
    }

    pub(super) async fn slots(&mut self) -> Fact<Vec<Slot>> {
        let slot = |row: &PgRow| {
            Ok(Slot {
                name: row.get("name")?,
                active: row.get("active")?,
                holds_back: row.maybe_count("holds_back")?,
                retained: row.maybe_count("retained")?,
            })
        };
        self.all(include_str!("../sql/health_slots.sql"), slot).await
    }

    pub(super) async fn listening(&mut self) -> Fact<Listening> {
        let usage = self.value("SELECT pg_notification_queue_usage()").await?;
        let suspects = self.all(include_str!("../sql/health_suspects.sql"), session).await?;
        Ok(Listening { usage, suspects })
    }

    pub(super) async fn tables(&mut self) -> Fact<Vec<Table>> {
        let table = |row: &PgRow| {
            Ok(Table {
                name: row.get("name")?,
                live: row.count("live")?,
                dead: row.count("dead")?,
                bytes: row.count("bytes")?,
                vacuumed: maybe_seconds(row, "vacuumed")?,
                autovacuum: row.get("autovacuum")?,
            })
        };
        self.all(include_str!("../sql/health_tables.sql"), table).await
    }

    pub(super) async fn numbers(&mut self) -> Fact<Numbers> {
        let row = self.row(NUMBERS).await?;
        Ok(Numbers { age: row.count("age")?, freeze_at: row.count("freeze_at")? })
    }

    pub(super) async fn connections(&mut self) -> Fact<Connections> {
        let row = self.row(include_str!("../sql/health_connections.sql")).await?;
        Ok(Connections { used: row.count("used")?, most: row.count("most")? })
    }

    pub(super) async fn other_connections(&mut self) -> Fact<u64> {
        let query = sqlx::query(OTHER_CONNECTIONS).bind(crate::engine::postgres::APPLICATION_NAME);
        let rows = self.fetch(query).await?;
        Ok(rows.first().ok_or(sqlx::Error::RowNotFound)?.count("count")?)
    }
}
