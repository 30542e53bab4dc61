//! OpenAPI schemas of names and leases, for this project's own crates.

use steadfast::__private::openapi::duration;
use utoipa::openapi::schema::{ObjectBuilder, Type};

use crate::MAX_LEASE;

/// A name: 1 to 255 characters, none of them a control character.
#[derive(Debug)]
pub struct Name;

/// The duration of a lease, from a second to a day.
#[derive(Debug)]
pub struct Lease;

const NAME: &str = "A name: 1 to 255 characters, none of them a control character.";
const NAME_PATTERN: &str = r"^[^\u0000-\u001f\u007f-\u009f]{1,255}$";
const LEASE: &str =
    "The duration of a lease, from 1 second to 24 hours: a number of seconds, or a string";
const LEASE_PATTERN: &str = r"^([1-9][0-9]{0,3}s?|[1-9][0-9]{0,2}m|(1?[1-9]|10|2[0-4])h|1d)$";

steadfast::__private::openapi_schemas! {
    Name: {
        let text = ObjectBuilder::new().schema_type(Type::String).description(Some(NAME));
        text.pattern(Some(NAME_PATTERN)).build().into()
    };
    Lease: duration(LEASE, 1.0..=MAX_LEASE.as_secs_f64(), LEASE_PATTERN);
}
