//! Which path leads where.

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state, map_response};
use axum::routing::get;
use http::header::CONTENT_TYPE;
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::OpenApi;
use utoipa::openapi;
use utoipa_axum::router::OpenApiRouter;

use crate::api::health;
use crate::api::openapi::{Described, secured, without_null};
use crate::app::App;
use crate::auth::{gate, login};
use crate::http::headers;
use crate::http::problem::{no_such_path, panicked, wrong_method};
use crate::http::request::accompany;
use crate::limits::mutations::to_the_end;
use crate::telemetry::metrics;
use crate::{api, web};

/// Everything that is served.
pub(crate) fn router(app: App, with_page: bool) -> Router {
    let (routes, mut description) = described().split_for_parts();
    secured(&mut description);
    without_null(&mut description);
    let strict = if app.auth().over_tls() { headers::strict_over_tls } else { headers::strict };
    let pages = match with_page {
        true => web::routes().merge(login::routes()),
        false => Router::new(),
    };
    let routes = routes
        .merge(pages)
        .route("/openapi.json", openapi_json(&description))
        .fallback(no_such_path)
        .method_not_allowed_fallback(wrong_method)
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(app.clone(), to_the_end))
        .layer(from_fn_with_state(app.clone(), gate))
        .layer(CatchPanicLayer::custom(panicked));
    let routes = match with_page {
        true => routes.layer(from_fn_with_state(app.clone(), web::explain)),
        false => routes,
    };
    routes
        .layer(map_response(move |response| async move { strict(response) }))
        .layer(from_fn(accompany))
        .with_state(app)
}

fn described() -> OpenApiRouter<App> {
    OpenApiRouter::with_openapi(Described::openapi())
        .merge(health::routes())
        .merge(metrics::routes())
        .nest("/api/v1", api::routes())
}

fn openapi_json(description: &openapi::OpenApi) -> axum::routing::MethodRouter<App> {
    // It is made of names and texts, all of which JSON has room for.
    let json = description.to_json().unwrap_or_default();
    get(move || async move { ([(CONTENT_TYPE, "application/json")], json) })
}
