//! The schemas of what comes from other crates, for OpenAPI.
//!
//! Tasks, faults and policies belong to crates that know nothing of HTTP and should not learn of
//! it. So what they look like as JSON is said here, in types that are never made: names are
//! taken from the code, shapes are written down again, and the server's tests hold real answers
//! against them.

use std::collections::HashMap;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value};
use steadfast::guard::breaker;
use steadfast::observe;
use steadfast_store::LONGEST_LEASE;
use utoipa::openapi::schema::{
    AllOfBuilder, AnyOfBuilder, KnownFormat, ObjectBuilder, OneOfBuilder, SchemaFormat, Type,
};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

const WISHES: [steadfast_store::BreakerWish; 3] = [
    steadfast_store::BreakerWish::Open,
    steadfast_store::BreakerWish::Close,
    steadfast_store::BreakerWish::Isolate,
];

const STATES: [breaker::BreakerState; 4] = [
    breaker::BreakerState::Closed,
    breaker::BreakerState::Open,
    breaker::BreakerState::HalfOpen,
    breaker::BreakerState::Isolated,
];

/// A text that is one of these names.
macro_rules! one_of {
    ($(#[doc = $doc:literal] $schema:ident: $names:expr;)*) => {$(
        #[doc = $doc]
        #[derive(Debug, Serialize)]
        pub struct $schema;

        impl PartialSchema for $schema {
            fn schema() -> RefOr<Schema> {
                one_of($doc.trim(), $names)
            }
        }

        impl ToSchema for $schema {}
    )*};
}

fn one_of(description: &str, names: impl IntoIterator<Item = &'static str>) -> RefOr<Schema> {
    let text = ObjectBuilder::new().schema_type(Type::String).description(Some(description));
    text.enum_values(Some(names)).build().into()
}

one_of! {
    /// Where a task is.
    Status: steadfast_store::Status::ALL.map(steadfast_store::Status::name);
    /// Where an execution is.
    ExecutionStatus: steadfast_store::ExecutionStatus::ALL.map(steadfast_store::ExecutionStatus::name);
    /// Where a node of an execution is.
    NodePlace: steadfast_flow::NodePlace::ALL.map(steadfast_flow::NodePlace::name);
    /// What a failure means.
    Class: steadfast::Class::ALL.map(steadfast::Class::name);
    /// What an event tells of.
    EventType: observe::EventType::ALL.map(observe::EventType::name);
    /// What somebody wants of a breaker.
    BreakerWish: WISHES.map(steadfast_store::BreakerWish::name);
    /// What sort of failure it was.
    FaultKind: steadfast::Kind::ALL.iter().map(|kind| kind.name());
    /// The name of a status code of gRPC.
    GrpcStatus: (0..=16).filter_map(steadfast::GrpcCode::from_number).map(steadfast::GrpcCode::name);
    /// Where a breaker stands.
    BreakerState: STATES.map(breaker::BreakerState::as_str);
}

/// Why something was given up: `final`, `attempts_exhausted`, `out_of_time` and others.
#[derive(Debug, Serialize, ToSchema)]
pub struct Reason(String);

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
    r"^([0-9]{1,6}(\.[0-9]{1,3})?(ms|s|m|h)?|[0-9]{1,14}[mhd]|[0-9]{1,19}(\.[0-9]{1,9})?s)$";
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

/// How long: seconds as a number, or a text with its unit.
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
        how_long(told, (1.0, LONGEST_LEASE.as_secs_f64()), LEASE)
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

/// Steps that wait for each other, as `docs/workflows.md` has them.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Workflow {
    /// What it is called. Versions of it share the name.
    pub name: Name,
    /// The queue of its nodes' tasks.
    pub queue: Option<Name>,
    /// How a whole execution is tried again.
    #[schema(value_type = Option<Object>)]
    pub retry: Option<Map<String, Value>>,
    /// The steps.
    #[schema(min_items = 1, max_items = 1000)]
    pub nodes: Vec<WorkflowNode>,
}

/// One step of a workflow.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkflowNode {
    /// What it is called in its workflow.
    pub node_id: Name,
    /// Who does it, unless `subType` says so.
    #[serde(rename = "type")]
    pub kind: Name,
    /// Who does it: `http` or `api-call`, `command`, or a handler of that name.
    pub sub_type: Option<Name>,
    /// Its own queue.
    pub queue: Option<Name>,
    /// The nodes that must have completed before.
    #[serde(default)]
    #[schema(max_items = 1000)]
    pub depends_on: Vec<Name>,
    /// What it is asked to do. It may refer to the trigger, and to what nodes before it answered.
    #[schema(value_type = Option<Object>)]
    pub config: Option<Map<String, Value>>,
    /// How it is tried again.
    #[schema(value_type = Option<Object>)]
    pub retry: Option<Map<String, Value>>,
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

