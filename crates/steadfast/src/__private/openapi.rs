//! OpenAPI schemas of values whose JSON differs from their type, for this project's own crates.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use jiff::Timestamp;
use serde_json::{Map, Value};
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};
pub use utoipa::openapi::{RefOr, Schema};
pub use utoipa::{PartialSchema, ToSchema};

use crate::guard::BudgetSettings;
use crate::guard::budget::BudgetDraft;
use crate::observe::{AttemptRecord, ErrorRecord, Session};
use crate::{Hint, Policy, Reason};

/// Implements the traits of a schema for types: `Type: schema;`, or `Type: schema, parts of Document;`
/// if the schema refers to those of a document's fields.
#[doc(hidden)]
#[macro_export]
macro_rules! __openapi_schemas {
    ($($type:ty: $schema:expr $(, parts of $document:ty)?;)*) => {$(
        impl $crate::__private::openapi::PartialSchema for $type {
            fn schema() -> $crate::__private::openapi::RefOr<$crate::__private::openapi::Schema> {
                $schema
            }
        }

        impl $crate::__private::openapi::ToSchema for $type {
            $(fn schemas(schemas: &mut $crate::__private::openapi::Schemas) {
                <$document as $crate::__private::openapi::ToSchema>::schemas(schemas);
            })?
        }
    )*};
}

/// Schemas by name.
pub type Schemas = Vec<(String, RefOr<Schema>)>;

/// The largest duration in seconds: the greatest `f64` below 2⁶⁴.
const MAX_SECONDS: f64 = 18_446_744_073_709_549_568.0;
/// A duration in a request.
pub const DURATION_PATTERN: &str = r"^([0-9]{1,6}(\.[0-9]{1,3})?(ms|s|m|h)?|[0-9]{1,6}d)$";
/// A duration in a response, which a number may not represent exactly.
const ANY_DURATION: &str =
    r"^([0-9]{1,6}(\.[0-9]{1,3})?(ms|s|m|h)?|[0-9]{1,14}[mhd]|[0-9]{1,20}(\.[0-9]{1,9})?s)$";
const HINT: &str = r"^(stop|[0-9]{1,6}(\.[0-9]{1,3})?(ms|s|m|h)?|[0-9]{1,6}d)$";
const DURATION: &str =
    "A duration: a number of seconds, or a string such as `500ms`, `10m` or `7d`";
const RETRY_DELAY: &str =
    "The delay before a retry: a number of seconds, a string such as `10m`, or `stop` for never";

/// A duration in requests.
#[derive(Debug)]
pub struct DurationInput;

/// A duration in responses, which may be longer than requests can set.
#[derive(Debug)]
pub struct AnyDuration;

/// A retry policy with the fields of a policy file. A response has all fields.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct PolicyDocument {
    /// The id of the policy. In a request a number is accepted and read as a string.
    id: Option<PolicyId>,
    /// The other fields.
    #[serde(flatten)]
    fields: HashMap<String, Value>,
}

/// The id of a policy.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only its schema is used")]
#[serde(untagged)]
enum PolicyId {
    /// The id in responses.
    Text(String),
    /// Accepted in requests.
    Number(f64),
}

/// A session of a process or of a task, with its attempts.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct SessionDocument {
    /// The unique id of the session.
    session_id: String,
    /// The policy.
    policy_id: String,
    /// The operation: the kind of a task, or the name of an operation.
    operation: String,
    /// The start of the session.
    start_time: Timestamp,
    /// The end of the session, if it has ended.
    end_time: Option<Timestamp>,
    /// The attempts in order.
    attempts: Vec<AttemptRecord>,
    /// The result, if it is stored.
    final_result: Option<Value>,
    /// The last error.
    final_error: Option<ErrorRecord>,
    /// Whether the session succeeded.
    success: bool,
    /// Additional context.
    context: Option<Map<String, Value>>,
    /// Why the session failed.
    reason: Option<Reason>,
    /// The correlation id.
    correlation_id: Option<String>,
    /// The subsystem, if it differs from that of the operation.
    subsystem: Option<String>,
    /// Number of first attempts that are not stored.
    #[schema(required = false)]
    forgotten_attempts: u64,
    /// Number of stored attempts.
    total_attempts: u64,
    /// The duration of the session, in seconds.
    total_duration: Option<f64>,
    /// Number of retries among the attempts.
    retry_count: u64,
}

__openapi_schemas! {
    DurationInput: duration(DURATION, 0.0..=MAX_SECONDS, DURATION_PATTERN);
    AnyDuration: duration(DURATION, 0.0..=MAX_SECONDS, ANY_DURATION);
    Hint: duration(RETRY_DELAY, 0.0..=MAX_SECONDS, HINT);
    BudgetSettings: BudgetDraft::schema(), parts of BudgetDraft;
    Policy: PolicyDocument::schema(), parts of PolicyDocument;
    Session: SessionDocument::schema(), parts of SessionDocument;
}

/// A number of seconds, or a string of this pattern.
#[must_use]
pub fn duration(description: &str, seconds: RangeInclusive<f64>, pattern: &str) -> RefOr<Schema> {
    let number = ObjectBuilder::new().schema_type(Type::Number);
    let number = number.minimum(Some(*seconds.start())).maximum(Some(*seconds.end()));
    let text = ObjectBuilder::new().schema_type(Type::String).pattern(Some(pattern));
    let either = OneOfBuilder::new().item(number).item(text).description(Some(description));
    RefOr::T(Schema::OneOf(either.build()))
}
