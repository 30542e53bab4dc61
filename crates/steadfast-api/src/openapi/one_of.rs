//! A text that is one of some names.

use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};

/// A text that is one of these names.
macro_rules! one_of {
    ($(#[doc = $doc:literal] $schema:ident: $names:expr;)*) => {$(
        #[doc = $doc]
        #[derive(Debug, serde::Serialize)]
        pub struct $schema;

        impl utoipa::PartialSchema for $schema {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                $crate::openapi::one_of::named($doc.trim(), $names)
            }
        }

        impl utoipa::ToSchema for $schema {}
    )*};
}
pub(super) use one_of;

pub(super) fn named(
    description: &str,
    names: impl IntoIterator<Item = &'static str>,
) -> RefOr<Schema> {
    let text = ObjectBuilder::new().schema_type(Type::String).description(Some(description));
    text.enum_values(Some(names)).build().into()
}
