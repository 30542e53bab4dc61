//! Path parameter extractors.

use axum::extract::{FromRequestParts, Path};
use http::request::Parts;
use steadfast_api::{ApiError, ErrorKind};
use steadfast_store::{ExecutionId, TaskId};

use super::Problem;
use crate::app::App;

/// A queue or policy name.
pub(crate) struct PathName(pub(crate) String);

impl FromRequestParts<App> for PathName {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        match Path::from_request_parts(parts, app).await {
            Ok(Path(name)) => Ok(Self(name)),
            Err(error) => Err(ApiError::new(ErrorKind::Invalid, error.body_text())
                .next("percent-encode non-ASCII characters as UTF-8")
                .into()),
        }
    }
}

macro_rules! path_ids {
    ($($name:ident($id:ty))*) => {$(
        pub(crate) struct $name(pub(crate) $id);

        impl FromRequestParts<App> for $name {
            type Rejection = Problem;

            async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
                let PathName(text) = PathName::from_request_parts(parts, app).await?;
                Ok(Self(text.parse()?))
            }
        }
    )*};
}

path_ids! {
    PathTaskId(TaskId)
    PathExecutionId(ExecutionId)
}

pub(crate) struct PathWorkflowId(pub(crate) i64);

impl FromRequestParts<App> for PathWorkflowId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let PathName(text) = PathName::from_request_parts(parts, app).await?;
        text.parse().map(Self).map_err(|_| {
            ApiError::new(ErrorKind::Invalid, format!("`{text}` is not a workflow id"))
                .field("id")
                .next("list the workflows to see their ids")
                .into()
        })
    }
}
