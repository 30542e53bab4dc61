//! Events: as a page of JSON or as a stream of server-sent events (O1).
//!
//! Browsers reconnect by themselves and send the number of the last event as `Last-Event-ID`.

mod cursor;
mod stream;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::HeaderMap;
use mime::{APPLICATION_JSON, TEXT_EVENT_STREAM};
use serde::Deserialize;
use steadfast_api::{Api, ApiError, ErrorKind, EventFilter, EventView, Events, EventsFrom};
use steadfast_store::InputError;
use utoipa::IntoParams;

use crate::app::App;
use crate::auth::Viewer;
use crate::http::{ListQuery, PageParameters, Problem, accepts};

const DEFAULT_LIMIT: u32 = 100;
const MAX_LIMIT: u32 = 1000;
const LAST_EVENT_ID: &str = "last-event-id";

/// The start and the number of events.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct EventRange {
    /// Return events after this number; the default is the latest ones.
    after: Option<i64>,
    /// The page size, from 1 to 1000; the default is 100. For a stream: the number of latest events to
    /// send first; the default is none.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u32>,
}

impl PageParameters for EventRange {
    const NAMES: &'static [&'static str] = &["after", "limit"];
}

impl EventRange {
    fn limit(&self) -> Result<Option<u32>, InputError> {
        match self.limit {
            Some(limit) if !(1..=MAX_LIMIT).contains(&limit) => {
                let problem = format!("{limit} is out of range; use 1 to {MAX_LIMIT}");
                Err(InputError::new("limit", problem))
            }
            limit => Ok(limit),
        }
    }
}

/// Stream or list events.
///
/// Streams server-sent events whose ids are the event numbers; with `Accept: application/json`, returns
/// a page of events, oldest first. A stream that resumes after a pruned event starts with an event named
/// `gap`, `{"after": 7, "from": 12}`: events between them may be pruned, too.
#[utoipa::path(
    get, path = "/events", tag = "events",
    params(
        EventFilter,
        EventRange,
        ("Last-Event-ID" = Option<i64>, Header, description = "The same as `after`; takes precedence"),
    ),
    responses(
        (status = 200, description = "Events", content(
            (EventView = "text/event-stream"),
            (Events = "application/json"),
        )),
    )
)]
pub(super) async fn list_events(
    Viewer(api): Viewer,
    State(app): State<App>,
    headers: HeaderMap,
    ListQuery { filter, page: range }: ListQuery<EventFilter, EventRange>,
) -> Result<Response, Problem> {
    let limit = range.limit()?;
    let after = last_event_id(&headers)?.or(range.after);
    if !accepts(&headers, &APPLICATION_JSON) || accepts(&headers, &TEXT_EVENT_STREAM) {
        return Ok(stream::stream_events(&app, api, filter, after, limit).await?);
    }
    let _permit = app.read_permits.acquire().await?;
    let from = after.map_or(EventsFrom::Latest, EventsFrom::After);
    Ok(Json(api.events(&filter, from, limit.unwrap_or(DEFAULT_LIMIT)).await?).into_response())
}

fn last_event_id(headers: &HeaderMap) -> Result<Option<i64>, ApiError> {
    let Some(given) = headers.get(LAST_EVENT_ID) else {
        return Ok(None);
    };
    let number = given.to_str().ok().and_then(|given| given.parse().ok());
    number.map(Some).ok_or_else(|| {
        ApiError::new(ErrorKind::Invalid, format!("{given:?} is not an event number"))
            .field("Last-Event-ID")
            .next("send the id of the last received event, or omit the header")
    })
}
