//! Policies: the list, the schedule and effective settings of one, and the what-if simulation.

mod banner;
mod guards;
mod list;
mod plan;
mod settings;
mod show;
mod what_if;

use axum::Router;
use axum::routing::get;

use crate::app::App;

pub(super) use guards::budget_limit;
pub(crate) use what_if::Simulations;

/// The routes of policies.
pub(super) fn routes() -> Router<App> {
    Router::new().route("/policies", get(list::list)).route("/policies/{name}", get(show::show))
}
