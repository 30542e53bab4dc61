//! The description of the API, made of the code that it describes.

use std::collections::BTreeMap;

use steadfast_api::{ApiError, Outcome};
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{SchemaType, Type};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ContentBuilder, OpenApi as Description, PathItem, Ref, RefOr, Response, ResponseBuilder, Schema,
};
use utoipa::{IntoResponses, OpenApi, ToSchema};

use crate::auth::route_roles::Audience;

/// What is the same for all paths. The paths come from the routes.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Steadfast",
        description = "Tasks that are tried again: submit them, look at them, steer them, work \
                       on them. Durations are seconds or a text such as `1.5s`; times are RFC \
                       3339. Every error is a problem of RFC 9457 that says what next."
    ),
    components(schemas(ApiError, Outcome))
)]
pub(crate) struct Described;

/// The answer to whatever goes wrong.
pub(crate) struct Problems;

impl IntoResponses for Problems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let response = problem("What is wrong, where it is, and what next");
        BTreeMap::from([("default".to_owned(), RefOr::T(response))])
    }
}

fn problem(description: &str) -> Response {
    let problem = Ref::from_schema_name(ApiError::name());
    let content = ContentBuilder::new().schema(Some(problem)).build();
    ResponseBuilder::new()
        .description(description)
        .content("application/problem+json", content)
        .build()
}

/// The name of the scheme by which somebody says who they are.
const BEARER: &str = "bearer";

/// Says of everything else that it takes a token, and what happens without one.
pub(crate) fn secured(description: &mut Description) {
    let token = Http::builder().scheme(HttpAuthScheme::Bearer).description(Some(
        "A token of the server's tokens file; a server without one serves its own machine alone, \
         and asks nobody",
    ));
    let components = description.components.get_or_insert_default();
    components.add_security_scheme(BEARER, SecurityScheme::Http(token.build()));
    let paths = description.paths.paths.iter_mut();
    let closed = paths.filter(|(path, _)| !Audience::of(path).is_open);
    for operation in closed.flat_map(|(_, item)| operations(item)) {
        let needed = SecurityRequirement::new(BEARER, Vec::<String>::new());
        operation.security = Some(vec![needed]);
        let responses = &mut operation.responses.responses;
        responses.insert("401".to_owned(), problem("Nobody knows who asks").into());
        responses.insert("403".to_owned(), problem("Whoever asks may not do this").into());
    }
}

/// A parameter that need not be there is left out: in an address, `null` is a text of four letters.
pub(crate) fn without_null(description: &mut Description) {
    let paths = description.paths.paths.values_mut();
    let parameters = paths.flat_map(operations).filter_map(|it| it.parameters.as_mut()).flatten();
    let schemas = parameters.filter_map(|parameter| match parameter {
        RefOr::T(parameter) => parameter.schema.as_mut(),
        RefOr::Ref(_) => None,
    });
    for schema in schemas {
        match schema {
            RefOr::T(Schema::Object(object)) => {
                if let SchemaType::Array(types) = &mut object.schema_type {
                    types.retain(|one| *one != Type::Null);
                }
            }
            RefOr::T(Schema::OneOf(one_of)) => {
                one_of.items.retain(|item| !is_null(item));
            }
            _ => {}
        }
    }
}

fn is_null(schema: &RefOr<Schema>) -> bool {
    let null = SchemaType::Type(Type::Null);
    matches!(schema, RefOr::T(Schema::Object(object)) if object.schema_type == null)
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [&mut item.get, &mut item.put, &mut item.post, &mut item.delete, &mut item.patch]
        .into_iter()
        .flatten()
}
