//! Where an answer sends the request on to.
//!
//! The client could follow redirects by itself. It is done here because a task's request carries
//! what its submitter confided to one host: another host gets none of the headers that may be
//! secret, and is told nothing of the URL it was found by. And because after a `POST` that was
//! answered with "see there", a failure to see is not a failure to post.

use reqwest::header::{
    ACCEPT, ACCEPT_LANGUAGE, CONTENT_TYPE, HeaderMap, HeaderName, LOCATION, USER_AGENT,
};
use reqwest::{Method, StatusCode};
use steadfast::Fault;

use super::super::HandlerFault;
use super::request::{IDEMPOTENCY_KEY, Request, check_scheme};

/// How many are followed.
pub(super) const MAX_REDIRECTS: usize = 10;

/// What another host may see.
const NO_SECRETS: [HeaderName; 5] =
    [ACCEPT, ACCEPT_LANGUAGE, CONTENT_TYPE, IDEMPOTENCY_KEY, USER_AGENT];

/// The request that an answer asks for instead, if it asks for one.
pub(super) fn next(
    mut request: Request,
    status: StatusCode,
    headers: &HeaderMap,
) -> Result<Next, HandlerFault> {
    let (true, Some(location)) = (redirects(status), headers.get(LOCATION)) else {
        return Ok(Next::Answer(request));
    };
    let wrong = |request: &Request, problem: &str| {
        let what = format!("answered {status} and leads nowhere: {problem}");
        request.failed(Fault::http(status.as_u16()), &what)
    };
    let target = location.to_str().ok().and_then(|location| request.url.join(location).ok());
    let Some(target) = target else {
        return Err(wrong(&request, "its Location is no URL"));
    };
    if let Err(problem) = check_scheme(&target) {
        return Err(wrong(&request, &problem));
    }
    if becomes_get(status, &request.method) {
        request.follows_an_effect |= !request.method.is_safe();
        request.method = Method::GET;
        request.body = None;
        request.headers.remove(CONTENT_TYPE);
    }
    if target.origin() != request.url.origin() {
        request.headers = harmless(&request.headers);
    }
    request.moved_to(target);
    Ok(Next::Request(request))
}

pub(super) enum Next {
    /// It asks for none: this is the answer to this request.
    Answer(Request),
    Request(Request),
}

fn redirects(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// As browsers do it: 303 is fetched, 301 and 302 only after a POST, 307 and 308 are the request
/// itself at another place.
fn becomes_get(status: StatusCode, method: &Method) -> bool {
    match status {
        StatusCode::SEE_OTHER => *method != Method::HEAD,
        StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND => *method == Method::POST,
        _ => false,
    }
}

fn harmless(headers: &HeaderMap) -> HeaderMap {
    let kept = headers.iter().filter(|(name, _)| NO_SECRETS.contains(*name));
    kept.map(|(name, value)| (name.clone(), value.clone())).collect()
}
