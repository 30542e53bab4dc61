//! Pages of lists.

use serde::{Deserialize, Serialize};
use steadfast_store::{Cursor, InputError, PageRequest};

/// The most items of one page.
const MAX_PAGE_SIZE: u32 = 1000;

/// The size and start of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema, utoipa::IntoParams))]
#[cfg_attr(feature = "openapi", into_params(parameter_in = Query))]
#[serde(default, deny_unknown_fields)]
pub struct PageQuery {
    /// The most items, from 1 to 1000; default: 50.
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 1000))]
    #[cfg_attr(feature = "openapi", param(minimum = 1, maximum = 1000))]
    pub limit: u32,
    /// The cursor to continue from: `next` of the previous page.
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
    /// The page request for a store.
    ///
    /// # Errors
    /// The limit is out of range.
    pub fn request(&self) -> Result<PageRequest, InputError> {
        if !(1..=MAX_PAGE_SIZE).contains(&self.limit) {
            let problem = format!("{} is out of range; use 1 to {MAX_PAGE_SIZE}", self.limit);
            return Err(InputError::new("limit", problem));
        }
        Ok(PageRequest { limit: self.limit, after: self.after.clone() })
    }
}

/// A page of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Page<T> {
    /// The items.
    pub items: Vec<T>,
    /// The cursor of the next page; `null` on the last page.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub next: Option<Cursor>,
}

impl<T> Page<T> {
    pub(crate) fn of<S>(page: steadfast_store::Page<S>, show: impl FnMut(S) -> T) -> Self {
        Self { items: page.items.into_iter().map(show).collect(), next: page.next }
    }
}
