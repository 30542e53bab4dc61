//! Store counts for pages, from the shared cache.
//!
//! Counting a large store takes longer than a page load should, so all pages share one
//! [cached](crate::cache::query_cache) result. A page shows the latest counts at once and states their age
//! when they are stale.

use std::sync::Arc;
use std::time::Duration;

use maud::{Markup, html};
use tokio::time::timeout;

use super::parts;
use crate::app::App;
use crate::cache::{Cached, StoreSnapshot};
use crate::http::Problem;

/// How long a page waits for new counts when it has recent ones.
const REFRESH_WAIT: Duration = Duration::from_millis(30);
/// How long it waits when it has none, or old ones.
const FIRST_LOAD_WAIT: Duration = Duration::from_secs(2);
/// Counts of this age are old.
const MAX_AGE: Duration = Duration::from_secs(60);
/// Counts of this age are labelled with it.
const SHOW_AGE_AFTER: Duration = Duration::from_secs(3);

/// The latest counts, if any are available.
pub(super) async fn load(app: &App) -> Result<Cached<StoreSnapshot>, Problem> {
    let cached = app.snapshots.cached();
    let is_old = cached.value.is_none() || cached.age > MAX_AGE;
    let counts =
        app.snapshots.full_within(if is_old { FIRST_LOAD_WAIT } else { REFRESH_WAIT }).await;
    match (&counts.value, &counts.error) {
        (None, Some(failure)) => Err(failure.clone().into()),
        _ => Ok(counts),
    }
}

/// Recounts after a change so that the next page shows it, unless that takes long.
pub(super) async fn refresh(app: &App) {
    let _: Result<Result<Arc<StoreSnapshot>, _>, _> =
        timeout(FIRST_LOAD_WAIT, app.snapshots.full()).await;
}

/// The placeholder while a large store is counted for the first time.
pub(super) fn loading() -> Markup {
    html! {
        section class="panel" {
            (parts::empty("Counting tasks", html! {
                p { "This store is large, so counting takes a while. The numbers appear here when they are ready; meanwhile you can " a href="/tasks" { "browse tasks" } "." }
            }))
        }
    }
}

/// A note on stale counts and on an unreachable store.
pub(super) fn age(counts: &Cached<StoreSnapshot>) -> Markup {
    let age = parts::duration(Duration::from_secs(counts.age.as_secs()));
    html! {
        @if counts.error.is_some() {
            p class="note" role="status" { "The store is unreachable. Showing data from " (age) " ago." }
        } @else if counts.age > SHOW_AGE_AFTER {
            p class="muted" { "Updated " (age) " ago; refreshing." }
        }
    }
}
