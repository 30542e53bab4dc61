//! Paged lists: flags, and a page as a result.

use std::io::{self, Write};

use clap::Args;
use jiff::Timestamp;
use serde::Serialize;
use steadfast_api::{Page, PageQuery};
use steadfast_store::Cursor;

use crate::output::Printable;

/// Page size and position in a list.
#[derive(Debug, Args)]
pub(crate) struct Paging {
    /// Maximum number of entries, 1 to 1000
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = crate::number_range::whole_number(1..=1000_u32))]
    limit: u32,

    /// Continue after this cursor, printed at the end of the previous page
    #[arg(long, value_name = "CURSOR")]
    after: Option<String>,
}

impl Paging {
    pub(crate) fn query(&self) -> PageQuery {
        PageQuery { limit: self.limit, after: self.after.clone().map(Cursor) }
    }

    pub(crate) const fn is_first(&self) -> bool {
        self.after.is_none()
    }
}

/// A page of a list as a result.
#[derive(Serialize)]
#[serde(transparent)]
pub(crate) struct Listed<T> {
    pub(crate) page: Page<T>,
    #[serde(skip)]
    pub(crate) now: Timestamp,
    /// The text for an empty page.
    #[serde(skip)]
    pub(crate) empty: String,
}

/// Entries of a list in text output.
pub(crate) trait Entries: Serialize + Sized {
    /// Writes the entries, of which there is at least one.
    fn write(entries: &[Self], now: Timestamp, page: &mut dyn Write) -> io::Result<()>;
}

impl<T: Entries> Printable for Listed<T> {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        match self.page.items.as_slice() {
            [] => writeln!(page, "{}", self.empty),
            entries => T::write(entries, self.now, page),
        }
    }

    fn next_page(&self) -> Option<&Cursor> {
        self.page.next.as_ref()
    }
}
