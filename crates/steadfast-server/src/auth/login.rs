//! Logging in to the page, and out.
//!
//! Whoever has a token shows it once and gets a session for it. Where they wanted to go is kept
//! in the address, and only places of this server are gone to.

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use http::header::{RETRY_AFTER, SET_COOKIE};
use http::{HeaderMap, HeaderValue, StatusCode};
use serde::Deserialize;
use steadfast_api::{ApiError, ErrorKind, from_query};
use steadfast_store::AuditEntry;

use super::authenticate::{NOBODYS, TOO_MANY, seconds};
use super::authenticated::Pass;
use super::cookie;
use crate::app::App;
use crate::auth::caller::{Caller, Peer};
use crate::http::body::strangers_text;
use crate::http::problem::Problem;
use crate::web;

const PATH: &str = "/login";
/// Where people come to who wanted to go nowhere else.
const HOME: &str = "/";
/// A token, and a long way back.
const LARGEST: usize = 16 << 10;

pub(crate) fn routes() -> Router<App> {
    Router::new().route(PATH, get(ask).post(enter)).route("/logout", post(leave))
}

/// The login, with the way back from there.
pub(super) fn at(back: Option<&str>) -> String {
    match back.filter(|back| *back != HOME) {
        Some(back) => {
            let next = form_urlencoded::byte_serialize(back.as_bytes()).collect::<String>();
            format!("{PATH}?next={next}")
        }
        None => PATH.to_owned(),
    }
}

/// The way on, if it stays on this server.
pub(crate) fn local(next: &str) -> Option<&str> {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && byte != b'\\';
    let stays = next.starts_with('/') && !next.starts_with("//");
    (stays && next.bytes().all(is_plain) && !next.starts_with(PATH)).then_some(next)
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Login {
    token: String,
    next: String,
}

impl Login {
    fn next(&self) -> &str {
        local(&self.next).unwrap_or(HOME)
    }
}

async fn ask(State(app): State<App>, request: Request) -> Result<Response, Problem> {
    if app.auth().tokens().is_none() {
        return Ok(Redirect::to(HOME).into_response());
    }
    let query = request.uri().query().unwrap_or_default();
    let login: Login = from_query(query, "a way to log in")?;
    Ok(web::login(login.next(), None).into_response())
}

async fn enter(State(app): State<App>, request: Request) -> Result<Response, Problem> {
    let Some(tokens) = app.auth().tokens() else {
        return Ok(Redirect::to(HOME).into_response());
    };
    let peer = request.extensions().get::<Peer>().copied();
    let headers = request.headers().clone();
    let login: Login = from_query(&strangers_text(&app, request, LARGEST).await?, "a login")?;
    let Some(Pass { caller, .. }) = app.auth().by_token(tokens, login.token.trim(), peer) else {
        return Ok(wrong(&app, peer, &login));
    };
    let id = app.auth().begin(login.token.trim()).map_err(|error| {
        ApiError::new(ErrorKind::Broken, error.to_string()).next("see the server's log")
    })?;
    app.journal().note_harmless(AuditEntry::new(caller.by, "login"));
    Ok(on_to(login.next(), &cookie::begin(&id, &headers, app.auth().over_tls)))
}

fn wrong(app: &App, peer: Option<Peer>, login: &Login) -> Response {
    app.journal().refused(peer.map(Peer::ip));
    if let Err(wait) = app.auth().wrong(peer) {
        let seconds = seconds(wait);
        let told = format!("{TOO_MANY}; wait {seconds} seconds");
        let page = web::login(login.next(), Some(&told));
        return (StatusCode::TOO_MANY_REQUESTS, [(RETRY_AFTER, seconds)], page).into_response();
    }
    (StatusCode::UNAUTHORIZED, web::login(login.next(), Some(NOBODYS))).into_response()
}

async fn leave(State(app): State<App>, caller: Caller, headers: HeaderMap) -> Response {
    if let Some(id) = cookie::session(&headers, app.auth().over_tls) {
        app.auth().sessions.end(id);
        app.journal().note_harmless(AuditEntry::new(caller.by, "logout"));
    }
    on_to(PATH, &cookie::end(&headers, app.auth().over_tls))
}

fn on_to(path: &str, cookie: &str) -> Response {
    let mut response = Redirect::to(path).into_response();
    // It is made of plain letters and figures.
    if let Ok(cookie) = HeaderValue::from_str(cookie) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K1: the way on never leads to another server.
    #[test]
    fn only_places_of_this_server_are_gone_to() {
        for good in ["/", "/tasks", "/tasks?status=failed&limit=5", "/tasks/1#a"] {
            assert_eq!(local(good), Some(good));
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
            assert_eq!(local(bad), None, "{bad:?}");
        }
        assert_eq!(at(Some("/tasks?a=b&c=//d")), "/login?next=%2Ftasks%3Fa%3Db%26c%3D%2F%2Fd");
        assert_eq!((at(Some("/")).as_str(), at(None).as_str()), ("/login", "/login"));
    }

    /// K1: what stands in the address stays text in the page.
    #[test]
    fn what_stands_in_the_address_is_escaped() {
        let page = web::login("/a\"><script>&", None).into_string();
        assert!(page.contains("value=\"/a&quot;&gt;&lt;script&gt;&amp;\""), "{page}");
    }
}
