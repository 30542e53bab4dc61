//! The printed report. The records have all data as JSON.

use example_scraper::manager::RetryManager;
use jiff::Timestamp;
use serde_json::{Value, json};
use steadfast::observe::{GroupStats, Session};

/// The result of an operation for a page, in one line.
pub(crate) fn in_short(manager: &RetryManager, operation: &str, page: &str) -> String {
    let Some(session) = find(manager, operation, page) else {
        return "no record: its subsystem runs its legacy loop".to_owned();
    };
    let failed = session.attempts.iter().filter_map(|attempt| attempt.error.as_ref());
    let failed: Vec<_> = failed.map(|error| error.message.as_str()).collect();
    let waited: f64 = session.attempts.iter().map(|attempt| attempt.delay.as_secs_f64()).sum();
    let made = match session.total_attempts() {
        1 => "1 attempt".to_owned(),
        several => format!("{several} attempts, waited {waited:.2}s"),
    };
    if failed.is_empty() { made } else { format!("{made} ({})", failed.join(", ")) }
}

/// Prints one session, attempt by attempt, with the reasons.
pub(crate) fn whole(manager: &RetryManager, operation: &str, page: &str) {
    let Some(session) = find(manager, operation, page) else { return };
    let took = session.total_duration().unwrap_or_default().as_secs_f64();
    let end = if session.success { "success" } else { "failure" };
    println!("{operation} of {page}, policy {}: {end} after {took:.2}s", session.policy_id);
    for attempt in &session.attempts {
        let (waited, took) = (attempt.delay.as_secs_f64(), attempt.duration.as_secs_f64());
        let how = attempt.error.as_ref().map_or("success".to_owned(), ToString::to_string);
        println!("  {}  waited {waited:.2}s, took {took:.2}s: {how}", attempt.attempt_number);
        if let Some(why) = &attempt.why {
            println!("     {why}");
        }
    }
}

/// Prints the metrics, in total and by subsystem. The records also have them by policy.
pub(crate) fn figures(manager: &RetryManager) {
    let figures = manager.figures(Timestamp::now());
    println!(
        "{} sessions: {} successful, {} failed; {} attempts, {:.2} on average, at most {}",
        figures.total_sessions,
        figures.successful_sessions,
        figures.failed_sessions,
        figures.total_attempts,
        figures.average_attempts_per_session,
        figures.max_attempts_in_session,
    );
    println!("  {:<12}{:>9}{:>14}{:>18}", "", "sessions", "success_rate", "average_attempts");
    for (name, GroupStats { sessions, success_rate, average_attempts, .. }) in &figures.by_subsystem
    {
        println!("  {name:<12}{sessions:>9}{success_rate:>14.2}{average_attempts:>18.2}");
    }
}

/// All records.
pub(crate) fn records(manager: &RetryManager) -> Value {
    json!({
        "sessions": manager.journal.sessions(),
        "events": manager.journal.events(),
        "metrics": manager.figures(Timestamp::now()),
    })
}

fn find(manager: &RetryManager, operation: &str, page: &str) -> Option<Session> {
    let mut sessions = manager.journal.sessions().into_iter();
    sessions.find(|session| {
        session.operation == operation && session.correlation_id.as_deref() == Some(page)
    })
}
