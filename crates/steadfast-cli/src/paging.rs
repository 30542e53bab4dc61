//! Lists, a page at a time.

use clap::Args;
use steadfast_api::PageQuery;
use steadfast_store::Cursor;

use crate::output;

/// How much of a list, and from where on.
#[derive(Debug, Args)]
pub(crate) struct Paging {
    /// At most so many, 1 to 1000
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,

    /// Go on where the last page ended: the cursor that it printed
    #[arg(long, value_name = "CURSOR")]
    after: Option<String>,
}

impl Paging {
    pub(crate) fn query(&self) -> PageQuery {
        PageQuery { limit: self.limit, after: self.after.clone().map(Cursor) }
    }

    /// Whether the list is looked at from its beginning.
    pub(crate) const fn is_first(&self) -> bool {
        self.after.is_none()
    }
}

/// Says how to go on, if there is more.
pub(crate) fn note(next: Option<&Cursor>) {
    if let Some(next) = next {
        output::note(&format!("there are more: go on with --after {}", next.0));
    }
}
