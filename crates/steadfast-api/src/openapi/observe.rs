//! Events, sessions and the metrics summary.

use std::collections::HashMap;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value};
use steadfast::observe;
use utoipa::ToSchema;

use super::enums::string_enum;
use super::task::{Class, Fault, Reason};

string_enum! {
    /// The type of an event.
    EventType: observe::EventType::ALL.map(observe::EventType::name);
}

/// An event of a session.
#[derive(Debug, Serialize, ToSchema)]
pub struct Event {
    /// The unique id of the event.
    pub event_id: String,
    /// The type of the event.
    pub event_type: EventType,
    /// The time of the event.
    pub timestamp: Timestamp,
    /// The correlation id.
    pub correlation_id: String,
    /// The session; the session of a task is its id.
    pub session_id: String,
    /// The policy.
    pub policy_id: String,
    /// The operation: the kind of a task, or the name of an operation.
    pub operation: String,
    /// The number of the attempt.
    pub attempt: Option<u32>,
    /// The most attempts that the policy allows.
    pub max_attempts: Option<u32>,
    /// The delay before the attempt, in seconds.
    pub delay: Option<f64>,
    /// The error.
    #[schema(value_type = Option<Object>)]
    pub error: Option<Map<String, Value>>,
    /// The component that emitted the event.
    pub component: String,
    /// Additional context.
    #[schema(value_type = Option<Object>)]
    pub context: Option<Map<String, Value>>,
    /// Why the session failed.
    pub reason: Option<Reason>,
    /// Why the decision was made.
    #[schema(value_type = Option<Object>)]
    pub why: Option<Map<String, Value>>,
}

/// A summary of the sessions that ended in a time window.
#[derive(Debug, Serialize, ToSchema)]
pub struct MetricsSummary {
    /// The start of the window.
    pub time_window_start: Timestamp,
    /// The end of the window.
    pub time_window_end: Timestamp,
    /// Number of sessions.
    pub total_sessions: u64,
    /// Number of successful sessions.
    pub successful_sessions: u64,
    /// Number of failed sessions.
    pub failed_sessions: u64,
    /// Number of attempts of all sessions.
    pub total_attempts: u64,
    /// Average number of attempts per session.
    pub average_attempts_per_session: f64,
    /// The most attempts of one session.
    pub max_attempts_in_session: u64,
    /// Total duration of all sessions, in seconds.
    pub total_duration: f64,
    /// Average duration per session, in seconds.
    pub average_duration_per_session: f64,
    /// Statistics by policy.
    pub by_policy: HashMap<String, GroupStats>,
    /// Statistics by subsystem: the part of an operation or kind before the first dot.
    pub by_subsystem: HashMap<String, GroupStats>,
}

/// The statistics of one policy or subsystem.
#[derive(Debug, Serialize, ToSchema)]
pub struct GroupStats {
    /// Number of sessions.
    pub sessions: u64,
    /// The share of successful sessions, from 0 to 1.
    pub success_rate: f64,
    /// Average number of attempts per session.
    pub average_attempts: f64,
}

/// A session of a process or of a task, with its attempts.
#[derive(Debug, Serialize, ToSchema)]
pub struct Session {
    /// The unique id of the session.
    pub session_id: String,
    /// The policy.
    pub policy_id: String,
    /// The operation: the kind of a task, or the name of an operation.
    pub operation: String,
    /// The start of the session.
    pub start_time: Timestamp,
    /// The end of the session, if it has ended.
    pub end_time: Option<Timestamp>,
    /// The attempts in order.
    pub attempts: Vec<AttemptRecord>,
    /// The result, if it is stored.
    pub final_result: Option<Value>,
    /// The last error.
    #[schema(value_type = Option<Object>)]
    pub final_error: Option<Map<String, Value>>,
    /// Whether the session succeeded.
    pub success: bool,
    /// Additional context.
    #[schema(value_type = Option<Object>)]
    pub context: Option<Map<String, Value>>,
    /// Why the session failed.
    pub reason: Option<Reason>,
    /// The correlation id.
    pub correlation_id: Option<String>,
    /// Number of first attempts that are not stored.
    pub forgotten_attempts: Option<u64>,
    /// Number of stored attempts.
    pub total_attempts: u64,
    /// The duration of the session, in seconds.
    pub total_duration: Option<f64>,
    /// Number of retries among the attempts.
    pub retry_count: u64,
}

/// An attempt of a session.
#[derive(Debug, Serialize, ToSchema)]
pub struct AttemptRecord {
    /// The number of the attempt, from 1.
    pub attempt_number: u32,
    /// The start of the attempt.
    pub timestamp: Timestamp,
    /// The delay before the attempt, in seconds.
    pub delay: f64,
    /// The error.
    #[schema(value_type = Option<Object>)]
    pub error: Option<Map<String, Value>>,
    /// Whether the attempt succeeded.
    pub success: bool,
    /// The duration of the attempt, in seconds.
    pub duration: f64,
    /// Additional context.
    #[schema(value_type = Option<Object>)]
    pub context: Option<Map<String, Value>>,
    /// The facts of the failure.
    pub fault: Option<Fault>,
    /// The class of the fault.
    pub class: Option<Class>,
    /// Why the decision was made.
    #[schema(value_type = Option<Object>)]
    pub why: Option<Map<String, Value>>,
}
