//! The lookup of an insert without an answer (I12).
//!
//! The server writes each query into its log when it begins and when it ends, under the
//! `query_id` that it was sent with. A batch that ended well is stored. One that is not there
//! did not arrive, or has not arrived *yet*; so that is believed only at the last of several
//! looks. Two are the least: an old server that is told to write its log out now and then
//! leaves the latest lines for the next time.
//!
//! The log is long, and sorted by day. It is read from the day before the batch was made, since
//! clocks differ. A log that begins later than that batch, because it was cleared or the server
//! was replaced, knows nothing of it, and that is not the same as knowing that it was not stored.
//! Neither does a server that was started after the batch was made: one that is killed forgets the
//! last seconds of its log, and keeps the rows.

use std::time::Duration;

use steadfast::{Effect, Fault, GaveUp, Kind, RetryError, retry};

use super::{Batch, Client};

/// What the log says of an insert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// It ended well.
    Stored,
    /// It has begun and not ended, or the log may have lost it.
    Open,
    /// It never began, or it failed, which stores nothing.
    Nothing,
}

impl Client {
    /// Whether a batch was stored.
    pub async fn took_effect(&self, batch: &Batch) -> Effect<()> {
        let search = retry(&self.policies.looks, || self.look(batch))
            .named("clickhouse.look")
            .facts(failed_look)
            .until(|found| *found == Found::Stored);
        match search.await.map_err(RetryError::into_value) {
            Ok(_) => Effect::Yes(()),
            Err(Some(Found::Nothing)) => Effect::No,
            Err(_) => Effect::Unknown,
        }
    }

    /// One look. The log is written out first: otherwise it is some seconds behind.
    async fn look(&self, batch: &Batch) -> Result<Found, GaveUp> {
        self.ask("SYSTEM FLUSH LOGS").await?;
        let (id, made) = (batch.id(), format!("toDate(toDateTime({}))", batch.made_second()));
        let counts = format!(
            "SELECT countIf(type = 2), countIf(type = 1), countIf(type = 4), \
             (SELECT count() FROM \
              (SELECT 1 FROM system.query_log WHERE event_date <= {made} + 1 LIMIT 1)), \
             (SELECT uptime()) \
             FROM system.query_log WHERE event_date >= {made} - 1 AND query_id = '{id}'"
        );
        let counts = self.ask(&counts).await?;
        // Its age as of now: the answer may have been on its way for long.
        Ok(found(&counts, batch.age()))
    }

    /// Asks past the guards against load: the answer decides whether there will be any.
    async fn ask(&self, statement: &str) -> Result<String, GaveUp> {
        let asking = retry(&self.policies.questions, || self.send_statement(statement));
        asking.named("clickhouse.ask").await.map_err(RetryError::into_gave_up)
    }
}

/// Ended well, begun, failed after they began: how many attempts did which. Then whether the log has
/// lines as old as the batch, and for how many seconds the server has been up.
fn found(counts: &str, age: Duration) -> Found {
    let counts: Vec<u64> = counts.split_whitespace().flat_map(str::parse).collect();
    match counts.as_slice() {
        [0, begun, failed, 1, up] if begun == failed && Duration::from_secs(*up) >= age => {
            Found::Nothing
        }
        [stored, ..] if *stored > 0 => Found::Stored,
        _ => Found::Open,
    }
}

/// Whatever kept it from being had, a look that failed is as good as one that told nothing.
fn failed_look(_: &GaveUp) -> Fault {
    Fault::of(Kind::Interrupted)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// I12: only a server that would know says that a batch is not stored.
    #[test]
    fn what_would_be_known_is_known_to_be_missing() {
        let age = Duration::from_secs(60);
        for (counts, wanted) in [
            ("0 0 0 1 60", Found::Nothing),
            ("0 2 2 1 60", Found::Nothing),
            ("0 2 1 1 60", Found::Open),
            ("0 0 0 0 60", Found::Open),
            ("0 0 0 1 59", Found::Open),
            ("0 0 0 1", Found::Open),
            ("", Found::Open),
            ("1 2 1 1 60", Found::Stored),
            ("1 1 0 0 0", Found::Stored),
        ] {
            assert_eq!(found(counts, age), wanted, "{counts}");
        }
    }
}
