//! The link that an error page offers.
//!
//! A failed read is retried at the same URL. A failed form submission is not repeated by a link: it
//! leads back to the page that the form was on, which the browser names in `Referer`.

use http::header::{HOST, REFERER};
use http::request::Parts;
use http::{HeaderMap, Uri};

use crate::auth::login;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ReturnLink {
    Retry(String),
    /// The page that a form was submitted from.
    Page(String),
}

impl ReturnLink {
    pub(super) fn of(parts: &Parts) -> Option<Self> {
        match parts.method.is_safe() {
            true => local_path(&parts.uri).map(Self::Retry),
            false => referrer(&parts.headers).map(Self::Page),
        }
    }
}

/// The path and query, if they are safe to link to.
fn local_path(uri: &Uri) -> Option<String> {
    login::local_path(uri.path_and_query()?.as_str()).map(str::to_owned)
}

/// The referring page, if it is on this server.
fn referrer(headers: &HeaderMap) -> Option<String> {
    let from: Uri = headers.get(REFERER)?.to_str().ok()?.parse().ok()?;
    let host = headers.get(HOST)?.to_str().ok()?;
    if from.authority()? != host {
        return None;
    }
    local_path(&from)
}

#[cfg(test)]
mod tests {
    use http::{Method, Request};

    use super::*;

    fn link(method: Method, path: &str, referrer: &str) -> Option<ReturnLink> {
        let request = Request::builder().method(method).uri(path).header(HOST, "localhost:7700");
        ReturnLink::of(&request.header(REFERER, referrer).body(()).unwrap().into_parts().0)
    }

    /// H2: a failed read links to the same URL.
    #[test]
    fn failed_read_links_to_the_same_url() {
        let retry = link(Method::GET, "/tasks?status=failed&limit=5", "");
        assert_eq!(retry, Some(ReturnLink::Retry("/tasks?status=failed&limit=5".to_owned())));
    }

    /// H2, K1: a failed form links to the page it was on, and never to another server.
    #[test]
    fn failed_form_links_to_its_own_page() {
        let sent = |referrer| link(Method::POST, "/tasks/7/cancel", referrer);
        let page = ReturnLink::Page("/tasks/7?a=b".to_owned());
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
