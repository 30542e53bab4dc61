//! Schemas of string enums.

use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};

/// Defines schemas of strings with these values.
macro_rules! string_enum {
    ($(#[doc = $doc:literal] $schema:ident: $names:expr;)*) => {$(
        #[doc = $doc]
        #[derive(Debug, serde::Serialize)]
        pub struct $schema;

        impl utoipa::PartialSchema for $schema {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                $crate::openapi::enums::schema($doc.trim(), $names)
            }
        }

        impl utoipa::ToSchema for $schema {}
    )*};
}
pub(super) use string_enum;

pub(super) fn schema(
    description: &str,
    names: impl IntoIterator<Item = &'static str>,
) -> RefOr<Schema> {
    let text = ObjectBuilder::new().schema_type(Type::String).description(Some(description));
    text.enum_values(Some(names)).build().into()
}
