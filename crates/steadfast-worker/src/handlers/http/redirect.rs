//! Redirects.
//!
//! The HTTP client could follow redirects by itself. They are followed here because a task's request
//! contains secrets for one host: another host gets none of the headers that may be secret, and no
//! `Referer`. And after a `POST` that was answered with `303 See Other`, a failure to fetch the result
//! is not a failure of the `POST`.

use reqwest::header::{
    ACCEPT, ACCEPT_LANGUAGE, CONTENT_TYPE, HeaderMap, HeaderName, LOCATION, USER_AGENT,
};
use reqwest::{Method, StatusCode};
use steadfast::Fault;

use super::super::HandlerError;
use super::request::{IDEMPOTENCY_KEY, Request, check_scheme};

pub(super) const MAX_REDIRECTS: usize = 10;

const CROSS_ORIGIN_HEADERS: [HeaderName; 5] =
    [ACCEPT, ACCEPT_LANGUAGE, CONTENT_TYPE, IDEMPOTENCY_KEY, USER_AGENT];

/// Turns a request into the one that this response redirects to; `false` if it is no redirect.
pub(super) fn follow(
    request: &mut Request,
    status: StatusCode,
    headers: &HeaderMap,
) -> Result<bool, HandlerError> {
    let (true, Some(location)) = (is_redirect(status), headers.get(LOCATION)) else {
        return Ok(false);
    };
    let target = location.to_str().ok().and_then(|location| request.url.join(location).ok());
    let target = target.ok_or("the Location header is not a URL".to_owned());
    let target = target.and_then(check_scheme).map_err(|problem| {
        let what = format!("{status} with an invalid redirect: {problem}");
        request.returned(Fault::http(status.as_u16()), &what)
    })?;
    if becomes_get(status, &request.method) {
        request.follows_effect |= !request.method.is_safe();
        request.method = Method::GET;
        request.body = None;
        request.headers.remove(CONTENT_TYPE);
    }
    if target.origin() != request.url.origin() {
        request.headers = cross_origin_headers(&request.headers);
    }
    request.redirect_to(target);
    Ok(true)
}

fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// As in browsers: 303 becomes a GET, 301 and 302 only after a POST, 307 and 308 repeat the request at
/// the new URL.
fn becomes_get(status: StatusCode, method: &Method) -> bool {
    match status {
        StatusCode::SEE_OTHER => *method != Method::HEAD,
        StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND => *method == Method::POST,
        _ => false,
    }
}

fn cross_origin_headers(headers: &HeaderMap) -> HeaderMap {
    let sent = headers.iter().filter(|(name, _)| CROSS_ORIGIN_HEADERS.contains(*name));
    sent.map(|(name, value)| (name.clone(), value.clone())).collect()
}
