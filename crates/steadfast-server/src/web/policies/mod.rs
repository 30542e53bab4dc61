//! Policies: which there are, what each will do, who wrote what, and what if it said something
//! else.

mod banner;
mod guards;
mod list;
mod plan;
mod show;
mod values;
mod what_if;

use axum::Router;
use axum::routing::get;

use crate::app::App;

pub(super) use guards::allows;
pub(crate) use what_if::Simulations;

/// Every page of policies.
pub(super) fn routes() -> Router<App> {
    Router::new().route("/policies", get(list::list)).route("/policies/{name}", get(show::show))
}
