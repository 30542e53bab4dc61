//! Runs every case of `conformance/*.json`, whose README says what they mean.
//!
//! A case that cannot be parsed, an unused field, an unused file and a
//! file without cases all fail: a case that is silently skipped proves nothing.

#![cfg(all(feature = "http", feature = "serde"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod breaker;
mod budget;
mod cases;
#[path = "../common/mod.rs"]
mod common;
mod decision;
mod duration;
mod hint;
mod judgement;
mod parity;
mod policy;
mod timing;

use cases::{Case, FILES, load};

/// What went wrong with one case.
type Checked = Result<(), String>;

fn check(case: &Case) -> Checked {
    match case.check.as_str() {
        "delays" => timing::delays(case),
        "jitter" => timing::jitter(case),
        "judgement" => judgement::check(case),
        "hint" => hint::check(case),
        "signals" => hint::signals(case),
        "decision" => decision::check(case),
        "policy" => policy::check(case),
        "duration" => duration::check(case),
        "breaker" => breaker::check(case),
        "budget" => budget::check(case),
        unknown => Err(format!("unknown kind of case `{unknown}`")),
    }
}

/// Runs a file, and says everything that is wrong at once.
fn run(file: &str) {
    let wrong: Vec<_> = load(file)
        .iter()
        .filter_map(|case| {
            let why = check(case).err()?;
            Some(format!("{file}/{} ({}, {}): {why}", case.id, case.clause, case.why))
        })
        .collect();
    assert!(wrong.is_empty(), "{} cases fail:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn delays() {
    run("delays");
}

#[test]
fn jitter() {
    run("jitter");
}

#[test]
fn judgement() {
    run("judgement");
}

#[test]
fn hints() {
    run("hints");
}

#[test]
fn signals() {
    run("signals");
}

/// I1: each session through the core and both drivers, and the whole traces compared.
#[test]
fn decisions() {
    run("decisions");
}

#[test]
fn policies() {
    run("policies");
}

#[test]
fn durations() {
    run("durations");
}

/// P6: the worked examples hold.
#[test]
fn seeds() {
    run("seeds");
}

#[test]
fn peers() {
    run("peers");
}

/// Every file in the directory is one that is run, and the other way round.
#[test]
fn every_file_is_run() {
    let mut found: Vec<_> = cases::directory()
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "README.md")
        .collect();
    found.sort();
    let mut run: Vec<_> = FILES.iter().map(|file| format!("{file}.json")).collect();
    run.sort();
    assert_eq!(found, run);
}

/// Cases do not get lost.
#[test]
fn number_of_cases_does_not_shrink() {
    let count: usize = FILES.iter().map(|file| load(file).len()).sum();
    assert!(count >= 800, "only {count} cases are left");
}

/// A case is found by its id, and says what it proves.
#[test]
fn every_case_can_be_cited() {
    let mut ids = std::collections::BTreeSet::new();
    for case in FILES.iter().flat_map(|file| load(file)) {
        assert!(ids.insert(case.id.clone()), "{} is there twice", case.id);
        let (letter, number) = case.clause.split_at(1);
        let cites = "PJIFGDW".contains(letter) && number.parse::<u8>().is_ok();
        assert!(cites && !case.why.is_empty(), "{} cites nothing", case.id);
    }
}

/// An unused field is an error, in every kind of case.
#[test]
fn unknown_fields_are_rejected() {
    let mut kinds = std::collections::BTreeSet::new();
    for case in FILES.iter().flat_map(|file| load(file)) {
        if kinds.insert(case.check.clone()) {
            assert_eq!(check(&case), Ok(()));
            let kind = case.check.clone();
            assert!(check(&case.with("surprise")).is_err(), "{kind}");
        }
    }
}
