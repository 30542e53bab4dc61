//! Role extractors: the API client of an authenticated caller with a minimum role.
//!
//! A handler declares the role it needs in its signature: [`Viewer`], [`Operator`] or [`Admin`]. The
//! check cannot be forgotten because the extractor is the only way to the store.

use axum::extract::FromRequestParts;
use http::request::Parts;
use steadfast_api::Local;

use super::{Caller, Role};
use crate::app::App;
use crate::http::Problem;

macro_rules! role_extractors {
    ($($(#[$doc:meta])* $role:ident)*) => {$(
        $(#[$doc])*
        pub(crate) struct $role(pub(crate) Local);

        impl FromRequestParts<App> for $role {
            type Rejection = Problem;

            async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
                let caller = Caller::from_request_parts(parts, app).await?;
                caller.require(Role::$role)?;
                Ok(Self(app.api_for(caller.actor)))
            }
        }
    )*};
}

role_extractors! {
    /// The API of a caller that may read.
    Viewer
    /// The API of a caller that may change tasks.
    Operator
    /// The API of a caller that may read the audit log.
    Admin
}
