//! The report of the demo.

use std::collections::BTreeMap;

use steadfast::Fault;
use steadfast::observe::{MetricsSummary, Session};

use super::load::{Books, Done};

pub(crate) fn print(done: &Done, figures: &MetricsSummary, sessions: &[Session], books: &Books) {
    let failed = || sessions.iter().flat_map(|session| &session.attempts).filter(|a| !a.success);
    let classes = failed().filter_map(|attempt| Some(attempt.class?.to_string()));
    let codes = failed().filter_map(|attempt| attempt.fault.as_ref().map(code));

    println!("\nresult:");
    println!(
        "    {} calls in {} attempts, at most {} for one",
        figures.total_sessions, figures.total_attempts, figures.max_attempts_in_session
    );
    println!("    {} succeeded, {} gave up", figures.successful_sessions, figures.failed_sessions);
    for error in &done.gave_up {
        println!("        {error}");
    }
    println!("    failed attempts by class: {}", counted(classes));
    println!("    failed attempts by code:  {}", counted(codes));
    println!(
        "    {} acknowledged writes: {} lost, {} duplicated",
        books.writes, books.lost, books.twice
    );
    println!("    {} retries found their write already done", done.found_done);
}

/// The SQLSTATE, or else the kind of the fault.
fn code(fault: &Fault) -> String {
    match (fault.sqlstate, fault.kind) {
        (Some(state), _) => format!("SQLSTATE {state}"),
        (None, Some(kind)) => kind.to_string(),
        (None, None) => fault.to_string(),
    }
}

/// The names with their counts, the most frequent first.
fn counted(names: impl Iterator<Item = String>) -> String {
    let mut counts = BTreeMap::<String, usize>::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let words: Vec<_> = counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
    if words.is_empty() { "none".to_owned() } else { words.join(", ") }
}
