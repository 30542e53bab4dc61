//! The OpenAPI description, generated from the routes.

use steadfast_api::{ApiError, Outcome};
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{SchemaType, Type};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ContentBuilder, OpenApi as Description, PathItem, Ref, RefOr, Response, ResponseBuilder, Schema,
};
use utoipa::{OpenApi, ToSchema};

use crate::auth::RouteAccess;

/// The parts that are not generated from routes.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Steadfast",
        description = "Durable tasks with retries: submit, inspect, control and process them. Durations \
                       are seconds or strings such as `1.5s`; timestamps are RFC 3339. Every error \
                       is an RFC 9457 problem that says what to do next."
    ),
    components(schemas(ApiError, Outcome))
)]
pub(crate) struct ApiDescription;

fn problem(description: &str) -> Response {
    let problem = Ref::from_schema_name(ApiError::name());
    let content = ContentBuilder::new().schema(Some(problem)).build();
    ResponseBuilder::new()
        .description(description)
        .content("application/problem+json", content)
        .build()
}

const BEARER: &str = "bearer";

/// Adds the error response to all operations that can fail.
pub(crate) fn add_error_responses(description: &mut Description) {
    let paths = description.paths.paths.iter_mut().filter(|(path, _)| *path != "/healthz");
    for operation in paths.flat_map(|(_, item)| operations(item)) {
        let error = problem("An error: what is wrong, where, and what to do next");
        operation.responses.responses.insert("default".to_owned(), error.into());
    }
}

/// Adds the token requirement and its error responses to all operations that are not public.
pub(crate) fn add_security(description: &mut Description) {
    let token = Http::builder().scheme(HttpAuthScheme::Bearer).description(Some(
        "A token of the server's tokens file; a server without one serves loopback clients only, \
         without authentication",
    ));
    let components = description.components.get_or_insert_default();
    components.add_security_scheme(BEARER, SecurityScheme::Http(token.build()));
    let paths = description.paths.paths.iter_mut();
    let protected = paths.filter(|(path, _)| !RouteAccess::of(path).is_public);
    for operation in protected.flat_map(|(_, item)| operations(item)) {
        let requirement = SecurityRequirement::new(BEARER, Vec::<String>::new());
        operation.security = Some(vec![requirement]);
        let responses = &mut operation.responses.responses;
        responses
            .insert("401".to_owned(), problem("Missing, invalid, revoked or expired token").into());
        responses
            .insert("403".to_owned(), problem("The role of the token does not allow this").into());
    }
}

/// Removes `null` from the types of optional parameters: in a URL, `null` is a string.
pub(crate) fn remove_null_parameters(description: &mut Description) {
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
