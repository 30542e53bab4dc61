//! Whether it lives, and whether it can be of use.
//!
//! Two questions, because two different things are done about them: a process that does not
//! live is started again, one that is not ready is given no requests. So the first says nothing
//! of the store, which a restart would not mend.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use steadfast_api::{ApiError, ErrorKind};
use tokio::time::timeout;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::openapi::Problems;
use crate::problem::{Answer, Problem};

/// How long the store may take to answer before it is as good as away.
const PATIENCE: Duration = Duration::from_secs(2);

/// How the server is.
#[derive(Debug, Serialize, ToSchema)]
struct Health {
    /// `alive` or `ready`.
    status: &'static str,
}

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(healthz)).routes(routes!(readyz))
}

/// Whether the process lives.
#[utoipa::path(get, path = "/healthz", tag = "health", responses((status = 200, description = "It lives", body = Health)))]
async fn healthz() -> Json<Health> {
    Json(Health { status: "alive" })
}

/// Whether requests can be answered: the store is asked, and why not is said.
#[utoipa::path(get, path = "/readyz", tag = "health", responses((status = 200, description = "It is ready", body = Health), Problems))]
async fn readyz(State(app): State<App>) -> Answer<Health> {
    if app.stopping().is_cancelled() {
        let stopping = ApiError::new(ErrorKind::Stopping, "the server was told to stop");
        return Err(stopping.next("ask another instance").into());
    }
    // A table that is never long. The time would not do: SQLite tells it without its file.
    match timeout(PATIENCE, app.store().breaker_orders()).await {
        Ok(answer) => answer.map_err(ApiError::from)?,
        Err(_) => return Err(no_answer()),
    };
    Ok(Json(Health { status: "ready" }))
}

fn no_answer() -> Problem {
    let detail = format!("the store did not answer within {} seconds", PATIENCE.as_secs());
    ApiError::new(ErrorKind::Unreachable, detail)
        .next("see that it runs, and with `steadfast doctor` what ails it")
        .into()
}
