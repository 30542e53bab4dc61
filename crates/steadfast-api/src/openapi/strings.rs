//! Schemas of names, ids, times and durations.

use serde::Serialize;
use steadfast_store::MAX_LEASE;
use utoipa::openapi::schema::{
    AnyOfBuilder, KnownFormat, ObjectBuilder, OneOfBuilder, SchemaFormat, Type,
};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// Defines schemas of strings with these patterns.
macro_rules! string_pattern {
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

/// The largest duration in seconds: the greatest `f64` below 2⁶⁴.
const MAX_SECONDS: f64 = 18_446_744_073_709_549_568.0;
const DURATION_INPUT: &str = r"^([0-9]{1,6}(\.[0-9]{1,3})?(ms|s|m|h)?|[0-9]{1,6}d)$";
/// Durations in responses, with those that no number represents exactly.
const ANY_DURATION: &str =
    r"^([0-9]{1,6}(\.[0-9]{1,3})?(ms|s|m|h)?|[0-9]{1,14}[mhd]|[0-9]{1,20}(\.[0-9]{1,9})?s)$";
const HINT: &str = r"^(stop|[0-9]{1,6}(\.[0-9]{1,3})?(ms|s|m|h)?|[0-9]{1,6}d)$";
const LEASE: &str = r"^([1-9][0-9]{0,3}s?|[1-9][0-9]{0,2}m|(1?[1-9]|10|2[0-4])h|1d)$";

string_pattern! {
    /// A name: 1 to 255 characters, none of them a control character.
    Name: r"^[^\u0000-\u001f\u007f-\u009f]{1,255}$";
    /// A UUID of version 7.
    TaskId: "^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$";
}

/// A time, or a delay from now.
#[derive(Debug, Serialize)]
pub struct TimeInput;

impl PartialSchema for TimeInput {
    fn schema() -> RefOr<Schema> {
        let text = || ObjectBuilder::new().schema_type(Type::String);
        let time = text().format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)));
        let either = AnyOfBuilder::new().item(time).item(text().pattern(Some(DURATION_INPUT)));
        let either = either.description(Some(
            "A time such as `2026-07-01T08:00:00Z`, or a delay from now such as `90s`, `2h` or `7d`",
        ));
        RefOr::T(Schema::AnyOf(either.build()))
    }
}

impl ToSchema for TimeInput {}

/// A duration in requests: a number of seconds, or a string with a unit.
#[derive(Debug, Serialize)]
pub struct DurationInput;

impl PartialSchema for DurationInput {
    fn schema() -> RefOr<Schema> {
        let description =
            "A duration: a number of seconds, or a string such as `500ms`, `10m` or `7d`";
        duration(description, (0.0, MAX_SECONDS), DURATION_INPUT)
    }
}

impl ToSchema for DurationInput {}

/// A duration in responses, which may be longer than requests can set.
#[derive(Debug, Serialize)]
pub struct AnyDuration;

impl PartialSchema for AnyDuration {
    fn schema() -> RefOr<Schema> {
        duration(
            "A duration: a number of seconds, or a string such as `500ms`, `10m` or `7d`",
            (0.0, MAX_SECONDS),
            ANY_DURATION,
        )
    }
}

impl ToSchema for AnyDuration {}

/// When the other side allows a retry: a duration, or `stop` for never.
#[derive(Debug, Serialize)]
pub struct Hint;

impl PartialSchema for Hint {
    fn schema() -> RefOr<Schema> {
        duration(
            "The delay before a retry: a number of seconds, a string such as `10m`, or `stop` for never",
            (0.0, MAX_SECONDS),
            HINT,
        )
    }
}

impl ToSchema for Hint {}

/// The duration of a lease, from a second to a day.
#[derive(Debug, Serialize)]
pub struct Lease;

impl PartialSchema for Lease {
    fn schema() -> RefOr<Schema> {
        let description =
            "The duration of a lease, from 1 second to 24 hours: a number of seconds, or a string";
        duration(description, (1.0, MAX_LEASE.as_secs_f64()), LEASE)
    }
}

impl ToSchema for Lease {}

fn duration(description: &str, (min, max): (f64, f64), pattern: &str) -> RefOr<Schema> {
    let seconds = ObjectBuilder::new().schema_type(Type::Number);
    let seconds = seconds.minimum(Some(min)).maximum(Some(max));
    let text = ObjectBuilder::new().schema_type(Type::String).pattern(Some(pattern));
    let either = OneOfBuilder::new().item(seconds).item(text).description(Some(description));
    RefOr::T(Schema::OneOf(either.build()))
}
