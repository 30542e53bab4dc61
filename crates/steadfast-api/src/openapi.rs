//! OpenAPI schemas of JSON that has no type of its own here.

use serde_json::Value;
use steadfast::__private::openapi::DURATION_PATTERN;
pub use steadfast::__private::openapi::{AnyDuration, DurationInput};
use steadfast_store::Status;
pub use steadfast_store::openapi::{Lease, Name};
use utoipa::openapi::schema::{
    AllOfBuilder, AnyOfBuilder, KnownFormat, ObjectBuilder, SchemaFormat, SchemaType, Type,
};
use utoipa::openapi::{RefOr, Schema};

use crate::RequeueMany;

/// A time, or a delay from now.
#[derive(Debug)]
pub struct TimeInput;

/// A request to requeue tasks of a status, or all finished tasks.
#[derive(Debug)]
pub struct BulkRequeue;

steadfast::__private::openapi_schemas! {
    TimeInput: {
        let text = || ObjectBuilder::new().schema_type(Type::String);
        let time = text().format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)));
        let either = AnyOfBuilder::new().item(time).item(text().pattern(Some(DURATION_PATTERN)));
        let either = either.description(Some(
            "A time such as `2026-07-01T08:00:00Z`, or a delay from now such as `90s`, `2h` or `7d`",
        ));
        RefOr::T(Schema::AnyOf(either.build()))
    };
    BulkRequeue: {
        let is_true = ObjectBuilder::new().schema_type(Type::Boolean).enum_values(Some([true]));
        let all = ObjectBuilder::new().property("all", is_true).required("all");
        let status = ObjectBuilder::new()
            .property("status", ObjectBuilder::new().schema_type(Type::String))
            .required("status");
        let of_status = ObjectBuilder::new().property("filter", status).required("filter");
        let selection = AnyOfBuilder::new().item(all).item(of_status);
        let whole = AllOfBuilder::new().item(RequeueMany::schema()).item(selection);
        RefOr::T(Schema::AllOf(whole.item(only_ended()).build()))
    }, parts of RequeueMany;
}

/// Only finished tasks can be requeued.
fn only_ended() -> ObjectBuilder {
    let ended = Status::ALL.into_iter().filter(|status| status.is_ended());
    let names = ended.map(|status| Value::from(status.name())).chain([Value::Null]);
    let status = ObjectBuilder::new().enum_values(Some(names));
    let status = status.schema_type(SchemaType::AnyValue);
    ObjectBuilder::new().property("filter", ObjectBuilder::new().property("status", status))
}
