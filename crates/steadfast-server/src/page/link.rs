//! Addresses of things that people named: a queue may be called anything.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What stands in a path as it is (RFC 3986, unreserved).
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The address of something under this path.
pub(super) fn to(path: &str, name: &str) -> String {
    format!("{path}/{}", utf8_percent_encode(name, ESCAPED))
}

/// The address of a list that is narrowed down by these.
pub(super) fn narrowed(path: &str, query: &[(&str, &str)]) -> String {
    format!("{path}?{}", serde_urlencoded::to_string(query).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K4: a name is one part of a path, whatever is in it.
    #[test]
    fn a_name_stays_one_part_of_the_path() {
        assert_eq!(to("/queues", "a/b ü?"), "/queues/a%2Fb%20%C3%BC%3F");
        assert_eq!(to("/policies", "browser.state_1"), "/policies/browser.state_1");
        assert_eq!(narrowed("/tasks", &[("queue", "a&b")]), "/tasks?queue=a%26b");
    }
}
