//! The server: its settings, sessions and tables.

use jiff::Timestamp;
use sqlx::Row;

use super::read::{Probe, count, maybe_count, maybe_seconds, session};
use crate::health::{
    Clock, Connections, Fact, Listening, Numbers, Prepared, Server, Slot, Table, Transactions,
    Unavailable, seconds,
};

const SERVER: &str = include_str!("../sql/health_server.sql");
const RIGHTS: &str = include_str!("../sql/health_rights.sql");
const CLOCK: &str = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint";
const TRANSACTIONS: &str = include_str!("../sql/health_transactions.sql");
const HIDDEN: &str = "SELECT count(*) FROM pg_stat_activity \
     WHERE datname = current_database() AND query = '<insufficient privilege>'";
const PREPARED: &str = "SELECT gid AS name, owner::text AS owner, \
         extract(epoch FROM clock_timestamp() - prepared)::float8 AS open_for \
     FROM pg_prepared_xacts WHERE database = current_database() ORDER BY prepared LIMIT 10";
const SLOTS: &str = include_str!("../sql/health_slots.sql");
const USAGE: &str = "SELECT pg_notification_queue_usage()";
const SUSPECTS: &str = include_str!("../sql/health_suspects.sql");
const TABLES: &str = include_str!("../sql/health_tables.sql");
const NUMBERS: &str = "SELECT age(datfrozenxid)::bigint AS age, \
         current_setting('autovacuum_freeze_max_age')::bigint AS freeze_at \
     FROM pg_database WHERE datname = current_database()";
const CONNECTIONS: &str = include_str!("../sql/health_connections.sql");
const OTHER_CONNECTIONS: &str = "SELECT count(*) FROM pg_stat_activity \
     WHERE datname = current_database() AND application_name = $1 AND pid <> pg_backend_pid()";

/// The number of clock comparisons, of which the fastest counts.
const CLOCK_COMPARISONS: usize = 5;

impl Probe {
    pub(super) async fn server(&mut self) -> Fact<Server> {
        let row = self.row(SERVER).await?;
        Ok(Server {
            version: row.try_get("version")?,
            major: row.try_get("major")?,
            user: row.try_get("user")?,
            database: row.try_get("database")?,
            standby: row.try_get("standby")?,
            read_only: row.try_get("read_only")?,
            autovacuum: row.try_get("autovacuum")?,
            fsync: row.try_get("fsync")?,
            synchronous_commit: row.try_get("synchronous_commit")?,
            full_page_writes: row.try_get("full_page_writes")?,
        })
    }

    pub(super) async fn missing_rights(&mut self) -> Fact<Vec<String>> {
        let rows = self.rows(RIGHTS).await?;
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
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
        let rows = self.rows(TRANSACTIONS).await?;
        let oldest = rows.iter().map(session).collect::<Fact<_>>()?;
        let hidden = self.value::<i64>(HIDDEN).await?;
        Ok(Transactions { oldest, hidden: hidden.try_into().unwrap_or(0) })
    }

    pub(super) async fn prepared(&mut self) -> Fact<Vec<Prepared>> {
        let rows = self.rows(PREPARED).await?;
        let prepared = rows.iter().map(|row| {
            Ok(Prepared {
                name: row.try_get("name")?,
                owner: row.try_get("owner")?,
                open_for: seconds(row.try_get("open_for")?),
            })
        });
        prepared.collect()
    }

    pub(super) async fn slots(&mut self) -> Fact<Vec<Slot>> {
        let rows = self.rows(SLOTS).await?;
        let slots = rows.iter().map(|row| {
            Ok(Slot {
                name: row.try_get("name")?,
                active: row.try_get("active")?,
                holds_back: maybe_count(row, "holds_back")?,
                retained: maybe_count(row, "retained")?,
            })
        });
        slots.collect()
    }

    pub(super) async fn listening(&mut self) -> Fact<Listening> {
        let usage = self.value(USAGE).await?;
        let rows = self.rows(SUSPECTS).await?;
        Ok(Listening { usage, suspects: rows.iter().map(session).collect::<Fact<_>>()? })
    }

    pub(super) async fn tables(&mut self) -> Fact<Vec<Table>> {
        let rows = self.rows(TABLES).await?;
        let tables = rows.iter().map(|row| {
            Ok(Table {
                name: row.try_get("name")?,
                live: count(row, "live")?,
                dead: count(row, "dead")?,
                bytes: count(row, "bytes")?,
                vacuumed: maybe_seconds(row, "vacuumed")?,
                autovacuum: row.try_get("autovacuum")?,
            })
        });
        tables.collect()
    }

    pub(super) async fn numbers(&mut self) -> Fact<Numbers> {
        let row = self.row(NUMBERS).await?;
        Ok(Numbers { age: count(&row, "age")?, freeze_at: count(&row, "freeze_at")? })
    }

    pub(super) async fn connections(&mut self) -> Fact<Connections> {
        let row = self.row(CONNECTIONS).await?;
        Ok(Connections { used: count(&row, "used")?, most: count(&row, "most")? })
    }

    pub(super) async fn other_connections(&mut self) -> Fact<u64> {
        let query = sqlx::query(OTHER_CONNECTIONS).bind(crate::engine::postgres::APPLICATION_NAME);
        let rows = self.fetch(query).await?;
        let count: i64 = rows.first().ok_or(sqlx::Error::RowNotFound)?.try_get(0)?;
        Ok(count.try_into().unwrap_or(0))
    }
}
