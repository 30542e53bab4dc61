//! Figures that take long to count, as pages show them.
//!
//! A store is counted once for everybody (see [a look](crate::query_cache)), and a store of very many
//! takes longer than anybody should wait for a page. So a page shows what is known, and says how
//! old it is where that is worth telling.

use std::sync::Arc;
use std::time::Duration;

use maud::{Markup, html};
use tokio::time::timeout;

use super::parts;
use crate::app::App;
use crate::problem::Problem;
use crate::query_cache::LastSeen;
use crate::snapshots::Standing;

/// How long a page waits for figures that are newer than those of a moment ago.
const A_MOMENT: Duration = Duration::from_millis(30);
/// How long it waits where there are none, or old ones.
const A_WHILE: Duration = Duration::from_secs(2);
/// What is older is old.
const OLD: Duration = Duration::from_secs(60);
/// What is older is said to be.
const WORTH_TELLING: Duration = Duration::from_secs(3);

/// How the store stands, if that is known.
pub(super) async fn figures(app: &App) -> Result<LastSeen<Standing>, Problem> {
    let stood = app.stood();
    let is_old = stood.seen.is_none() || stood.age > OLD;
    let told = app.stands_within(if is_old { A_WHILE } else { A_MOMENT }).await;
    match (&told.seen, &told.failure) {
        (None, Some(failure)) => Err(failure.clone().into()),
        _ => Ok(told),
    }
}

/// Counts anew what somebody has just changed, so that the next page shows it. A store that takes
/// long is not waited for.
pub(super) async fn count_anew(app: &App) {
    let _: Result<Result<Arc<Standing>, _>, _> = timeout(A_WHILE, app.stands()).await;
}

/// The first look at a store of very many takes longer than anybody should wait.
pub(super) fn counting() -> Markup {
    html! {
        section class="panel" {
            (parts::empty("The store is being counted", html! {
                p { "It has so many tasks that this takes a while. The figures show themselves here when they are known; " a href="/tasks" { "the tasks" } " can be looked at meanwhile." }
            }))
        }
    }
}

/// How old the figures are, where that is worth telling, and why.
pub(super) fn age(told: &LastSeen<Standing>) -> Markup {
    let age = parts::lasting(Duration::from_secs(told.age.as_secs()));
    html! {
        @if told.failure.is_some() {
            p class="note" role="status" { "The store does not answer. This is how it stood " (age) " ago." }
        } @else if told.age > WORTH_TELLING {
            p class="muted" { "As it stood " (age) " ago; it is counted again." }
        }
    }
}
