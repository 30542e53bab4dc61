//! What happened, in figures.

use std::collections::BTreeMap;

use example_storage::events::Event;

use crate::load::{Books, Done};

pub(crate) fn print(done: &Done, events: &[Event], books: &Books) {
    let failures = || events.iter().filter(|event| event.is_failure());
    let retries = failures().filter(|event| event.reason.is_none());
    let most = retries.clone().map(|event| event.attempt + 1).max().unwrap_or(1);
    let attempts = done.calls + retries.count() as u64;
    let went_well = done.calls - done.gave_up.len() as u64;

    println!("\nwhat became of it:");
    println!("    {} calls in {attempts} attempts, at most {most} for one", done.calls);
    println!("    {went_well} ended well, {} gave up", done.gave_up.len());
    for error in &done.gave_up {
        println!("        {error}");
    }
    println!("    failed attempts by class: {}", counted(failures().map(|event| &event.class)));
    println!("    failed attempts by code:  {}", counted(failures().map(|event| &event.code)));
    println!(
        "    {} writes promised: {} lost, {} done twice",
        books.writes, books.lost, books.twice
    );
    println!(
        "    {} of them were found done when they were tried again, and left alone",
        done.found_done
    );
}

/// Each with how often it came, the most frequent first.
fn counted<'e>(names: impl Iterator<Item = &'e Option<String>>) -> String {
    let mut counts = BTreeMap::<&str, usize>::new();
    for name in names.flatten() {
        *counts.entry(name).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let words: Vec<_> = counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
    if words.is_empty() { "none".to_owned() } else { words.join(", ") }
}
