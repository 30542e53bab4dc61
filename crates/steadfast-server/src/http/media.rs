//! Content type and `Accept` checks (RFC 9110).

use http::HeaderMap;
use http::header::{ACCEPT, CONTENT_TYPE};
use mime::Mime;

/// Whether `Content-Type` is this type, with any parameters.
pub(crate) fn has_content_type(headers: &HeaderMap, kind: &Mime) -> bool {
    let given = headers.get(CONTENT_TYPE).and_then(|given| given.to_str().ok());
    let given = given.and_then(|given| given.parse::<Mime>().ok());
    given.is_some_and(|given| given.essence_str() == kind.essence_str())
}

/// Whether `Accept` names this type. `*/*` does not count.
pub(crate) fn accepts(headers: &HeaderMap, kind: &Mime) -> bool {
    let accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let mut named = accepted.flat_map(|value| value.split(','));
    named.any(|one| {
        one.trim().parse::<Mime>().is_ok_and(|one| one.essence_str() == kind.essence_str())
    })
}

#[cfg(test)]
mod tests {
    use mime::{APPLICATION_JSON, TEXT_HTML};

    use super::*;
    use crate::http::header_map as headers;

    /// H1: matching ignores case and parameters.
    #[test]
    fn content_type_matches_ignoring_case_and_parameters() {
        for same in ["application/json", "Application/JSON; charset=utf-8"] {
            assert!(
                has_content_type(&headers(&[("content-type", same)]), &APPLICATION_JSON),
                "{same}"
            );
        }
        for other in ["application/json5", "text/html", "json", ""] {
            assert!(
                !has_content_type(&headers(&[("content-type", other)]), &APPLICATION_JSON),
                "{other}"
            );
        }
        assert!(!has_content_type(&HeaderMap::new(), &APPLICATION_JSON));
    }

    /// H1: wildcards do not count as a named type.
    #[test]
    fn accept_matches_only_named_types() {
        let browser = headers(&[("accept", "text/html,application/xhtml+xml;q=0.9, */*;q=0.8")]);
        assert!(accepts(&browser, &TEXT_HTML) && !accepts(&browser, &APPLICATION_JSON));
        assert!(accepts(&headers(&[("accept", "*/*, application/json")]), &APPLICATION_JSON));
        assert!(!accepts(&HeaderMap::new(), &TEXT_HTML));
    }
}
