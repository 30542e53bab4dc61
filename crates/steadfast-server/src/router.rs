//! The router: all routes and middleware.

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state, map_response};
use axum::routing::get;
use http::header::CONTENT_TYPE;
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::OpenApi;
use utoipa::openapi;
use utoipa_axum::router::OpenApiRouter;

use crate::api::openapi::{
    ApiDescription, add_error_responses, add_security, remove_null_parameters,
};
use crate::api::{self, health};
use crate::app::App;
use crate::auth::{authenticate, login};
use crate::http::{
    add_security_headers, add_security_headers_over_tls, method_not_allowed, no_such_path,
    observe_request, panicked,
};
use crate::limits::run_to_completion;
use crate::telemetry::metrics;
use crate::web;

pub(crate) fn router(app: App, with_web_ui: bool) -> Router {
    let (routes, mut description) = described_routes().split_for_parts();
    add_error_responses(&mut description);
    add_security(&mut description);
    remove_null_parameters(&mut description);
    let add_headers = match app.auth.over_tls {
        true => add_security_headers_over_tls,
        false => add_security_headers,
    };
    let pages = if with_web_ui { web::routes().merge(login::routes()) } else { Router::new() };
    let routes = routes
        .merge(pages)
        .route("/openapi.json", openapi_json(&description))
        .fallback(no_such_path)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(app.clone(), run_to_completion))
        .layer(from_fn_with_state(app.clone(), authenticate))
        .layer(CatchPanicLayer::custom(panicked));
    let routes = match with_web_ui {
        true => routes.layer(from_fn_with_state(app.clone(), web::explain)),
        false => routes,
    };
    routes
        .layer(map_response(move |response| async move { add_headers(response) }))
        .layer(from_fn(observe_request))
        .with_state(app)
}

fn described_routes() -> OpenApiRouter<App> {
    OpenApiRouter::with_openapi(ApiDescription::openapi())
        .merge(health::routes())
        .merge(metrics::routes())
        .nest("/api/v1", api::routes())
}

fn openapi_json(description: &openapi::OpenApi) -> axum::routing::MethodRouter<App> {
    // The description always serializes.
    let json = description.to_json().unwrap_or_default();
    get(move || async move { ([(CONTENT_TYPE, "application/json")], json) })
}
