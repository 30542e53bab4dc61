//! Liveness and readiness checks.
//!
//! A process that is not alive is restarted; one that is not ready gets no requests. So the liveness check
//! does not involve the store, which a restart would not fix.
//!
//! Both are public. So the store is checked once for concurrent requests, and the response says what is
//! wrong but not the name or address of the store, which are in the log.

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

use crate::app::App;
use crate::http::{JsonResult, store_timeout};

const CHECK_TIMEOUT: Duration = Duration::from_secs(2);
/// How long a result is reused.
const CHECK_TTL: Duration = Duration::from_secs(1);

/// The health of the server.
#[derive(Debug, Serialize, ToSchema)]
struct Health {
    /// `alive` or `ready`.
    status: &'static str,
}

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(healthz)).routes(routes!(readyz))
}

/// Check that the process is alive.
#[utoipa::path(get, path = "/healthz", tag = "health", responses((status = 200, description = "The process is alive", body = Health)))]
async fn healthz() -> Json<Health> {
    Json(Health { status: "alive" })
}

/// Check that the server can serve requests: the store responds, and the server is not stopping.
#[utoipa::path(get, path = "/readyz", tag = "health", responses((status = 200, description = "The server is ready", body = Health)))]
async fn readyz(State(app): State<App>) -> JsonResult<Health> {
    if app.draining.is_cancelled() {
        let stopping = ApiError::new(ErrorKind::Stopping, "the server is shutting down");
        return Err(stopping.next("use another instance").into());
    }
    app.readiness.check(&app.store).await?;
    Ok(Json(Health { status: "ready" }))
}

/// When the store was last checked, and the result.
#[derive(Default)]
pub(crate) struct Readiness(Mutex<Option<(Instant, Result<(), ApiError>)>>);

impl Readiness {
    /// Checks that the store responds, or reuses a recent result.
    pub(crate) async fn check(&self, store: &Store) -> Result<(), ApiError> {
        let mut last = self.0.lock().await;
        if let Some((_, result)) = last.as_ref().filter(|(at, _)| at.elapsed() < CHECK_TTL) {
            return result.clone();
        }
        let result = check_store(store).await;
        log_change(last.as_ref().map(|(_, result)| result), &result);
        last.insert((Instant::now(), result)).1.clone()
    }
}

async fn check_store(store: &Store) -> Result<(), ApiError> {
    // A small table. The store's time would not do: SQLite reads it without its file.
    match timeout(CHECK_TIMEOUT, store.breaker_overrides()).await {
        Ok(result) => result.map(drop).map_err(not_ready),
        Err(_) => Err(store_timeout(CHECK_TIMEOUT)),
    }
}

/// Reports every store error as unreachable: a load balancer only has to know that this instance is not
/// ready.
fn not_ready(error: StoreError) -> ApiError {
    let ApiError { detail, next, cause, .. } = ApiError::from(error);
    let mut error = ApiError::new(ErrorKind::Unreachable, detail);
    (error.next, error.cause) = (next, cause);
    error
}

fn log_change(previous: Option<&Result<(), ApiError>>, current: &Result<(), ApiError>) {
    match (previous, current) {
        (Some(Err(_)), Ok(())) => info!(target: "steadfast", "ready again: the store responds"),
        (Some(Err(previous)), Err(current)) if previous == current => {}
        (_, Err(error)) => {
            warn!(target: "steadfast", %error, "not ready: the store does not respond")
        }
        _ => {}
    }
}
