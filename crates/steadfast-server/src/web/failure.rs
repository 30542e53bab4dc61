//! What goes wrong, as a page.
//!
//! Handlers and extractors answer with a problem, as JSON, wherever it arises. On its way out to
//! somebody who looks at pages it becomes one, with what is wrong, where, and what next.

use std::time::Duration;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::RETRY_AFTER;
use http::{HeaderMap, StatusCode};
use maud::{Markup, html};
use mime::TEXT_HTML;
use steadfast_api::{ApiError, ErrorKind};
use tokio::time::timeout;

use super::back::Back;
use super::parts;
use super::view::{INSIDE, View};
use crate::app::App;
use crate::caller::Caller;
use crate::media::is_wanted;
use crate::problem::{Problem, Told, no_answer};
use crate::route_roles::Audience;

/// How long somebody who looks waits for the store.
const PATIENCE: Duration = Duration::from_secs(10);

/// Turns problems into pages for those who look at pages.
pub(crate) async fn explain(State(app): State<App>, request: Request, next: Next) -> Response {
    if !is_for_people(request.uri().path(), request.headers()) {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let view = View::of_nobody(&parts, &app);
    let is_look = parts.method.is_safe();
    let answer = next.run(Request::from_parts(parts, body));
    let response = match is_look {
        true => timeout(PATIENCE, answer).await.unwrap_or_else(|_| away()),
        // What was begun is not left half done.
        false => answer.await,
    };
    let Some(Told(error)) = response.extensions().get::<Told>() else {
        return response;
    };
    let view = view.of(response.extensions().get::<Caller>());
    let mut page =
        view.answer(response.status(), None, title(error), &shown(&view, error, is_look));
    if let Some(after) = response.headers().get(RETRY_AFTER) {
        page.headers_mut().insert(RETRY_AFTER, after.clone());
    }
    page
}

fn away() -> Response {
    Problem(no_answer(PATIENCE)).into_response()
}

fn is_for_people(path: &str, headers: &HeaderMap) -> bool {
    if Audience::of(path).is_programs {
        return false;
    }
    headers.contains_key(INSIDE) || is_wanted(headers, &TEXT_HTML)
}

const fn title(error: &ApiError) -> &'static str {
    match error.kind {
        ErrorKind::NotFound => "Not found",
        ErrorKind::Unread => "It is done",
        ErrorKind::Unreachable => "The store is away",
        ErrorKind::ReadOnly => "The database takes no writes",
        ErrorKind::Stopping => "The server stops",
        ErrorKind::Full => "The disk is full",
        ErrorKind::Invalid => "This cannot be taken",
        ErrorKind::WrongStatus => "This cannot be done now",
        ErrorKind::Unauthenticated => "Log in first",
        ErrorKind::Forbidden => "Not allowed",
        _ => "Something went wrong",
    }
}

/// What went wrong with what was looked at is looked at again by the script; what went wrong with
/// what was sent is told once, and stays.
fn shown(view: &View, error: &ApiError, is_look: bool) -> Markup {
    let may_pass = StatusCode::from_u16(error.status).is_ok_and(|status| status.is_server_error());
    html! {
        section class="failure" data-still[!is_look] {
            p class="code" { (error.status) }
            h1 { (title(error)) }
            p class="detail" {
                @match &error.field {
                    Some(field) => { code { (field) } ": " (error.detail) }
                    None => (parts::sentence(&error.detail)),
                }
            }
            @if let Some(next) = &error.next { p { "What next: " (next) } }
            p class="ways" {
                @match &view.back {
                    Some(Back::Again(place)) if may_pass => a class="button" href=(place) { "Try again" },
                    Some(Back::To(page)) => a class="button" href=(page) { "Go back" },
                    _ => {}
                }
                a class="button" href="/" { "Overview" }
                a class="button" href="/tasks" { "Tasks" }
            }
        }
    }
}