/// Who did it.
#[derive(Debug, Serialize, ToSchema)]
pub struct By {
    /// Who.
    pub actor: String,
    /// From where, if that is known.
    pub from: Option<String>,
}

/// One thing that somebody did.
#[derive(Debug, Serialize, ToSchema)]
pub struct AuditEntry {
    /// Its number, which only grows.
    pub number: Option<i64>,
    /// When.
    pub at: Option<Timestamp>,
    /// Who.
    pub by: By,
    /// What: `task.cancel`, `queue.pause`.
    pub action: String,
    /// To what: a task's id, a queue's name.
    pub target: Option<String>,
    /// What else there is to know.
    pub detail: Value,
}

/// How something is tried again: the fields of a policy, as in a policy file. Of one that is
/// answered, every value is there.
#[derive(Debug, Serialize, ToSchema)]
pub struct Policy {
    /// Its name. Of one that is sent, a number is the name that its digits make.
    pub id: Option<PolicyId>,
    /// All its other fields.
    #[serde(flatten)]
    pub fields: HashMap<String, Value>,
}

/// The name of a policy.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum PolicyId {
    /// As it is answered.
    Text(String),
    /// As it may be sent.
    Number(f64),
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
        RefOr::T(Schema::AllOf(whole.build()))
    }
}

impl ToSchema for RequeueChosen {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        crate::RequeueMany::schemas(schemas);
    }
}

fn one_value(value: bool) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Boolean).enum_values(Some([value]))
}

/// Which policy: the name of one, or its fields.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum PolicyChoice {
    /// The one of this name.
    Named(String),
    /// This one.
    Given(Policy),
}

/// How one instance's breaker of one policy stands.
#[derive(Debug, Serialize, ToSchema)]
pub struct BreakerReport {
    /// The policy whose sessions share it.
    pub policy: String,
    /// Whose it is.
    pub instance: String,
    /// When the instance last wrote it down.
    pub seen_at: Option<Timestamp>,
    /// Where it stands.
    pub state: BreakerState,
    /// How many failures count towards opening it, or opened it.
    pub failure_count: u64,
    /// How many in a row open it; nothing if it opens by a rate.
    pub threshold: Option<u32>,
    /// How long it stays open.
    pub timeout: Lasting,
    /// When the last failure was.
    pub last_failure_time: Option<Timestamp>,
    /// When its state last changed.
    pub last_state_change: Option<Timestamp>,
    /// When it lets a probe through, if it is open.
    pub next_probe_at: Option<Timestamp>,
}

/// How one instance's budget of one policy stands.
#[derive(Debug, Serialize, ToSchema)]
pub struct BudgetReport {
    /// The policy whose sessions share it.
    pub policy: String,
    /// Whose it is.
    pub instance: String,
    /// When the instance last wrote it down.
    pub seen_at: Option<Timestamp>,
    /// How many retries it would grant at once.
    pub balance: u64,
    /// How much it allows.
    pub settings: BudgetSettings,
}

/// How much retrying a budget allows, as a policy says it: so many retries a second; or so many for
/// each success of the last while, and a few a second besides; or tokens.
#[derive(Debug, Serialize, ToSchema)]
pub struct BudgetSettings {
    /// Retries a second.
    pub retries_per_second: Option<f64>,
    /// Retries for each success.
    pub ratio: Option<f64>,
    /// Retries a second that need no success.
    pub min_per_second: Option<f64>,
    /// How long a success counts.
    pub window: Option<Lasting>,
    /// The tokens that it starts with and never exceeds.
    pub max_tokens: Option<u32>,
    /// What a success gives back, and a second that passes.
    pub token_ratio: Option<f64>,
}

/// The last thing that somebody wanted of a policy's breaker.
#[derive(Debug, Serialize, ToSchema)]
pub struct BreakerOrder {
    /// Greater than that of every order before it.
    pub number: i64,
    /// Whose breaker.
    pub policy: String,
    /// What is wanted.
    pub wish: BreakerWish,
    /// Who wants it.
    pub by: By,
    /// Since when.
    pub at: Timestamp,
}

