//! Pages of lists.

use serde::{Deserialize, Serialize};
use steadfast_store::{Cursor, InputError, PageRequest};

/// The maximum number of items of one page.
const MAX_PAGE_SIZE: u32 = 1000;

/// The size and start of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(default, deny_unknown_fields)]
pub struct PageQuery {
    /// Maximum number of items, from 1 to 1000; default: 50.
    #[cfg_attr(feature = "openapi", param(minimum = 1, maximum = 1000))]
    pub limit: u32,
    /// The cursor to continue from: `next` of the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
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
        check_range("limit", self.limit, MAX_PAGE_SIZE)?;
        Ok(PageRequest { limit: self.limit, after: self.after.clone() })
    }
}

/// Checks a number from 1 to `max`.
pub(crate) fn check_range(field: &'static str, value: u32, max: u32) -> Result<(), InputError> {
    match (1..=max).contains(&value) {
        true => Ok(()),
        false => Err(InputError::new(field, format!("{value} is out of range; use 1 to {max}"))),
    }
}
