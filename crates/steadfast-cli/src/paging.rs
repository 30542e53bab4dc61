//! Paging flags for lists.

use clap::Args;
use steadfast_api::PageQuery;
use steadfast_store::Cursor;

use crate::output;

/// Page size and position in a list.
#[derive(Debug, Args)]
pub(crate) struct Paging {
    /// Maximum number of entries, 1 to 1000
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,

    /// Continue after this cursor, printed at the end of the previous page
    #[arg(long, value_name = "CURSOR")]
    after: Option<String>,
}

impl Paging {
    pub(crate) fn query(&self) -> PageQuery {
        PageQuery { limit: self.limit, after: self.after.clone().map(Cursor) }
    }

    /// Whether this is the first page.
    pub(crate) const fn is_first(&self) -> bool {
        self.after.is_none()
    }
}

/// Prints the cursor of the next page, if there is one.
pub(crate) fn note(next: Option<&Cursor>) {
    if let Some(next) = next {
        output::note(&format!("more entries: continue with --after {}", next.0));
    }
}
