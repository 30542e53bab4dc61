//! Whether it lives, and whether it can be of use.
//!
//! Two questions, because two different things are done about them: a process that does not
//! live is started again, one that is not ready is given no requests. So the first says nothing
//! of the store, which a restart would not mend.
//!
//! Anybody may ask, as often as they like. So the store is looked at once for all, and they are
//! told what is wrong with it, and not what it is called or where it is: that is in the log.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use steadfast_api::{ApiError, ErrorKind};
use steadfast_store::{Store, StoreError};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};
use tracing::{info, warn};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::api::openapi::Problems;
use crate::app::App;
use crate::http::problem::{Answer, no_answer};

/// How long the store may take to answer before it is as good as away.
const PATIENCE: Duration = Duration::from_secs(2);
/// For how long a look at it is good.
const FRESH: Duration = Duration::from_secs(1);

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
    if app.leaving().is_cancelled() {
        let stopping = ApiError::new(ErrorKind::Stopping, "the server was told to stop");
        return Err(stopping.next("ask another instance").into());
    }
    app.readiness().of(app.store()).await?;
    Ok(Json(Health { status: "ready" }))
}

/// How the store was when somebody looked.
#[derive(Debug, Default)]
pub(crate) struct Readiness(Mutex<Option<Look>>);

#[derive(Debug)]
struct Look {
    at: Instant,
    seen: Result<(), ApiError>,
}

impl Readiness {
    /// Whether the store answers, by a look that is fresh.
    pub(crate) async fn of(&self, store: &Store) -> Result<(), ApiError> {
        let mut last = self.0.lock().await;
        if let Some(look) = last.as_ref().filter(|look| look.at.elapsed() < FRESH) {
            return look.seen.clone();
        }
        let seen = look(store).await;
        tell(last.as_ref().map(|look| &look.seen), &seen);
        let look = last.insert(Look { at: Instant::now(), seen });
        look.seen.clone()
    }
}

async fn look(store: &Store) -> Result<(), ApiError> {
    // A table that is never long. The time would not do: SQLite tells it without its file.
    match timeout(PATIENCE, store.breaker_orders()).await {
        Ok(answer) => answer.map(drop).map_err(not_ready),
        Err(_) => Err(no_answer(PATIENCE)),
    }
}

/// Whatever keeps the store from answering, a balancer has to know one thing: not here, not now.
fn not_ready(error: StoreError) -> ApiError {
    let ApiError { detail, next, cause, .. } = ApiError::from(error);
    let mut away = ApiError::new(ErrorKind::Unreachable, detail);
    (away.next, away.cause) = (next, cause);
    away
}

/// Logs what has changed.
fn tell(before: Option<&Result<(), ApiError>>, now: &Result<(), ApiError>) {
    match (before, now) {
        (Some(Err(_)), Ok(())) => info!(target: "steadfast", "ready again: the store answers"),
        (Some(Err(before)), Err(now)) if before == now => {}
        (_, Err(error)) => warn!(target: "steadfast", %error, "not ready"),
        _ => {}
    }
}
