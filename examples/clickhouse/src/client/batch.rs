//! A batch of rows, inserted as a whole, and its id.
//!
//! ClickHouse stores a block of rows as one part, so an insert of one block is atomic. Two
//! measures keep a batch one block: it is smaller than the largest block, in rows and in bytes, and it
//! is sent compressed. If the upload of uncompressed rows is cut, the rows that arrived are stored
//! without an error; a truncated gzip stream is rejected.
//!
//! The third is the caller's task: a partitioned table stores one part per partition, one after the
//! other, so a batch is atomic only if all of its rows belong to one partition.

use std::fmt;
use std::io::{self, Write};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use steadfast::Key;

/// The rows of one block: ClickHouse's `max_insert_block_size`, in old and new versions.
const MAX_ROWS: usize = 1_000_000;

/// The length of the JSON. A newer server builds blocks of up to 256 MiB
/// (`min_insert_block_size_bytes`), and JSON takes at most four times its length there: `1,` is a
/// number of eight bytes.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// The id of a query in the server's log: generated once, the same for every attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryId(String);

impl QueryId {
    /// A new unique id.
    pub fn fresh() -> Self {
        Self(Key::fresh().to_string())
    }

    /// The id as text: hexadecimal digits, which need no quoting.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for QueryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Rows for one table. Keep it until it is known to be stored: its id, and the day from which the
/// server's log is searched, allow to settle it later.
#[derive(Clone, Debug)]
pub struct Batch {
    pub(super) id: QueryId,
    pub(super) made: SystemTime,
    pub(super) table: String,
    pub(super) body: Bytes,
}

impl Batch {
    /// A batch of these rows for this table, all of one partition if the table has partitions.
    ///
    /// # Errors
    /// There are too many rows for one block or they are too long, or one of them cannot be written
    /// as JSON.
    pub fn new<R: Serialize>(table: &str, rows: &[R]) -> io::Result<Self> {
        if rows.len() > MAX_ROWS {
            return Err(too_much(&format!("{} rows", rows.len()), &MAX_ROWS.to_string()));
        }
        let mut body = GzEncoder::new(Vec::new(), Compression::fast());
        let (mut line, mut bytes) = (Vec::new(), 0);
        for row in rows {
            line.clear();
            serde_json::to_writer(&mut line, row)?;
            line.push(b'\n');
            bytes += line.len();
            if bytes > MAX_BYTES {
                return Err(too_much("too many bytes", &format!("{MAX_BYTES} of JSON")));
            }
            body.write_all(&line)?;
        }
        let (id, made) = (QueryId::fresh(), SystemTime::now());
        Ok(Self { id, made, table: table.to_owned(), body: body.finish()?.into() })
    }

    /// Its id in the server's log.
    pub fn id(&self) -> &QueryId {
        &self.id
    }

    /// The time since its creation.
    pub(super) fn age(&self) -> Duration {
        self.made.elapsed().unwrap_or_default()
    }

    /// The time of its creation, in seconds since 1970.
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

    /// X3: rows that do not fit into one block would be stored in two steps.
    #[test]
    fn batch_larger_than_a_block_is_rejected() {
        let message = |batch: io::Result<Batch>| batch.unwrap_err().to_string();
        let rows = vec![0_u8; MAX_ROWS + 1];
        assert_eq!(
            message(Batch::new("t", &rows)),
            "1000001 rows in a batch; send at most 1000000"
        );
        let long = "x".repeat(MAX_BYTES / 4);
        assert!(Batch::new("t", &[&long; 3]).is_ok());
        let message = message(Batch::new("t", &[&long; 4]));
        assert_eq!(message, "too many bytes in a batch; send at most 67108864 of JSON");
    }
}
