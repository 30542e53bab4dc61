//! The web UI (H2).
//!
//! The UI serves an operator in the middle of an outage: every number links to the list behind it,
//! every task states what happens next, and every action is on the page that shows its target.
//!
//! # Structure
//!
//! ```text
//!   request ──▶ View: the caller, and whether the layout is already in the browser
//!                 │
//!   one file per page ──▶ steadfast_api ──▶ parts/ ──▶ View::show ──▶ layout, or content alone
//!                                                           ▲
//!   /live ── "changed" ──▶ live.js reloads the content and morphs it into the page
//! ```
//!
//! - Pages are rendered by the server and work without scripts: links, forms, paging.
//! - A script makes them live. It knows nothing about tasks: on a `changed` event it reloads the
//!   same URL.
//! - All assets come from this server, and pages contain no inline style or script, so that a strict
//!   content security policy applies.

mod assets;
mod attention;
mod audit;
mod breakers;
mod charts;
mod error_page;
mod events;
mod executions;
mod failure_groups;
mod flash;
mod form;
mod icon;
mod layout;
mod link;
mod live;
mod login;
mod overview;
mod parts;
mod policies;
mod policy_links;
mod queues;
mod return_link;
mod search;
mod section;
mod sessions;
mod store_counts;
mod tasks;
mod view;
mod workers;
mod workflows;

use axum::Router;
use axum::routing::get;

use crate::app::App;

pub(crate) use error_page::explain;
use flash::Flash;
use form::{Form, FormListQuery, PageParams, is_input_error, without_empty_fields};
use icon::{Icon, icon};
pub(crate) use live::ChangePoller;
pub(crate) use login::login;
pub(crate) use policies::Simulations;
use policy_links::PolicyLinks;
use section::Section;
use view::{PageResult, View};

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
        .route("/live", get(live::stream))
        .route("/assets/{version}/{name}", get(assets::serve))
}
