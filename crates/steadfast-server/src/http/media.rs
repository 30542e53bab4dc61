//! Types of what is sent and of what is wanted, as headers say them (RFC 9110).

use http::HeaderMap;
use http::header::{ACCEPT, CONTENT_TYPE};
use mime::Mime;

/// Whether the body is of this type, whatever is said beside it, such as its letters.
pub(crate) fn is_sent(headers: &HeaderMap, kind: &Mime) -> bool {
    let given = headers.get(CONTENT_TYPE).and_then(|given| given.to_str().ok());
    let given = given.and_then(|given| given.parse::<Mime>().ok());
    given.is_some_and(|given| given.essence_str() == kind.essence_str())
}

/// Whether this type is asked for by its name: `*/*` names none.
pub(crate) fn is_wanted(headers: &HeaderMap, kind: &Mime) -> bool {
    let accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let mut named = accepted.flat_map(|value| value.split(','));
    named.any(|one| {
        one.trim().parse::<Mime>().is_ok_and(|one| one.essence_str() == kind.essence_str())
    })
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use http::header::HeaderName;
    use mime::{APPLICATION_JSON, TEXT_HTML};

    use super::*;

    fn headers(name: HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    /// H1: a type is itself in any spelling, with whatever is said beside it.
    #[test]
    fn a_type_is_known_by_its_name() {
        for same in ["application/json", "Application/JSON; charset=utf-8"] {
            assert!(is_sent(&headers(CONTENT_TYPE, same), &APPLICATION_JSON), "{same}");
        }
        for other in ["application/json5", "text/html", "json", ""] {
            assert!(!is_sent(&headers(CONTENT_TYPE, other), &APPLICATION_JSON), "{other}");
        }
        assert!(!is_sent(&HeaderMap::new(), &APPLICATION_JSON));
    }

    /// H1: what a browser and what a program ask for.
    #[test]
    fn what_is_wanted_is_named() {
        let browser = headers(ACCEPT, "text/html,application/xhtml+xml;q=0.9, */*;q=0.8");
        assert!(is_wanted(&browser, &TEXT_HTML) && !is_wanted(&browser, &APPLICATION_JSON));
        assert!(is_wanted(&headers(ACCEPT, "*/*, application/json"), &APPLICATION_JSON));
        assert!(!is_wanted(&HeaderMap::new(), &TEXT_HTML));
    }
}
