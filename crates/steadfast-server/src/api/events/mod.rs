//! What happened, for whoever looks, and what happens, for whoever follows (O1).
//!
//! A browser follows by itself: it keeps the number of the last event, and sends it as
//! `Last-Event-ID` when it comes back. Everybody else can ask for a page as JSON.

mod cursor;
mod stream;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::HeaderMap;
use mime::{APPLICATION_JSON, TEXT_EVENT_STREAM};
use serde::Deserialize;
use steadfast_api::{Api, ApiError, ErrorKind, EventFilter, EventView, Events, EventsFrom};
use steadfast_store::Invalid;
use utoipa::IntoParams;

use crate::api::openapi::Problems;
use crate::app::App;
use crate::auth::extract::Ask;
use crate::http::media::is_wanted;
use crate::http::problem::Problem;
use crate::http::query::{Listed, Part};

/// How many a page has that does not say.
const USUAL: u32 = 100;
/// The most that one page has.
const LARGEST: u32 = 1000;
const LAST_EVENT_ID: &str = "last-event-id";

/// From where on, and how many.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Since {
    /// Those after the one of this number; the last ones unless said.
    after: Option<i64>,
    /// At most so many on a page, from 1 to 1000. Of a stream: so many of the last come first;
    /// none unless said.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u32>,
}

impl Part for Since {
    const NAMES: &'static [&'static str] = &["after", "limit"];
}

impl Since {
    fn limit(&self) -> Result<Option<u32>, Invalid> {
        match self.limit {
            Some(limit) if !(1..=LARGEST).contains(&limit) => {
                let problem = format!("{limit} is not a number of events; say 1 to {LARGEST}");
                Err(Invalid::new("limit", problem))
            }
            limit => Ok(limit),
        }
    }
}

/// Events as they happen, as server-sent events whose ids are their numbers; or, for who accepts
/// `application/json`, a page of them, oldest first. A stream that goes on after an event that is
/// forgotten begins with an event of the name `gap`, `{"after": 7, "from": 12}`: what came between
/// them may be forgotten, too.
#[utoipa::path(
    get, path = "/events", tag = "events",
    params(
        EventFilter,
        Since,
        ("Last-Event-ID" = Option<i64>, Header, description = "The same as `after`, and stronger"),
    ),
    responses(
        (status = 200, description = "Events", content(
            (EventView = "text/event-stream"),
            (Events = "application/json"),
        )),
        Problems,
    )
)]
pub(super) async fn list_events(
    Ask(api): Ask,
    State(app): State<App>,
    headers: HeaderMap,
    Listed { filter, page: since }: Listed<EventFilter, Since>,
) -> Result<Response, Problem> {
    let limit = since.limit()?;
    let after = last_event_id(&headers)?.or(since.after);
    if !wants_json(&headers) {
        return Ok(stream::follow(&app, api, filter, after, limit).await?);
    }
    let _turn = app.turns().take().await?;
    let from = after.map_or(EventsFrom::Latest, EventsFrom::After);
    Ok(Json(api.events(&filter, from, limit.unwrap_or(USUAL)).await?).into_response())
}

fn last_event_id(headers: &HeaderMap) -> Result<Option<i64>, ApiError> {
    let Some(given) = headers.get(LAST_EVENT_ID) else {
        return Ok(None);
    };
    let number = given.to_str().ok().and_then(|given| given.parse().ok());
    number.map(Some).ok_or_else(|| {
        ApiError::new(ErrorKind::Invalid, format!("{given:?} is no number of an event"))
            .field("Last-Event-ID")
            .next("send the id of the last event that came, or leave it out")
    })
}

/// Whether JSON is asked for by its name, and no stream.
fn wants_json(headers: &HeaderMap) -> bool {
    is_wanted(headers, &APPLICATION_JSON) && !is_wanted(headers, &TEXT_EVENT_STREAM)
}
