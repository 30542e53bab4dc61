//! Login and logout of the web UI.
//!
//! A token is exchanged for a session. The page to return to is in the URL, and only local paths are
//! accepted.

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use http::header::{RETRY_AFTER, SET_COOKIE};
use http::{HeaderMap, HeaderValue, StatusCode};
use serde::Deserialize;
use steadfast_api::{ApiError, ErrorKind, from_query};
use steadfast_store::AuditEntry;

use super::authenticate::{INVALID_TOKEN, TOO_MANY_ATTEMPTS, seconds};
use super::authenticated::Authenticated;
use super::{Auth, Caller, Peer, cookie};
use crate::app::App;
use crate::http::{Problem, unauthenticated_text};
use crate::web;

const PATH: &str = "/login";
const HOME: &str = "/";
const MAX_FORM_BYTES: usize = 16 << 10;

pub(crate) fn routes() -> Router<App> {
    Router::new().route(PATH, get(show).post(log_in)).route("/logout", post(log_out))
}

pub(super) fn url(next: Option<&str>) -> String {
    match next.filter(|next| *next != HOME) {
        Some(next) => {
            let next = form_urlencoded::byte_serialize(next.as_bytes()).collect::<String>();
            format!("{PATH}?next={next}")
        }
        None => PATH.to_owned(),
    }
}

/// The path to return to, if it is on this server.
pub(crate) fn local_path(next: &str) -> Option<&str> {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && byte != b'\\';
    let is_local = next.starts_with('/') && !next.starts_with("//");
    (is_local && next.bytes().all(is_plain) && !next.starts_with(PATH)).then_some(next)
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Login {
    token: String,
    next: String,
}

impl Login {
    fn next(&self) -> &str {
        local_path(&self.next).unwrap_or(HOME)
    }
}

async fn show(State(app): State<App>, request: Request) -> Result<Response, Problem> {
    if app.auth.tokens().is_none() {
        return Ok(Redirect::to(HOME).into_response());
    }
    let query = request.uri().query().unwrap_or_default();
    let login: Login = from_query(query, "a login")?;
    Ok(web::login(login.next(), None).into_response())
}

async fn log_in(State(app): State<App>, request: Request) -> Result<Response, Problem> {
    let Some(tokens) = app.auth.tokens() else {
        return Ok(Redirect::to(HOME).into_response());
    };
    let peer = request.extensions().get::<Peer>().copied();
    let headers = request.headers().clone();
    let login: Login =
        from_query(&unauthenticated_text(&app, request, MAX_FORM_BYTES).await?, "a login")?;
    let Some(Authenticated { caller, .. }) = Auth::by_token(tokens, login.token.trim(), peer)
    else {
        return Ok(failed(&app, peer, &login));
    };
    let id = app.auth.start_session(login.token.trim()).map_err(|error| {
        ApiError::new(ErrorKind::Internal, error.to_string()).next("see the server log")
    })?;
    app.audit.record_frequent(AuditEntry::new(caller.actor, "login"));
    Ok(redirect(login.next(), &cookie::set_session(&id, &headers, app.auth.over_tls)))
}

fn failed(app: &App, peer: Option<Peer>, login: &Login) -> Response {
    app.audit.record_failed_login(peer.map(Peer::ip));
    if let Err(wait) = app.auth.record_failure(peer) {
        let seconds = seconds(wait);
        let message = format!("{TOO_MANY_ATTEMPTS}; retry in {seconds} seconds");
        let page = web::login(login.next(), Some(&message));
        return (StatusCode::TOO_MANY_REQUESTS, [(RETRY_AFTER, seconds)], page).into_response();
    }
    (StatusCode::UNAUTHORIZED, web::login(login.next(), Some(INVALID_TOKEN))).into_response()
}

async fn log_out(State(app): State<App>, caller: Caller, headers: HeaderMap) -> Response {
    if let Some(id) = cookie::session(&headers, app.auth.over_tls) {
        app.auth.sessions.end(id);
        app.audit.record_frequent(AuditEntry::new(caller.actor, "logout"));
    }
    redirect(PATH, &cookie::clear_session(&headers, app.auth.over_tls))
}

fn redirect(path: &str, cookie: &str) -> Response {
    let mut response = Redirect::to(path).into_response();
    // The value is ASCII.
    if let Ok(cookie) = HeaderValue::from_str(cookie) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K1: the login never redirects to another server.
    #[test]
    fn redirect_after_login_is_local_only() {
        for good in ["/", "/tasks", "/tasks?status=failed&limit=5", "/tasks/1#a"] {
            assert_eq!(local_path(good), Some(good));
        }
        for bad in [
            "",
            "tasks",
            "//evil.example",
            "/\\evil.example",
            "https://evil.example",
            "/a\nb",
            "/\t/evil.example",
            "\\\\evil.example",
            "/ä",
            "/login?next=/login",
            "javascript:alert(1)",
        ] {
            assert_eq!(local_path(bad), None, "{bad:?}");
        }
        assert_eq!(url(Some("/tasks?a=b&c=//d")), "/login?next=%2Ftasks%3Fa%3Db%26c%3D%2F%2Fd");
        assert_eq!((url(Some("/")).as_str(), url(None).as_str()), ("/login", "/login"));
    }

    /// K1: the redirect path is escaped in the page.
    #[test]
    fn redirect_path_in_login_page_is_escaped() {
        let page = web::login("/a\"><script>&", None).into_string();
        assert!(page.contains("value=\"/a&quot;&gt;&lt;script&gt;&amp;\""), "{page}");
    }
}
