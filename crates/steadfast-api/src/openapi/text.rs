//! Texts of a certain shape: names, times and how long something lasts.

use serde::Serialize;
use steadfast_store::MAX_LEASE;
use utoipa::openapi::schema::{
    AnyOfBuilder, KnownFormat, ObjectBuilder, OneOfBuilder, SchemaFormat, Type,
};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// A text of this shape.
macro_rules! text {
    ($(#[doc = $doc:literal] $schema:ident: $pattern:expr;)*) => {$(
        #[doc = $doc]
        #[derive(Debug, Serialize)]
        pub struct $schema;

        impl PartialSchema for $schema {
            fn schema() -> RefOr<Schema> {
                let text = ObjectBuilder::new().schema_type(Type::String);
                text.description(Some($doc.trim())).pattern(Some($pattern)).build().into()
            }
        }

        impl ToSchema for $schema {}
    )*};
}

/// The longest duration that there is, in seconds: the greatest number below 2⁶⁴.
const LONGEST: f64 = 18_446_744_073_709_549_568.0;
const DURATION: &str = r"^([0-9]{1,6}(\.[0-9]{1,3})?(ms|s|m|h)?|[0-9]{1,6}d)$";
/// The same, and whatever is answered that no number can say exactly.
const LASTING: &str =
    r"^([0-9]{1,6}(\.[0-9]{1,3})?(ms|s|m|h)?|[0-9]{1,14}[mhd]|[0-9]{1,20}(\.[0-9]{1,9})?s)$";
const HINT: &str = r"^(stop|[0-9]{1,6}(\.[0-9]{1,3})?(ms|s|m|h)?|[0-9]{1,6}d)$";
const LEASE: &str = r"^([1-9][0-9]{0,3}s?|[1-9][0-9]{0,2}m|(1?[1-9]|10|2[0-4])h|1d)$";

text! {
    /// A name: 1 to 255 characters, none of them a control character.
    Name: r"^[^\u0000-\u001f\u007f-\u009f]{1,255}$";
    /// A UUID of version 7.
    TaskId: "^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$";
}

/// A time, or how long from now.
#[derive(Debug, Serialize)]
pub struct Moment;

impl PartialSchema for Moment {
    fn schema() -> RefOr<Schema> {
        let text = || ObjectBuilder::new().schema_type(Type::String);
        let time = text().format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)));
        let either = AnyOfBuilder::new().item(time).item(text().pattern(Some(DURATION)));
        let either = either.description(Some(
            "A time such as `2026-07-01T08:00:00Z`, or how long from now, such as `90s`, `2h` or `7d`",
        ));
        RefOr::T(Schema::AnyOf(either.build()))
    }
}

impl ToSchema for Moment {}

/// How long, as it is asked for: seconds as a number, or a text with its unit.
#[derive(Debug, Serialize)]
pub struct Within;

impl PartialSchema for Within {
    fn schema() -> RefOr<Schema> {
        let told = "How long: seconds as a number, or a text such as `500ms`, `10m` or `7d`";
        how_long(told, (0.0, LONGEST), DURATION)
    }
}

impl ToSchema for Within {}

/// The same as it is answered, which may be longer than anybody can ask for.
#[derive(Debug, Serialize)]
pub struct Lasting;

impl PartialSchema for Lasting {
    fn schema() -> RefOr<Schema> {
        how_long(
            "How long: seconds as a number, or a text such as `500ms`, `10m` or `7d`",
            (0.0, LONGEST),
            LASTING,
        )
    }
}

impl ToSchema for Lasting {}

/// When the other side said to come back: as [`Lasting`], or never (`stop`).
#[derive(Debug, Serialize)]
pub struct Hint;

impl PartialSchema for Hint {
    fn schema() -> RefOr<Schema> {
        how_long(
            "When to come back: seconds, a text such as `10m`, or `stop` for never",
            (0.0, LONGEST),
            HINT,
        )
    }
}

impl ToSchema for Hint {}

/// How long a lease lasts: a second at least, a day at most.
#[derive(Debug, Serialize)]
pub struct Lease;

impl PartialSchema for Lease {
    fn schema() -> RefOr<Schema> {
        let told = "How long a lease lasts, a second at least, 24 hours at most: as a number of \
                    seconds, or a text";
        how_long(told, (1.0, MAX_LEASE.as_secs_f64()), LEASE)
    }
}

impl ToSchema for Lease {}

fn how_long(description: &str, (shortest, longest): (f64, f64), pattern: &str) -> RefOr<Schema> {
    let seconds = ObjectBuilder::new().schema_type(Type::Number);
    let seconds = seconds.minimum(Some(shortest)).maximum(Some(longest));
    let text = ObjectBuilder::new().schema_type(Type::String).pattern(Some(pattern));
    let either = OneOfBuilder::new().item(seconds).item(text).description(Some(description));
    RefOr::T(Schema::OneOf(either.build()))
}
