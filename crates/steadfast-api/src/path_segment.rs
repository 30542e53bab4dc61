//! Percent-encoding of names in URL paths.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// All characters but the unreserved ones of RFC 3986.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A name as one segment of a URL path.
///
/// ```
/// assert_eq!(steadfast_api::path_segment("a/b ü?"), "a%2Fb%20%C3%BC%3F");
/// assert_eq!(steadfast_api::path_segment("browser.state_1"), "browser.state_1");
/// ```
#[must_use]
pub fn path_segment(name: &str) -> String {
    utf8_percent_encode(name, ESCAPED).to_string()
}
