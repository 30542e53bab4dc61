//! Names in addresses: a queue may be called anything.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What does not stand in a path as it is (RFC 3986, unreserved).
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A name as one part of a path, whatever is in it.
///
/// ```
/// assert_eq!(steadfast_api::path_part("a/b ü?"), "a%2Fb%20%C3%BC%3F");
/// assert_eq!(steadfast_api::path_part("browser.state_1"), "browser.state_1");
/// ```
#[must_use]
pub fn path_part(name: &str) -> String {
    utf8_percent_encode(name, ESCAPED).to_string()
}
