//! A task, and what went wrong with it.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::openapi::schema::{AllOfBuilder, AnyOfBuilder, ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::one_of::one_of;
use super::text::Hint;

one_of! {
    /// Where a task is.
    Status: steadfast_store::Status::ALL.map(steadfast_store::Status::name);
    /// What a failure means.
    Class: steadfast::Class::ALL.map(steadfast::Class::name);
    /// What sort of failure it was.
    FaultKind: steadfast::Kind::ALL.iter().map(|kind| kind.name());
    /// The name of a status code of gRPC.
    GrpcStatus: (0..=16).filter_map(steadfast::GrpcCode::from_number).map(steadfast::GrpcCode::name);
}

/// Why something was given up: `final`, `attempts_exhausted`, `out_of_time` and others.
#[derive(Debug, Serialize, ToSchema)]
pub struct Reason(String);

/// The facts of a failure. Every one may be absent.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// What sort of failure it was: `timeout`, `connection_reset` and others.
    pub kind: Option<FaultKind>,
    /// The name of the error's type.
    #[serde(rename = "type")]
    pub type_name: Option<String>,
    /// The status of an HTTP answer.
    #[schema(maximum = 65535)]
    pub http_status: Option<u16>,
    /// The SQLSTATE of a database's error.
    pub sqlstate: Option<String>,
    /// The status code of a gRPC call.
    pub grpc_status: Option<GrpcStatus>,
    /// The exit code of a process.
    pub exit_code: Option<i32>,
    /// When the other side said to come back: a time, or `stop`.
    pub hint: Option<Hint>,
    /// Whether the request may have taken effect all the same.
    #[serde(default)]
    pub unknown_outcome: bool,
    /// The error's own words.
    pub message: Option<String>,
    /// What caused it, outermost first.
    #[serde(default)]
    #[schema(no_recursion)]
    pub causes: Vec<Fault>,
}

/// One failed attempt.
#[derive(Debug, Serialize, ToSchema)]
pub struct FaultRecord {
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// When it was written down.
    pub at: Timestamp,
    /// What it meant.
    pub class: Class,
    /// The error's own words.
    pub message: String,
    /// The facts.
    pub fault: Fault,
    /// Why it was decided as it was: the rule, and the limit, guard or hint.
    #[schema(value_type = Option<Object>)]
    pub why: Option<Map<String, Value>>,
    /// What was waited after it, in seconds; nothing if it was the last.
    pub next_delay: Option<f64>,
}

/// Who has a running task.
#[derive(Debug, Serialize, ToSchema)]
pub struct HeldLease {
    /// The worker.
    pub owner: String,
    /// Until when, unless it is kept alive.
    pub until: Timestamp,
    /// The number that its writes must carry.
    pub version: i64,
}

/// The last failure, in short.
#[derive(Debug, Serialize, ToSchema)]
pub struct LastError {
    /// What it meant.
    pub class: Class,
    /// The error's own words.
    pub message: String,
}

/// Which tasks are tried again, and how: those of a status, or all.
#[derive(Debug, Serialize)]
pub struct RequeueChosen;

impl PartialSchema for RequeueChosen {
    fn schema() -> RefOr<Schema> {
        let all = ObjectBuilder::new().property("all", one_value(true)).required("all");
        let status = ObjectBuilder::new()
            .property("status", ObjectBuilder::new().schema_type(Type::String))
            .required("status");
        let of_status = ObjectBuilder::new().property("filter", status).required("filter");
        let chosen = AnyOfBuilder::new().item(all).item(of_status);
        let whole = AllOfBuilder::new().item(crate::RequeueMany::schema()).item(chosen);
        RefOr::T(Schema::AllOf(whole.item(only_ended()).build()))
    }
}

impl ToSchema for RequeueChosen {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        crate::RequeueMany::schemas(schemas);
    }
}

/// What has not ended is not tried again.
fn only_ended() -> ObjectBuilder {
    let ended = steadfast_store::Status::ALL.into_iter().filter(|status| status.is_ended());
    let names = ended.map(|status| Value::from(status.name())).chain([Value::Null]);
    let status = ObjectBuilder::new().enum_values(Some(names));
    let status = status.schema_type(SchemaType::AnyValue);
    ObjectBuilder::new().property("filter", ObjectBuilder::new().property("status", status))
}

fn one_value(value: bool) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Boolean).enum_values(Some([value]))
}
