//! The store, asked by whoever sent the request.

use axum::extract::FromRequestParts;
use http::request::Parts;
use steadfast_api::Local;

use crate::app::App;
use crate::caller::Caller;
use crate::problem::Problem;

/// What a handler asks.
#[derive(Debug)]
pub(crate) struct Ask(pub(crate) Local);

impl FromRequestParts<App> for Ask {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let Caller(by) = Caller::from_request_parts(parts, app).await?;
        Ok(Self(app.asked_by(by)))
    }
}
