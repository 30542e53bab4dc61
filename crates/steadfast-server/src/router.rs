//! Which path leads where.

use axum::Router;
use axum::middleware::from_fn;
use axum::routing::get;
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, X_CONTENT_TYPE_OPTIONS};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::trace::TraceLayer;
use utoipa::OpenApi;
use utoipa::openapi;
use utoipa_axum::router::OpenApiRouter;

use crate::app::App;
use crate::auth::gate;
use crate::openapi::{Described, secured};
use crate::problem::{no_such_path, panicked, wrong_method};
use crate::{api, health};

/// Everything that is served.
pub(crate) fn router(app: App) -> Router {
    let (routes, mut description) = described().split_for_parts();
    secured(&mut description);
    routes
        .route("/openapi.json", openapi_json(&description))
        .fallback(no_such_path)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn(gate))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(always(CACHE_CONTROL, "no-store"))
        .layer(always(X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(TraceLayer::new_for_http())
        .with_state(app)
}

fn described() -> OpenApiRouter<App> {
    OpenApiRouter::with_openapi(Described::openapi())
        .merge(health::routes())
        .nest("/api/v1", api::routes())
}

fn openapi_json(description: &openapi::OpenApi) -> axum::routing::MethodRouter<App> {
    // It is made of names and texts, all of which JSON has room for.
    let json = description.to_json().unwrap_or_default();
    get(move || async move { ([(CONTENT_TYPE, "application/json")], json) })
}

fn always(name: HeaderName, value: &'static str) -> SetResponseHeaderLayer<HeaderValue> {
    SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value))
}