/// One event of a session.
#[derive(Debug, Serialize, ToSchema)]
pub struct Event {
    /// No other event has it.
    pub event_id: String,
    /// What it tells of.
    pub event_type: EventType,
    /// When.
    pub timestamp: Timestamp,
    /// Follows one request through several systems.
    pub correlation_id: String,
    /// The session; a task's session is its id.
    pub session_id: String,
    /// The policy it runs under.
    pub policy_id: String,
    /// What is tried: a task's kind, an operation's name.
    pub operation: String,
    /// The number of the attempt.
    pub attempt: Option<u32>,
    /// How many attempts there may be.
    pub max_attempts: Option<u32>,
    /// How long is waited before this attempt, in seconds.
    pub delay: Option<f64>,
    /// What went wrong.
    #[schema(value_type = Option<Object>)]
    pub error: Option<Map<String, Value>>,
    /// The part of the program that tells it.
    pub component: String,
    /// Whatever else is worth telling.
    #[schema(value_type = Option<Object>)]
    pub context: Option<Map<String, Value>>,
    /// Why a session ended without success.
    pub reason: Option<Reason>,
    /// Why it was decided so.
    #[schema(value_type = Option<Object>)]
    pub why: Option<Map<String, Value>>,
}

/// How all sessions went that ended within a window.
#[derive(Debug, Serialize, ToSchema)]
pub struct Figures {
    /// When the window begins.
    pub time_window_start: Timestamp,
    /// When the window ends.
    pub time_window_end: Timestamp,
    /// How many sessions ended in it.
    pub total_sessions: u64,
    /// How many of them with success.
    pub successful_sessions: u64,
    /// How many of them without.
    pub failed_sessions: u64,
    /// How many attempts they made together.
    pub total_attempts: u64,
    /// How many each made on average.
    pub average_attempts_per_session: f64,
    /// The most that one of them made.
    pub max_attempts_in_session: u64,
    /// How long they took together, in seconds.
    pub total_duration: f64,
    /// How long each took on average, in seconds.
    pub average_duration_per_session: f64,
    /// The same by policy.
    pub by_policy: HashMap<String, Share>,
    /// The same by subsystem: what an operation or a kind begins with, up to the first dot.
    pub by_subsystem: HashMap<String, Share>,
}

/// The figures of one policy or subsystem.
#[derive(Debug, Serialize, ToSchema)]
pub struct Share {
    /// How many sessions.
    pub sessions: u64,
    /// How many of them ended with success, from 0.0 to 1.0.
    pub success_rate: f64,
    /// How many attempts each made on average.
    pub average_attempts: f64,
}

/// One session of a process or of a task, with all its attempts.
#[derive(Debug, Serialize, ToSchema)]
pub struct Session {
    /// No other session has it.
    pub session_id: String,
    /// The policy it ran under.
    pub policy_id: String,
    /// What was tried.
    pub operation: String,
    /// When it began.
    pub start_time: Timestamp,
    /// When it ended, if it has.
    pub end_time: Option<Timestamp>,
    /// Its attempts, the first first.
    pub attempts: Vec<AttemptRecord>,
    /// What it ended with, if it was kept.
    pub final_result: Option<Value>,
    /// What went wrong last.
    #[schema(value_type = Option<Object>)]
    pub final_error: Option<Map<String, Value>>,
    /// Whether it ended with success.
    pub success: bool,
    /// Whatever else is worth knowing.
    #[schema(value_type = Option<Object>)]
    pub context: Option<Map<String, Value>>,
    /// Why it ended without success.
    pub reason: Option<Reason>,
    /// Follows one request through several systems.
    pub correlation_id: Option<String>,
    /// How many of its first attempts were not kept.
    pub forgotten_attempts: Option<u64>,
    /// How many attempts were kept.
    pub total_attempts: u64,
    /// How long it took, in seconds.
    pub total_duration: Option<f64>,
    /// How many of the attempts were retries.
    pub retry_count: u64,
}

/// One attempt of a session.
#[derive(Debug, Serialize, ToSchema)]
pub struct AttemptRecord {
    /// Its number, from 1.
    pub attempt_number: u32,
    /// When it began.
    pub timestamp: Timestamp,
    /// How long was waited before it, in seconds.
    pub delay: f64,
    /// What went wrong.
    #[schema(value_type = Option<Object>)]
    pub error: Option<Map<String, Value>>,
    /// Whether it succeeded.
    pub success: bool,
    /// How long it took, in seconds.
    pub duration: f64,
    /// Whatever else is worth knowing.
    #[schema(value_type = Option<Object>)]
    pub context: Option<Map<String, Value>>,
    /// All facts of what went wrong.
    pub fault: Option<Fault>,
    /// What that means.
    pub class: Option<Class>,
    /// Why it was decided so.
    #[schema(value_type = Option<Object>)]
    pub why: Option<Map<String, Value>>,
}

/// A name that a policy file maps to a policy.
#[derive(Debug, Serialize, ToSchema)]
pub struct MappedName {
    /// `subsystem.operation.case`.
    pub name: String,
    /// The policy's id.
    pub policy: String,
}
