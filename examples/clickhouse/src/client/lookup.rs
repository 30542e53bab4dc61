//! The lookup of an insert without an answer (I12).
//!
//! The server writes each query into its log when it begins and when it ends, under the
//! `query_id` that it was sent with. A successful insert is stored. A batch that is not in the
//! log did not arrive, or has not arrived *yet*; so only the last of several lookups counts. There are at
//! least two: an old server sometimes leaves the latest entries for the next `SYSTEM FLUSH LOGS`.
//!
//! The log is long, and sorted by day. It is read from the day before the batch was created, since
//! clocks differ. A log that starts later than the batch, because it was cleared or the server was
//! replaced, cannot show that the batch was not stored. Nor can a server that was started after the batch
//! was created: a server that is killed loses the last seconds of its log, but not the rows.

use std::time::Duration;

use steadfast::{Effect, Fault, GaveUp, Kind, RetryError, retry};

use super::{Batch, Client};

/// The result of a lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// The insert succeeded.
    Stored,
    /// The insert is running, or the log may have lost it.
    Open,
    /// The insert never started, or it failed, which stores nothing.
    Nothing,
}

impl Client {
    /// Whether a batch was stored.
    pub async fn took_effect(&self, batch: &Batch) -> Effect<()> {
        let search = retry(&self.policies.looks, || self.lookup_once(batch))
            .named("clickhouse.lookup")
            .facts(lookup_fault)
            .until(|found| *found == Found::Stored);
        match search.await.map_err(RetryError::into_value) {
            Ok(_) => Effect::Yes(()),
            Err(Some(Found::Nothing)) => Effect::No,
            Err(_) => Effect::Unknown,
        }
    }

    /// One lookup. The log is flushed first, as it lags by some seconds otherwise.
    async fn lookup_once(&self, batch: &Batch) -> Result<Found, GaveUp> {
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
        // The age as of now: the response may have taken long.
        Ok(found(&counts, batch.age()))
    }

    /// Queries without budget and breaker: the result decides whether there is more load.
    async fn ask(&self, statement: &str) -> Result<String, GaveUp> {
        let asking = retry(&self.policies.questions, || self.send_statement(statement));
        asking.named("clickhouse.ask").await.map_err(RetryError::into_gave_up)
    }
}

/// Parses the numbers of attempts that succeeded, started, and failed after their start; then whether
/// the log has entries as old as the batch, and the server's uptime in seconds.
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

/// A failed lookup is equivalent to one without a result, whatever the reason.
fn lookup_fault(_: &GaveUp) -> Fault {
    Fault::of(Kind::Interrupted)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// I12: a batch counts as not stored only if the log would have it.
    #[test]
    fn batch_is_missing_only_if_the_log_would_have_it() {
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
