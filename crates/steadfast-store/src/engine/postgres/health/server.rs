//! The server: its settings, who else is on it, and what they keep it from tidying up.

use jiff::Timestamp;
use sqlx::Row;

use super::read::{Look, count, maybe_count, maybe_seconds, session};
use crate::health::{
    Clock, Connections, Listening, Numbers, Prepared, Seen, Server, Slot, Table, Transactions,
    Unseen, seconds,
};

const SERVER: &str = include_str!("../sql/health_server.sql");
const RIGHTS: &str = include_str!("../sql/health_rights.sql");
const CLOCK: &str = include_str!("../sql/health_clock.sql");
const TRANSACTIONS: &str = include_str!("../sql/health_transactions.sql");
const HIDDEN: &str = include_str!("../sql/health_hidden.sql");
const PREPARED: &str = include_str!("../sql/health_prepared.sql");
const SLOTS: &str = include_str!("../sql/health_slots.sql");
const USAGE: &str = include_str!("../sql/health_usage.sql");
const SUSPECTS: &str = include_str!("../sql/health_suspects.sql");
const TABLES: &str = include_str!("../sql/health_tables.sql");
const NUMBERS: &str = include_str!("../sql/health_numbers.sql");
const CONNECTIONS: &str = include_str!("../sql/health_connections.sql");
const COLLEAGUES: &str = include_str!("../sql/health_colleagues.sql");

/// How often the clocks are compared; the quickest answer counts.
const COMPARISONS: usize = 5;

impl Look {
    pub(super) async fn server(&mut self) -> Seen<Server> {
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

    pub(super) async fn missing_rights(&mut self) -> Seen<Vec<String>> {
        let rows = self.rows(RIGHTS).await?;
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
    }

    pub(super) async fn clock(&mut self, local: &(impl Fn() -> Timestamp + Sync)) -> Seen<Clock> {
        // In one transaction, so that the way is the only thing that takes time.
        let mut transaction = self.begin().await?;
        let mut best: Option<Clock> = None;
        for _ in 0..COMPARISONS {
            let asked = sqlx::query_scalar(CLOCK).persistent(false);
            let before = local();
            let micros = asked.fetch_one(&mut *transaction).await?;
            let after = local();
            let database = Timestamp::from_microsecond(micros)
                .map_err(|error| Unseen::because(format!("the server's time: {error}")))?;
            let clock = Clock::measured(before, database, after);
            best = Some(best.map_or(clock, |best| best.better(clock)));
        }
        transaction.rollback().await?;
        best.ok_or_else(|| Unseen::because("the server was not asked"))
    }

    pub(super) async fn transactions(&mut self) -> Seen<Transactions> {
        let rows = self.rows(TRANSACTIONS).await?;
        let oldest = rows.iter().map(session).collect::<Seen<_>>()?;
        let hidden = self.value::<i64>(HIDDEN).await?;
        Ok(Transactions { oldest, hidden: hidden.try_into().unwrap_or(0) })
    }

    pub(super) async fn prepared(&mut self) -> Seen<Vec<Prepared>> {
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

    pub(super) async fn slots(&mut self) -> Seen<Vec<Slot>> {
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

    pub(super) async fn listening(&mut self) -> Seen<Listening> {
        let usage = self.value(USAGE).await?;
        let rows = self.rows(SUSPECTS).await?;
        Ok(Listening { usage, suspects: rows.iter().map(session).collect::<Seen<_>>()? })
    }

    pub(super) async fn tables(&mut self) -> Seen<Vec<Table>> {
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

    pub(super) async fn numbers(&mut self) -> Seen<Numbers> {
        let row = self.row(NUMBERS).await?;
        Ok(Numbers { age: count(&row, "age")?, freeze_at: count(&row, "freeze_at")? })
    }

    pub(super) async fn connections(&mut self) -> Seen<Connections> {
        let row = self.row(CONNECTIONS).await?;
        Ok(Connections { used: count(&row, "used")?, most: count(&row, "most")? })
    }

    pub(super) async fn colleagues(&mut self) -> Seen<u64> {
        let query = sqlx::query(COLLEAGUES).bind(crate::engine::postgres::APPLICATION);
        let rows = self.ask(query).await?;
        let count: i64 = rows.first().ok_or(sqlx::Error::RowNotFound)?.try_get(0)?;
        Ok(count.try_into().unwrap_or(0))
    }
}
