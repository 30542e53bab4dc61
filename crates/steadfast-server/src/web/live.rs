//! Telling pages that something changed.
//!
//! A page that asked every second for what it shows would cost the store as much as a hundred
//! that are never looked at. So the server looks once for all of them, at next to nothing, and
//! says that something changed; whoever is in view asks again for what they see. Nobody is told
//! more than once a second, and while nobody follows nobody looks.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, Sse};
use futures_util::stream::{self, Stream, StreamExt};
use steadfast_store::{AuditQuery, PageRequest, RecordKind, Stats, StoreError};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::app::App;
use crate::extract::Ask;
use crate::shared_poller::{Duty, Lookout};

/// How often is looked, and told at most.
const EVERY: Duration = Duration::from_secs(1);
/// How long the store may take before it is as good as away.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long is waited for what is dear to count, before it is left for the next time.
const COUNTS_WITHIN: Duration = Duration::from_millis(500);
/// How often a silent stream is shown to be alive. A page that hears nothing for twice as long
/// says that the connection is lost.
const SIGN_OF_LIFE: Duration = Duration::from_secs(10);

/// What the last look saw.
#[derive(Clone, Debug, PartialEq, Default)]
enum Seen {
    /// Nobody has looked yet.
    #[default]
    Nothing,
    /// Where everything stood.
    Marks(Box<Marks>),
    /// The store did not answer.
    Away,
}

/// Differ whenever something happened that a page shows. What is counted may be of a while ago.
#[derive(Clone, Debug, PartialEq)]
struct Marks {
    stats: Option<Stats>,
    /// Who works, and whether it went silent.
    workers: Option<Vec<(String, bool)>>,
    event: Option<i64>,
    deed: Option<i64>,
}

/// Looks for all pages.
#[derive(Debug, Default)]
pub(crate) struct Pulse {
    seen: watch::Sender<Seen>,
    lookout: Lookout,
}

impl Pulse {
    fn follow(&self, app: &App) -> watch::Receiver<Seen> {
        self.lookout.follow(|| self.seen.subscribe(), |duty| look(duty, app.clone()))
    }

    fn is_followed(&self) -> bool {
        self.seen.receiver_count() > 0
    }
}

async fn look(duty: Duty, app: App) {
    while duty.goes_on(|| app.pulse().is_followed()) && !app.stopping().is_cancelled() {
        let seen = match timeout(PATIENCE, marks(&app)).await {
            Ok(Ok(marks)) => Seen::Marks(Box::new(marks)),
            Ok(Err(_)) | Err(_) => Seen::Away,
        };
        app.pulse().seen.send_if_modified(|last| {
            let is_new = *last != seen;
            *last = seen;
            is_new
        });
        sleep(EVERY).await;
    }
}

async fn marks(app: &App) -> Result<Marks, StoreError> {
    let store = app.store();
    let newest = PageRequest { limit: 1, after: None };
    let events = store.records(RecordKind::Event, &newest).await?;
    let mut deeds = AuditQuery::default();
    deeds.page = newest;
    let deeds = store.audited(&deeds).await?;
    let told = app.stands_within(COUNTS_WITHIN).await;
    let seen = told.seen.as_deref();
    Ok(Marks {
        stats: seen.map(|seen| seen.counts.stats.clone()),
        workers: seen.map(|seen| {
            seen.workers.iter().map(|worker| (worker.name.clone(), worker.silent)).collect()
        }),
        event: events.items.first().and_then(|event| event.number),
        deed: deeds.items.first().and_then(|deed| deed.number),
    })
}

/// Tells that something changed, or that the store is away, until the server stops. Who comes
/// while it is away is told so at once: nothing else would change it until it is back.
pub(super) async fn follow(
    Ask(_): Ask,
    State(app): State<App>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let follower = app.pulse().follow(&app);
    let first = match *follower.borrow() {
        Seen::Away => "away",
        Seen::Nothing | Seen::Marks(_) => "here",
    };
    let first = stream::once(async move { Ok(told(first)) });
    Sse::new(first.chain(stream::unfold((follower, app), |(mut follower, app)| async move {
        let name = next(&mut follower, &app).await?;
        Some((Ok(told(name)), (follower, app)))
    })))
}

/// What is to be told next; nothing if the server stops.
async fn next(follower: &mut watch::Receiver<Seen>, app: &App) -> Option<&'static str> {
    tokio::select! {
        changed = follower.changed() => changed.ok()?,
        () = sleep(SIGN_OF_LIFE) => return Some("alive"),
        () = app.stopping().cancelled() => return None,
    }
    Some(match *follower.borrow_and_update() {
        Seen::Away => "away",
        Seen::Nothing | Seen::Marks(_) => "changed",
    })
}

fn told(name: &str) -> Event {
    // An event without data is none.
    Event::default().event(name).data("-")
}
