//! Error pages.
//!
//! Handlers and extractors answer with a problem as JSON. For a browser the middleware here turns it
//! into a page that states the error and what to do next.

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

use super::return_link::ReturnLink;
use super::view::PARTIAL;
use super::{View, parts};
use crate::app::App;
use crate::auth::{Caller, RouteAccess};
use crate::http::{Problem, ProblemDetails, accepts, store_timeout};

const READ_TIMEOUT: Duration = Duration::from_secs(10);

/// Turns problems into pages for browsers.
pub(crate) async fn explain(State(app): State<App>, request: Request, next: Next) -> Response {
    if !wants_page(request.uri().path(), request.headers()) {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let view = View::anonymous(&parts, &app);
    let is_read = parts.method.is_safe();
    let is_filter = is_read && parts.uri.query().is_some();
    let answer = next.run(Request::from_parts(parts, body));
    let response = match is_read {
        true => timeout(READ_TIMEOUT, answer).await.unwrap_or_else(|_| timed_out()),
        // A change runs to its end.
        false => answer.await,
    };
    let Some(ProblemDetails(error)) = response.extensions().get::<ProblemDetails>() else {
        return response;
    };
    let view = view.with_caller(response.extensions().get::<Caller>());
    let title = title(error, is_filter);
    let content = content(&view, error, title, is_read);
    let mut page = view.answer(response.status(), None, title, &content);
    if let Some(after) = response.headers().get(RETRY_AFTER) {
        page.headers_mut().insert(RETRY_AFTER, after.clone());
    }
    page
}

fn timed_out() -> Response {
    Problem(store_timeout(READ_TIMEOUT)).into_response()
}

fn wants_page(path: &str, headers: &HeaderMap) -> bool {
    if RouteAccess::of(path).is_api {
        return false;
    }
    headers.contains_key(PARTIAL) || accepts(headers, &TEXT_HTML)
}

const fn title(error: &ApiError, is_filter: bool) -> &'static str {
    match error.kind {
        ErrorKind::NotFound => "Not found",
        ErrorKind::ReadBackFailed => "Change applied",
        ErrorKind::Unreachable => "Store unreachable",
        ErrorKind::ReadOnly => "Database is read-only",
        ErrorKind::Stopping => "Server is shutting down",
        ErrorKind::StorageFull => "Disk full",
        ErrorKind::Invalid if is_filter => "Invalid filter",
        ErrorKind::Invalid => "Invalid request",
        ErrorKind::WrongStatus => "Not possible in the current state",
        ErrorKind::Unauthenticated => "Login required",
        ErrorKind::Forbidden => "Permission denied",
        _ => "Something went wrong",
    }
}

/// The error. The script refreshes a failed read; the error of a failed form stays.
fn content(view: &View, error: &ApiError, title: &str, is_read: bool) -> Markup {
    let is_temporary =
        StatusCode::from_u16(error.status).is_ok_and(|status| status.is_server_error());
    html! {
        section class="error-page" data-no-refresh[!is_read] {
            p class="code" { (error.status) }
            h1 { (title) }
            p class="detail" {
                @match &error.field {
                    Some(field) => { code { (field) } ": " (error.detail) }
                    None => (parts::sentence(&error.detail)),
                }
            }
            @if let Some(next) = &error.next { p class="hint" { (parts::sentence(next)) } }
            p class="buttons" {
                @match &view.return_link {
                    Some(ReturnLink::Retry(url)) if is_temporary => a class="button" href=(url) { "Try again" },
                    Some(ReturnLink::Page(page)) => a class="button" href=(page) { "Go back" },
                    _ => {}
                }
                a class="button" href="/" { "Overview" }
                a class="button" href="/tasks" { "Tasks" }
            }
        }
    }
}
