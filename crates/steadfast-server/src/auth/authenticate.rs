//! The gate: whoever comes in has a name and a role from here on.

use std::time::Duration;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use http::header::{AUTHORIZATION, RETRY_AFTER};
use http::{HeaderMap, HeaderValue, Method, Uri};
use steadfast_api::{ApiError, ErrorKind};

use super::authenticated::Pass;
use super::origin::{Means, check_host, check_origin};
use super::{Auth, Role, cookie, login};
use crate::app::App;
use crate::auth::caller::{Caller, Peer, unknown};
use crate::auth::route_roles::Audience;
use crate::http::problem::Problem;

/// What is wrong with a wrong token. Which of it, nobody is told.
pub(super) const NOBODYS: &str =
    "this token is nobody's: it was never made, was taken back or has expired";
/// What is wrong with more of them.
pub(super) const TOO_MANY: &str = "there were too many wrong tokens from this address";

/// Lets a request through in the name of whoever sent it, or refuses it.
pub(crate) async fn gate(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let pass = match admit(&app, &request) {
        Ok(Some(pass)) => pass,
        Ok(None) => return next.run(request).await,
        Err(refusal) => return refusal.into_response(),
    };
    let caller = pass.caller.clone();
    request.extensions_mut().insert(caller.clone());
    let mut response = next.run(request).await;
    // A page that says what went wrong is made outside of here, and has to know whom it tells.
    response.extensions_mut().insert(caller);
    pass.bound(response)
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
    let problem = ApiError::new(ErrorKind::TooOften, TOO_MANY)
        .next(format!("wait {seconds} seconds, and see that the token is right"));
    let mut response = Problem(problem).into_response();
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    response
}

/// Who it is; nobody, where nobody is asked because it is open to everybody.
fn admit(app: &App, request: &Request) -> Result<Option<Pass>, Refusal> {
    let (auth, headers) = (app.auth(), request.headers());
    let peer = request.extensions().get::<Peer>().copied();
    let Some(tokens) = auth.tokens() else {
        check_host(request.uri(), headers, &auth.hosts)?;
        check_origin(request.method(), headers, &auth.hosts, Means::Other)?;
        return Ok(Some(Pass::free(Caller::anonymous(peer, Role::Admin))));
    };
    let bearer = bearer(headers);
    let session = cookie::session(headers, auth.over_tls).filter(|_| bearer.is_none());
    let means = if session.is_some() { Means::Cookie } else { Means::Other };
    check_origin(request.method(), headers, &auth.hosts, means)?;
    if Audience::of(request.uri().path()).is_open {
        return Ok(None);
    }
    if let Some(presented) = bearer {
        let pass = auth.by_token(tokens, presented, peer);
        return pass.map(Some).ok_or_else(|| wrong_token(app, peer));
    }
    let pass = session.and_then(|id| auth.by_session(tokens, id, peer));
    pass.map(Some).ok_or_else(|| nobody(auth, request.method(), request.uri()))
}

/// What is presented as a token. Other schemes are none of ours: a proxy that asks for a password
/// of its own passes it on, and nobody guesses a token by it.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let given = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = given.split_once(' ').unwrap_or((given, ""));
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn wrong_token(app: &App, peer: Option<Peer>) -> Refusal {
    app.journal().refused(peer.map(Peer::ip));
    if let Err(wait) = app.auth().wrong(peer) {
        return Refusal::TooOften(wait);
    }
    let problem = ApiError::new(ErrorKind::Unauthenticated, NOBODYS);
    problem.next("ask whoever runs this server for another").into()
}

fn nobody(auth: &Auth, method: &Method, uri: &Uri) -> Refusal {
    if Audience::of(uri.path()).is_programs || !auth.has_pages {
        return unknown().into();
    }
    let back = uri.path_and_query().filter(|_| method.is_safe());
    Refusal::Login(login::at(back.map(|back| back.as_str())))
}
