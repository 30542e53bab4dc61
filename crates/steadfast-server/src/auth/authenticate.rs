//! The authentication middleware.

use std::time::Duration;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use http::header::{AUTHORIZATION, RETRY_AFTER};
use http::{HeaderMap, HeaderValue, Method, Uri};
use steadfast_api::{ApiError, ErrorKind};

use super::authenticated::Authenticated;
use super::caller::missing_token;
use super::origin::{Credentials, check_host, check_origin};
use super::{Auth, Caller, Peer, Role, RouteAccess, cookie, login};
use crate::app::App;
use crate::http::Problem;

/// One text for all causes, so that a client cannot tell them apart.
pub(super) const INVALID_TOKEN: &str = "invalid, revoked or expired token";
pub(super) const TOO_MANY_ATTEMPTS: &str = "too many failed login attempts from this address";

pub(crate) async fn authenticate(
    State(app): State<App>,
    mut request: Request,
    next: Next,
) -> Response {
    let authenticated = match check(&app, &request) {
        Ok(Some(authenticated)) => authenticated,
        Ok(None) => return next.run(request).await,
        Err(rejection) => return rejection.into_response(),
    };
    let caller = authenticated.caller.clone();
    request.extensions_mut().insert(caller.clone());
    let mut response = next.run(request).await;
    // Error pages are rendered outside of this middleware and need the caller.
    response.extensions_mut().insert(caller);
    authenticated.limit(response)
}

enum Rejection {
    Problem(ApiError),
    Login(String),
    Throttled(Duration),
}

impl From<ApiError> for Rejection {
    fn from(error: ApiError) -> Self {
        Self::Problem(error)
    }
}

impl IntoResponse for Rejection {
    fn into_response(self) -> Response {
        match self {
            Self::Problem(error) => Problem(error).into_response(),
            Self::Login(to) => Redirect::to(&to).into_response(),
            Self::Throttled(wait) => throttled(wait),
        }
    }
}

/// The wait in whole seconds, rounded up.
pub(super) fn seconds(wait: Duration) -> u64 {
    wait.as_secs().saturating_add(u64::from(wait.subsec_nanos() > 0))
}

fn throttled(wait: Duration) -> Response {
    let seconds = seconds(wait);
    let problem = ApiError::new(ErrorKind::RateLimited, TOO_MANY_ATTEMPTS)
        .next(format!("check the token and retry in {seconds} seconds"));
    ([(RETRY_AFTER, HeaderValue::from(seconds))], Problem(problem)).into_response()
}

/// The caller; `None` for public routes.
fn check(app: &App, request: &Request) -> Result<Option<Authenticated>, Rejection> {
    let (auth, headers) = (&app.auth, request.headers());
    let peer = request.extensions().get::<Peer>().copied();
    let Some(tokens) = auth.tokens() else {
        check_host(request.uri(), headers, &auth.hosts)?;
        check_origin(request.method(), headers, &auth.hosts, Credentials::Other)?;
        let caller = Caller::anonymous(peer, Role::Admin);
        return Ok(Some(Authenticated::without_credentials(caller)));
    };
    let bearer = bearer(headers);
    let session = cookie::session(headers, auth.over_tls).filter(|_| bearer.is_none());
    let credentials = if session.is_some() { Credentials::Cookie } else { Credentials::Other };
    check_origin(request.method(), headers, &auth.hosts, credentials)?;
    if RouteAccess::of(request.uri().path()).is_public {
        return Ok(None);
    }
    if let Some(presented) = bearer {
        let authenticated = Auth::by_token(tokens, presented, peer);
        return authenticated.map(Some).ok_or_else(|| invalid_token(app, peer));
    }
    let authenticated = session.and_then(|id| auth.by_session(tokens, id, peer));
    authenticated.map(Some).ok_or_else(|| no_credentials(auth, request.method(), request.uri()))
}

/// The bearer token. Other schemes are ignored: a proxy may forward its own basic authentication.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let given = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = given.split_once(' ').unwrap_or((given, ""));
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn invalid_token(app: &App, peer: Option<Peer>) -> Rejection {
    app.audit.record_failed_login(peer.map(Peer::ip));
    if let Err(wait) = app.auth.record_failure(peer) {
        return Rejection::Throttled(wait);
    }
    let problem = ApiError::new(ErrorKind::Unauthenticated, INVALID_TOKEN);
    problem.next("request a new token from the server's administrator").into()
}

fn no_credentials(auth: &Auth, method: &Method, uri: &Uri) -> Rejection {
    if RouteAccess::of(uri.path()).is_api || !auth.has_web_ui {
        return missing_token().into();
    }
    let next = uri.path_and_query().filter(|_| method.is_safe());
    Rejection::Login(login::url(next.map(|next| next.as_str())))
}
