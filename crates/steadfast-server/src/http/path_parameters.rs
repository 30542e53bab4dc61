//! The parts of a path that name something.

use axum::extract::{FromRequestParts, Path};
use http::request::Parts;
use steadfast_api::{ApiError, ErrorKind};
use steadfast_store::{ExecutionId, TaskId};

use crate::app::App;
use crate::http::problem::Problem;

/// The name of a queue or a policy.
#[derive(Debug)]
pub(crate) struct Named(pub(crate) String);

impl FromRequestParts<App> for Named {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        match Path::from_request_parts(parts, app).await {
            Ok(Path(name)) => Ok(Self(name)),
            Err(error) => Err(ApiError::new(ErrorKind::Invalid, error.body_text())
                .next("write what is not ASCII as percent-encoded UTF-8")
                .into()),
        }
    }
}

/// The id of a task.
#[derive(Debug)]
pub(crate) struct Id(pub(crate) TaskId);

impl FromRequestParts<App> for Id {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let Named(text) = Named::from_request_parts(parts, app).await?;
        Ok(Self(text.parse()?))
    }
}

/// The id of an execution.
#[derive(Debug)]
pub(crate) struct Execution(pub(crate) ExecutionId);

impl FromRequestParts<App> for Execution {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let Named(text) = Named::from_request_parts(parts, app).await?;
        Ok(Self(text.parse()?))
    }
}

/// The number of a workflow.
#[derive(Debug)]
pub(crate) struct Number(pub(crate) i64);

impl FromRequestParts<App> for Number {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let Named(text) = Named::from_request_parts(parts, app).await?;
        text.parse().map(Self).map_err(|_| {
            ApiError::new(ErrorKind::Invalid, format!("`{text}` is no number of a workflow"))
                .field("id")
                .next("list workflows to see those there are")
                .into()
        })
    }
}
