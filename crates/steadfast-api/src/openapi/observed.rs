//! Events, sessions and figures.

use std::collections::HashMap;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value};
use steadfast::observe;
use utoipa::ToSchema;

use super::one_of::one_of;
use super::task::{Class, Fault, Reason};

one_of! {
    /// What an event tells of.
    EventType: observe::EventType::ALL.map(observe::EventType::name);
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
pub struct MetricsSummary {
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
    pub by_policy: HashMap<String, GroupStats>,
    /// The same by subsystem: what an operation or a kind begins with, up to the first dot.
    pub by_subsystem: HashMap<String, GroupStats>,
}

/// The figures of one policy or subsystem.
#[derive(Debug, Serialize, ToSchema)]
pub struct GroupStats {
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
