//! Lists, a part at a time.

use serde::{Deserialize, Serialize};
use steadfast_store::{Cursor, Invalid, PageRequest};

/// The most that one page shows.
const LARGEST: u32 = 1000;

/// How much of a list, and from where on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema, utoipa::IntoParams))]
#[cfg_attr(feature = "openapi", into_params(parameter_in = Query))]
#[serde(default, deny_unknown_fields)]
pub struct PageQuery {
    /// At most so many: 50 unless said, from 1 to 1000.
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 1000))]
    #[cfg_attr(feature = "openapi", param(minimum = 1, maximum = 1000))]
    pub limit: u32,
    /// The `next` of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    #[cfg_attr(feature = "openapi", param(value_type = Option<String>))]
    pub after: Option<Cursor>,
}

impl Default for PageQuery {
    fn default() -> Self {
        Self { limit: 50, after: None }
    }
}

impl PageQuery {
    /// The same for a store.
    ///
    /// # Errors
    /// There are no pages of this size.
    pub fn request(&self) -> Result<PageRequest, Invalid> {
        if !(1..=LARGEST).contains(&self.limit) {
            let problem = format!("{} is not a size of a page; say 1 to {LARGEST}", self.limit);
            return Err(Invalid::new("limit", problem));
        }
        Ok(PageRequest { limit: self.limit, after: self.after.clone() })
    }
}

/// A part of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Page<T> {
    /// The part.
    pub items: Vec<T>,
    /// Where to go on, if there is more.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub next: Option<Cursor>,
}

impl<T> Page<T> {
    pub(crate) fn of<S>(page: steadfast_store::Page<S>, show: impl FnMut(S) -> T) -> Self {
        Self { items: page.items.into_iter().map(show).collect(), next: page.next }
    }
}
