//! A batch of rows, inserted as a whole, and its id.
//!
//! ClickHouse stores a block of rows as one part, so an insert of one block is atomic. Two
//! things keep a batch one block: it is smaller than the largest, in rows and in bytes, and it is
//! sent compressed. Plain rows whose upload is cut short are stored *as far as they came*, with no
//! error anywhere; a compressed text that is cut short is refused.
//!
//! A third thing is the caller's: a partitioned table stores a part for each partition, one after
//! the other, so a batch for it is atomic only if all of its rows are of one partition.

use std::fmt;
use std::io::{self, Write};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use steadfast::Key;

/// What ClickHouse puts into one block: its `max_insert_block_size`, older and newer.
const MOST_ROWS: usize = 1_000_000;

/// The longest text of them. A newer server gathers blocks up to 256 MiB
/// (`min_insert_block_size_bytes`), and a text takes at most four times its length there: `1,` is a
/// number of eight bytes.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// The name of a query in the server's log: made once, the same for every attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryId(String);

impl QueryId {
    /// A name that no other query has.
    pub fn fresh() -> Self {
        Self(Key::fresh().to_string())
    }

    /// The name as text: hexadecimal digits, which need no quoting anywhere.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for QueryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Rows for one table. Keep it until it is known to be stored: with its name, and with the day
/// from which on the server's log is searched for that name, it can be settled later, too.
#[derive(Clone, Debug)]
pub struct Batch {
    pub(super) id: QueryId,
    pub(super) made: SystemTime,
    pub(super) table: String,
    pub(super) body: Bytes,
}

impl Batch {
    /// A batch of these rows, for this table; of one partition, if it has any.
    ///
    /// # Errors
    /// There are too many rows for one block or they are too long, or one of them cannot be written
    /// as JSON.
    pub fn new<R: Serialize>(table: &str, rows: &[R]) -> io::Result<Self> {
        if rows.len() > MOST_ROWS {
            return Err(too_much(&format!("{} rows", rows.len()), &MOST_ROWS.to_string()));
        }
        let mut body = GzEncoder::new(Vec::new(), Compression::fast());
        let (mut line, mut bytes) = (Vec::new(), 0);
        for row in rows {
            line.clear();
            serde_json::to_writer(&mut line, row)?;
            line.push(b'\n');
            bytes += line.len();
            if bytes > MOST_BYTES {
                return Err(too_much("too many bytes", &format!("{MOST_BYTES} of JSON")));
            }
            body.write_all(&line)?;
        }
        let (id, made) = (QueryId::fresh(), SystemTime::now());
        Ok(Self { id, made, table: table.to_owned(), body: body.finish()?.into() })
    }

    /// Its name in the server's log.
    pub fn id(&self) -> &QueryId {
        &self.id
    }

    /// How long ago it was made.
    pub(super) fn age(&self) -> Duration {
        self.made.elapsed().unwrap_or_default()
    }

    /// When it was made, in seconds since 1970.
    pub(super) fn made_second(&self) -> u64 {
        self.made.duration_since(UNIX_EPOCH).map_or(0, |age| age.as_secs())
    }
}

fn too_much(what: &str, most: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("{what} in a batch; send at most {most}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// X3: what does not fit into one block would be stored in two steps.
    #[test]
    fn a_batch_that_is_no_block_is_refused() {
        let told = |batch: io::Result<Batch>| batch.unwrap_err().to_string();
        let rows = vec![0_u8; MOST_ROWS + 1];
        assert_eq!(told(Batch::new("t", &rows)), "1000001 rows in a batch; send at most 1000000");
        let long = "x".repeat(MOST_BYTES / 4);
        assert!(Batch::new("t", &[&long; 3]).is_ok());
        let told = told(Batch::new("t", &[&long; 4]));
        assert_eq!(told, "too many bytes in a batch; send at most 67108864 of JSON");
    }
}
