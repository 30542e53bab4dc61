//! Prometheus metrics (O3).

use crate::exposition::Exposition;
use crate::program;

/// O3: the text is valid for Prometheus, and every metric has a help text.
#[test]
fn metrics_are_valid_prometheus_text() {
    let read = Exposition::read(&program::observed().metrics);
    for family in read.types.keys() {
        assert!(read.helps.contains(family), "{family} means nothing");
    }
}

/// O3: events are counted, and gauges report the state of the store.
#[test]
fn metrics_count_events_and_store_state() {
    let read = Exposition::read(&program::observed().metrics);
    let at_least = |least: f64, name: &str, labels: &[(&str, &str)]| {
        let value = read.value(name, labels);
        assert!(value >= least, "{name}{labels:?} is {value}");
    };
    let (default, elsewhere) = (("queue", "default"), ("queue", "elsewhere"));
    at_least(2.0, "steadfast_tasks_submitted_total", &[default]);
    at_least(3.0, "steadfast_tasks_claimed_total", &[default]);
    at_least(3.0, "steadfast_task_lateness_seconds_count", &[default]);
    at_least(2.0, "steadfast_task_attempts_total", &[default, ("class", "retryable")]);
    at_least(1.0, "steadfast_task_attempts_total", &[default, ("outcome", "success")]);
    at_least(1.0, "steadfast_task_give_ups_total", &[default, ("reason", "attempts_exhausted")]);
    at_least(1.0, "steadfast_tasks_ended_total", &[default, ("outcome", "completed")]);
    at_least(1.0, "steadfast_task_duration_seconds_count", &[default, ("outcome", "failed")]);
    at_least(1.0, "steadfast_task_retry_delay_seconds_count", &[default]);
    at_least(3.0, "steadfast_attempt_duration_seconds_count", &[("kind", "http")]);
    at_least(1.0, "steadfast_leases_lost_total", &[elsewhere]);

    at_least(1.0, "steadfast_tasks", &[("status", "completed")]);
    at_least(0.0, "steadfast_queue_tasks", &[elsewhere, ("status", "pending")]);
    at_least(0.0, "steadfast_tasks_due", &[("within", "1h")]);
    // Since a task was left, before everything else.
    at_least(1e-6, "steadfast_oldest_due_age_seconds", &[]);
    at_least(1.0, "steadfast_workers", &[("state", "heard")]);
    at_least(0.0, "steadfast_workers", &[("state", "silent")]);
    at_least(1.0, "steadfast_breakers", &[("policy", "guarded"), ("state", "open")]);
    at_least(1.0, "steadfast_budget_balance", &[("policy", "guarded")]);
    at_least(1.0, "steadfast_store_up", &[]);
    at_least(1.0, "steadfast_policy_file_ok", &[]);

    let submit = [("method", "POST"), ("route", "/api/v1/tasks"), ("status", "201")];
    at_least(3.0, "steadfast_http_requests_total", &submit);
    at_least(3.0, "steadfast_http_request_duration_seconds_count", &submit[..2]);
    at_least(1.0, "steadfast_http_followers", &[]);
    at_least(1.0, "steadfast_build_info", &[("version", env!("CARGO_PKG_VERSION"))]);
    at_least(1e6, "process_resident_memory_bytes", &[]);
    at_least(3.0, "process_open_fds", &[]);
}
