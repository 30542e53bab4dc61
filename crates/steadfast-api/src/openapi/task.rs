//! Statuses, faults and leases of tasks.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::openapi::schema::{AllOfBuilder, AnyOfBuilder, ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::enums::string_enum;
use super::strings::Hint;

string_enum! {
    /// The status of a task.
    Status: steadfast_store::Status::ALL.map(steadfast_store::Status::name);
    /// The class of a fault.
    Class: steadfast::Class::ALL.map(steadfast::Class::name);
    /// The kind of a fault.
    FaultKind: steadfast::Kind::ALL.iter().map(|kind| kind.name());
    /// The name of a gRPC status code.
    GrpcStatus: (0..=16).filter_map(steadfast::GrpcCode::from_number).map(steadfast::GrpcCode::name);
}

/// Why a task or session failed, such as `final`, `attempts_exhausted` or `out_of_time`.
#[derive(Debug, Serialize, ToSchema)]
pub struct Reason(String);

/// The facts of a failure. Every field is optional.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// The kind of the failure, such as `timeout` or `connection_reset`.
    pub kind: Option<FaultKind>,
    /// The name of the error's type.
    #[serde(rename = "type")]
    pub type_name: Option<String>,
    /// The HTTP status code.
    #[schema(maximum = 65535)]
    pub http_status: Option<u16>,
    /// The SQLSTATE of a database error.
    pub sqlstate: Option<String>,
    /// The gRPC status code.
    pub grpc_status: Option<GrpcStatus>,
    /// The exit code of a process.
    pub exit_code: Option<i32>,
    /// When the other side allows a retry: a delay, or `stop` for never.
    pub hint: Option<Hint>,
    /// Whether the request may have taken effect despite the failure.
    #[serde(default)]
    pub unknown_outcome: bool,
    /// The error message.
    pub message: Option<String>,
    /// The causes, outermost first.
    #[serde(default)]
    #[schema(no_recursion)]
    pub causes: Vec<Fault>,
}

/// A failed attempt.
#[derive(Debug, Serialize, ToSchema)]
pub struct FaultRecord {
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// When it was recorded.
    pub at: Timestamp,
    /// The class of the fault.
    pub class: Class,
    /// The error message.
    pub message: String,
    /// The facts of the failure.
    pub fault: Fault,
    /// Why the decision was made: the rule, and the limit, guard or hint.
    #[schema(value_type = Option<Object>)]
    pub why: Option<Map<String, Value>>,
    /// The delay after the attempt, in seconds; `null` for the last one.
    pub next_delay: Option<f64>,
}

/// The lease of a running task.
#[derive(Debug, Serialize, ToSchema)]
pub struct HeldLease {
    /// The worker that holds the lease.
    pub owner: String,
    /// When the lease expires without a heartbeat.
    pub until: Timestamp,
    /// The fencing token.
    pub version: i64,
}

/// The last error, in short.
#[derive(Debug, Serialize, ToSchema)]
pub struct LastError {
    /// The class of the fault.
    pub class: Class,
    /// The error message.
    pub message: String,
}

/// A request to requeue tasks of a status, or all ended tasks.
#[derive(Debug, Serialize)]
pub struct BulkRequeue;

impl PartialSchema for BulkRequeue {
    fn schema() -> RefOr<Schema> {
        let all = ObjectBuilder::new().property("all", one_value(true)).required("all");
        let status = ObjectBuilder::new()
            .property("status", ObjectBuilder::new().schema_type(Type::String))
            .required("status");
        let of_status = ObjectBuilder::new().property("filter", status).required("filter");
        let selection = AnyOfBuilder::new().item(all).item(of_status);
        let whole = AllOfBuilder::new().item(crate::RequeueMany::schema()).item(selection);
        RefOr::T(Schema::AllOf(whole.item(only_ended()).build()))
    }
}

impl ToSchema for BulkRequeue {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        crate::RequeueMany::schemas(schemas);
    }
}

/// Only ended tasks can be requeued.
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
