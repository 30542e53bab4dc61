//! Rows that are stored together or not at all, and the name that they keep.
//!
//! ClickHouse stores a block of rows as one part, so an insert of one block is atomic. Two
//! things keep a batch one block: it is smaller than the largest, and it is sent compressed.
//! Plain rows whose upload is cut short are stored *as far as they came*, with no error
//! anywhere; a compressed text that is cut short is refused.

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
    /// A batch of these rows, for this table.
    ///
    /// # Errors
    /// There are too many rows for one block, or one of them cannot be written as JSON.
    pub fn new<R: Serialize>(table: &str, rows: &[R]) -> io::Result<Self> {
        if rows.len() > MOST_ROWS {
            let told = format!("{} rows in a batch; send at most {MOST_ROWS}", rows.len());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, told));
        }
        let mut body = GzEncoder::new(Vec::new(), Compression::fast());
        for row in rows {
            serde_json::to_writer(&mut body, row)?;
            body.write_all(b"\n")?;
        }
        let (id, made) = (QueryId::fresh(), SystemTime::now());
        Ok(Self { id, made, table: table.to_owned(), body: body.finish()?.into() })
    }

    /// The same batch, made at that time: for whoever had it written down meanwhile.
    #[must_use]
    pub fn made_at(self, made: SystemTime) -> Self {
        Self { made, ..self }
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
