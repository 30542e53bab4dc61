//! Change notifications for open pages, as server-sent events.
//!
//! Pages that poll would cost the store a query each. Instead the server polls a few cheap markers
//! once for all pages and sends `changed`; a visible page then reloads its content. It sends at most
//! one event per second, and polls only while a page is connected.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, Sse};
use futures_util::stream::{self, Stream, StreamExt};
use steadfast_store::{AuditQuery, PageRequest, RecordKind, Stats, StoreError};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::app::App;
use crate::auth::Viewer;
use crate::cache::{PollGuard, SharedPoller};

/// How often the markers are polled, and pages notified at most.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// After this long without an answer the store counts as unreachable.
const STORE_TIMEOUT: Duration = Duration::from_secs(5);
/// How long one poll waits for new counts.
const COUNTS_TIMEOUT: Duration = Duration::from_millis(500);
/// How often an idle stream sends a heartbeat. A page without an event for more than twice as long
/// reports that it is disconnected.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(10);

/// The result of the last poll.
#[derive(Clone, Debug, PartialEq, Default)]
enum StoreState {
    #[default]
    Unknown,
    Reachable(Box<Markers>),
    Unreachable,
}

/// Values that differ whenever something changed that a page shows. Counts may be cached.
#[derive(Clone, Debug, PartialEq)]
struct Markers {
    stats: Option<Stats>,
    /// The workers, and whether each is silent.
    workers: Option<Vec<(String, bool)>>,
    event: Option<i64>,
    audit_entry: Option<i64>,
}

#[derive(Debug, Default)]
pub(crate) struct ChangePoller {
    state: watch::Sender<StoreState>,
    poller: SharedPoller,
}

async fn poll(mut guard: PollGuard, app: App) {
    while guard.keep_polling(|| app.change_poller.state.receiver_count() > 0)
        && !app.stopping.is_cancelled()
    {
        let state = match timeout(STORE_TIMEOUT, markers(&app)).await {
            Ok(Ok(markers)) => StoreState::Reachable(Box::new(markers)),
            Ok(Err(_)) | Err(_) => StoreState::Unreachable,
        };
        app.change_poller.state.send_if_modified(|last| {
            let is_new = *last != state;
            *last = state;
            is_new
        });
        sleep(POLL_INTERVAL).await;
    }
}

async fn markers(app: &App) -> Result<Markers, StoreError> {
    let store = &app.store;
    let newest = PageRequest { limit: 1, after: None };
    let events = store.records(RecordKind::Event, &newest).await?;
    let mut query = AuditQuery::default();
    query.page = newest;
    let audit = store.audit_entries(&query).await?;
    let counts = app.snapshots.full_within(COUNTS_TIMEOUT).await;
    let seen = counts.value.as_deref();
    Ok(Markers {
        stats: seen.map(|seen| seen.counts.stats.clone()),
        workers: seen.map(|seen| {
            seen.workers.iter().map(|worker| (worker.name.clone(), worker.silent)).collect()
        }),
        event: events.items.first().and_then(|event| event.number),
        audit_entry: audit.items.first().and_then(|entry| entry.number),
    })
}

/// Streams `changed` and `unreachable` events until the server stops. A page that connects while
/// the store is unreachable is notified at once.
pub(super) async fn stream(
    Viewer(_): Viewer,
    State(app): State<App>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let ChangePoller { state, poller } = &app.change_poller;
    let receiver = poller.subscribe(|| state.subscribe(), |guard| poll(guard, app.clone()));
    let first = match *receiver.borrow() {
        StoreState::Unreachable => "unreachable",
        StoreState::Unknown | StoreState::Reachable(_) => "connected",
    };
    let first = stream::once(async move { Ok(event(first)) });
    Sse::new(first.chain(stream::unfold((receiver, app), |(mut receiver, app)| async move {
        let name = next(&mut receiver, &app).await?;
        Some((Ok(event(name)), (receiver, app)))
    })))
}

/// The name of the next event, or `None` if the server stops.
async fn next(receiver: &mut watch::Receiver<StoreState>, app: &App) -> Option<&'static str> {
    tokio::select! {
        changed = receiver.changed() => changed.ok()?,
        () = sleep(HEARTBEAT_INTERVAL) => return Some("heartbeat"),
        () = app.stopping.cancelled() => return None,
    }
    Some(match *receiver.borrow_and_update() {
        StoreState::Unreachable => "unreachable",
        StoreState::Unknown | StoreState::Reachable(_) => "changed",
    })
}

fn event(name: &str) -> Event {
    // Browsers ignore an event without data.
    Event::default().event(name).data("-")
}
