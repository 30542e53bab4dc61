//! The page (H2): what a store does, for people.
//!
//! An API answers whoever knows what to ask. A person who opens a browser in the middle of an
//! outage does not: they look, follow what is odd, and act. So everything that can be asked is
//! shown here, each number links to what is behind it, and each task says what comes next.
//!
//! # How it is made
//!
//! ```text
//!   request ──▶ View: who looks, at what, and whether the frame around it is there already
//!                 │
//!   a file a page ──▶ asks steadfast_api ──▶ parts/ ──▶ View::show ──▶ layout, or the inside alone
//!                                                            ▲
//!   /live ── "something changed" ──▶ live.js asks again for the inside, and puts it in place
//! ```
//!
//! - Pages are written by the server and work without a script: links, forms, paging.
//! - A script makes them live. It knows nothing of tasks: it is told that something changed, and
//!   asks for the same page again.
//! - Nothing comes from elsewhere, and there is no style or script in the pages themselves, so
//!   that the strictest policy of a browser holds.

mod assets;
mod attention;
mod audit;
mod back;
mod breakers;
mod budgets;
mod charts;
mod chosen;
mod counted;
mod done;
mod events;
mod executions;
mod failing;
mod failure;
mod form;
mod icon;
mod layout;
mod link;
mod linkable;
mod live;
mod login;
mod overview;
mod parts;
mod policies;
mod queues;
mod search;
mod section;
mod sessions;
mod tasks;
mod view;
mod workers;
mod workflows;

use axum::Router;
use axum::routing::get;

use crate::app::App;

pub(crate) use failure::explain;
pub(crate) use live::Pulse;
pub(crate) use login::login;
pub(crate) use policies::Simulations;

/// Every page.
pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/", get(overview::overview))
        .route("/search", get(search::search))
        .merge(tasks::routes())
        .merge(workflows::routes())
        .merge(executions::routes())
        .merge(policies::routes())
        .merge(queues::routes())
        .merge(breakers::routes())
        .route("/events", get(events::list))
        .route("/sessions", get(sessions::list))
        .route("/audit", get(audit::list))
        .route("/live", get(live::follow))
        .route("/assets/{version}/{name}", get(assets::serve))
}
