//! The gate: whoever comes in has a name and a role from here on.

use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use futures_util::StreamExt;
use http::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, HeaderValue, Method, Uri};
use steadfast_api::{ApiError, ErrorKind};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::origin::{Means, check_host, check_origin};
use super::{Auth, Role, TokensFile, cookie, login};
use crate::app::App;
use crate::caller::{Caller, Peer, unknown};
use crate::problem::Problem;

/// What nobody is asked for: how the server is, what it can be asked, and the way in.
const OPEN: [&str; 4] = ["/healthz", "/readyz", "/openapi.json", "/login"];
const OPEN_BELOW: &str = "/assets/";
/// Where programs ask. They are told what is wrong; people are led to the login.
const PROGRAMS: [&str; 2] = ["/api/", "/metrics"];

/// How long a stream lasts at most before whoever follows is asked again who they are.
const LONGEST_STREAM: Duration = Duration::from_secs(60 * 60);

/// Lets a request through in the name of whoever sent it, or refuses it.
pub(crate) async fn gate(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let admitted = match admit(&app, &request) {
        Ok(admitted) => admitted,
        Err(refusal) => return refusal.into_response(),
    };
    let session = cookie::session(request.headers());
    let session = session.and_then(|id| app.auth().sessions.over(id)).unwrap_or_default();
    if let Some(caller) = admitted {
        request.extensions_mut().insert(caller);
    }
    let response = next.run(request).await;
    match app.auth().tokens() {
        Some(tokens) => while_they_hold(tokens, session, response),
        None => response,
    }
}

/// Why somebody does not come in.
#[derive(Debug)]
enum Refusal {
    Problem(ApiError),
    /// People are asked to log in, and led back.
    Login(String),
    TooOften(Duration),
}

impl From<ApiError> for Refusal {
    fn from(error: ApiError) -> Self {
        Self::Problem(error)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        match self {
            Self::Problem(error) => Problem(error).into_response(),
            Self::Login(to) => Redirect::to(&to).into_response(),
            Self::TooOften(wait) => too_often(wait),
        }
    }
}

/// How long to wait, as it is told: never too short.
pub(super) fn seconds(wait: Duration) -> u64 {
    wait.as_secs().saturating_add(u64::from(wait.subsec_nanos() > 0))
}

/// The answer to too many wrong tokens.
fn too_often(wait: Duration) -> Response {
    let seconds = seconds(wait);
    let detail = "there were too many wrong tokens from this address";
    let problem = ApiError::new(ErrorKind::TooOften, detail)
        .next(format!("wait {seconds} seconds, and see that the token is right"));
    let mut response = Problem(problem).into_response();
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    response
}

/// Who it is, if anybody has to be asked.
fn admit(app: &App, request: &Request) -> Result<Option<Caller>, Refusal> {
    let (auth, headers) = (app.auth(), request.headers());
    let peer = request.extensions().get::<Peer>().copied();
    let Some(tokens) = auth.tokens() else {
        check_host(request.uri(), headers, &auth.hosts)?;
        check_origin(request.method(), headers, &auth.hosts, Means::Other)?;
        return Ok(Some(Caller::anonymous(peer, Role::Admin)));
    };
    let bearer = bearer(headers);
    let session = cookie::session(headers).filter(|_| bearer.is_none());
    let means = if session.is_some() { Means::Cookie } else { Means::Other };
    check_origin(request.method(), headers, &auth.hosts, means)?;
    if is_open(request.uri().path()) {
        return Ok(None);
    }
    if let Some(presented) = bearer {
        return match auth.by_token(tokens, presented, peer) {
            Some(caller) => Ok(Some(caller)),
            None => Err(wrong_token(app, peer)),
        };
    }
    let caller = session.and_then(|id| auth.by_session(tokens, id, peer));
    caller.map(Some).ok_or_else(|| nobody(auth, request.method(), request.uri()))
}

fn is_open(path: &str) -> bool {
    OPEN.contains(&path) || path.starts_with(OPEN_BELOW)
}

/// What is presented as a token. A header that holds none is a token that nobody has.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let given = headers.get(AUTHORIZATION)?.to_str().unwrap_or_default();
    let (scheme, token) = given.split_once(' ').unwrap_or_default();
    Some(if scheme.eq_ignore_ascii_case("bearer") { token.trim() } else { "" })
}

fn wrong_token(app: &App, peer: Option<Peer>) -> Refusal {
    app.journal().refused(peer.map(|Peer(address)| address.ip()));
    if let Err(wait) = app.auth().wrong(peer) {
        return Refusal::TooOften(wait);
    }
    let detail = "this token is nobody's: it was never made, was taken back or has expired";
    let problem = ApiError::new(ErrorKind::Unauthenticated, detail);
    problem.next("ask whoever runs this server for another").into()
}

fn nobody(auth: &Auth, method: &Method, uri: &Uri) -> Refusal {
    let is_for_programs = PROGRAMS.iter().any(|prefix| uri.path().starts_with(prefix));
    if is_for_programs || !auth.has_pages {
        return unknown().into();
    }
    let back = uri.path_and_query().filter(|_| method.is_safe());
    Refusal::Login(login::at(back.map(|back| back.as_str())))
}

/// A stream of events may outlast the token of whoever follows it, or their session. So it ends
/// with them, and in its time anyway: who still may comes back by themselves.
fn while_they_hold(
    tokens: &TokensFile,
    session: CancellationToken,
    response: Response,
) -> Response {
    let kind = response.headers().get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    if kind.is_none_or(|kind| !kind.starts_with(b"text/event-stream")) {
        return response;
    }
    let version = tokens.version();
    let over = Box::pin(async move {
        tokio::select! {
            () = version.cancelled() => {}
            () = session.cancelled() => {}
            () = sleep(LONGEST_STREAM) => {}
        }
    });
    response.map(|body| Body::from_stream(body.into_data_stream().take_until(over)))
}
