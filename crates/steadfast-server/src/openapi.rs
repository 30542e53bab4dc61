//! The description of the API, made of the code that it describes.

use std::collections::BTreeMap;

use steadfast_api::ApiError;
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder};
use utoipa::{IntoResponses, OpenApi, ToSchema};

/// What is the same for all paths. The paths come from the routes.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Steadfast",
        description = "Tasks that are tried again: submit them, look at them, steer them, work \
                       on them. Durations are seconds or a text such as `1.5s`; times are RFC \
                       3339. Every error is a problem of RFC 9457 that says what next."
    ),
    components(schemas(ApiError))
)]
pub(crate) struct Described;

/// The answer to whatever goes wrong.
pub(crate) struct Problems;

impl IntoResponses for Problems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let problem = Ref::from_schema_name(ApiError::name());
        let content = ContentBuilder::new().schema(Some(problem)).build();
        let response = ResponseBuilder::new()
            .description("What is wrong, where it is, and what next")
            .content("application/problem+json", content)
            .build();
        BTreeMap::from([("default".to_owned(), RefOr::T(response))])
    }
}
