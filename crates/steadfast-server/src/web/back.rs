//! Where somebody goes when something went wrong.
//!
//! What was looked at is looked at again, with all that its address says. What was sent is not
//! sent again by a link: there is a page that it was sent from, and a browser says which.

use http::header::{HOST, REFERER};
use http::request::Parts;
use http::{HeaderMap, Uri};

use crate::auth::login;

/// A place of this server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Back {
    /// The same once more.
    Again(String),
    /// The page that a form was sent from.
    To(String),
}

impl Back {
    /// From what this request wants, if there is a way.
    pub(super) fn of(parts: &Parts) -> Option<Self> {
        match parts.method.is_safe() {
            true => place(&parts.uri).map(Self::Again),
            false => referrer(&parts.headers).map(Self::To),
        }
    }
}

/// Where on this server an address is.
fn place(uri: &Uri) -> Option<String> {
    login::local(uri.path_and_query()?.as_str()).map(str::to_owned)
}

/// The page of this server that a request came from.
fn referrer(headers: &HeaderMap) -> Option<String> {
    let from: Uri = headers.get(REFERER)?.to_str().ok()?.parse().ok()?;
    let host = headers.get(HOST)?.to_str().ok()?;
    if from.authority()? != host {
        return None;
    }
    place(&from)
}

#[cfg(test)]
mod tests {
    use http::{Method, Request};

    use super::*;

    fn back(method: Method, path: &str, referrer: &str) -> Option<Back> {
        let request = Request::builder().method(method).uri(path).header(HOST, "localhost:7700");
        Back::of(&request.header(REFERER, referrer).body(()).unwrap().into_parts().0)
    }

    /// H2: what is looked at again is what was looked at.
    #[test]
    fn a_look_is_tried_again_as_it_was() {
        let again = back(Method::GET, "/tasks?status=failed&limit=5", "");
        assert_eq!(again, Some(Back::Again("/tasks?status=failed&limit=5".to_owned())));
    }

    /// H2, K1: what was sent leads to the page that it was sent from, and to no other server.
    #[test]
    fn a_form_leads_back_to_its_own_page() {
        let sent = |referrer| back(Method::POST, "/tasks/7/cancel", referrer);
        let page = Back::To("/tasks/7?a=b".to_owned());
        assert_eq!(sent("http://localhost:7700/tasks/7?a=b"), Some(page));
        for other in [
            "",
            "/tasks",
            "about:blank",
            "http://evil.example/tasks",
            "http://localhost:7701/tasks",
            "http://localhost:7700//evil.example",
        ] {
            assert_eq!(sent(other), None, "{other}");
        }
    }
}
