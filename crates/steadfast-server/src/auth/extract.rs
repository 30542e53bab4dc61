//! The store, asked by whoever sent the request.
//!
//! What a handler takes is what it demands: [`Ask`] of somebody who may look, [`Operator`] of
//! somebody who may change something, [`Admin`] of somebody who may see what others did. So the
//! role stands in the handler's own signature, where nobody can forget to check it.

use axum::extract::FromRequestParts;
use http::request::Parts;
use steadfast_api::Local;

use crate::app::App;
use crate::auth::Role;
use crate::auth::caller::Caller;
use crate::http::problem::Problem;

/// What is asked by somebody who may at least look.
#[derive(Debug)]
pub(crate) struct Ask(pub(crate) Local);

/// What is asked by somebody who may at least steer.
#[derive(Debug)]
pub(crate) struct Operator(pub(crate) Local);

/// What is asked by somebody who may do everything.
#[derive(Debug)]
pub(crate) struct Admin(pub(crate) Local);

async fn asked(parts: &mut Parts, app: &App, needed: Role) -> Result<Local, Problem> {
    let caller = Caller::from_request_parts(parts, app).await?;
    caller.at_least(needed)?;
    Ok(app.asked_by(caller.by))
}

impl FromRequestParts<App> for Ask {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        Ok(Self(asked(parts, app, Role::Viewer).await?))
    }
}

impl FromRequestParts<App> for Operator {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        Ok(Self(asked(parts, app, Role::Operator).await?))
    }
}

impl FromRequestParts<App> for Admin {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        Ok(Self(asked(parts, app, Role::Admin).await?))
    }
}
