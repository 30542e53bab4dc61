//! Invariants of every parse result: policies or problems.
//!
//! An answer is checked and written out in full. Two answers to one question are
//! compared as they are written.

use std::fmt::Write;
use std::time::Duration;

use steadfast::Policy;
use steadfast::file::{Policies, Problem, Problems, Route};

/// The most attempts of a plan to check; a policy may have four billion.
const PLANNED: usize = 50;

/// The most policies to explain; each costs a pass over all.
const EXPLAINED: usize = 50;

/// Checks an answer, and writes it out.
pub(crate) fn account(answer: &Result<Policies, Problems>) -> String {
    match answer {
        Ok(policies) => of_policies(policies),
        Err(problems) => of_problems(problems),
    }
}

/// Checks problems, and writes them out as machines and people see them.
pub(crate) fn of_problems(problems: &Problems) -> String {
    assert!(!problems.as_slice().is_empty(), "refused, and nothing is wrong");
    problems.iter().for_each(check_problem);
    format!("{problems}\n{}", json(problems))
}

/// F2: each problem says what is wrong, and where in the text.
fn check_problem(problem: &Problem) {
    assert!(!problem.message.is_empty(), "{problem:?}");
    assert!(!problem.to_string().contains(char::is_control), "{problem:?}");
    let (Some(source), Some(span)) = (problem.source(), problem.span()) else {
        return;
    };
    let position = source.position(span.start);
    assert_eq!((problem.line, problem.column), (Some(position.line), Some(position.column)));
    assert!(source.text().get(span).is_some(), "its place is not in the text: {problem:?}");
}

fn of_policies(policies: &Policies) -> String {
    let mut account = json(policies.mapped());
    for policy in policies.iter() {
        check_policy(policy);
        let _ = writeln!(account, "{}", json(&**policy));
    }
    for policy in policies.iter().take(EXPLAINED) {
        let id = policy.id().unwrap_or_default();
        assert_eq!(policies.by_id(id), Some(policy), "{id} is not found");
        assert_eq!(policies.draft(id).build().as_ref(), Ok(&**policy), "the draft of {id}");
        let _ = writeln!(account, "{}", json(&policies.explain(id)));
    }
    for mapped in policies.mapped() {
        let (_, route) = policies.route(&mapped.name);
        assert_ne!(route, Route::Default, "{mapped:?} leads nowhere");
    }
    let _ = writeln!(account, "{:?}", policies.nearest("max_atempts"));
    account
}

/// P1, P3: a policy means the same after a journey through JSON, and its plan only grows.
pub(crate) fn check_policy(policy: &Policy) {
    let again: Result<Policy, _> = serde_json::from_str(&json(policy));
    assert_eq!(again.ok().as_ref(), Some(policy), "after a journey through JSON");
    let mut before = (Duration::ZERO, Duration::ZERO);
    for planned in policy.plan().take(PLANNED) {
        assert!(planned.min <= planned.max, "{planned:?}");
        let totals = (planned.total_min, planned.total_max);
        assert!(totals.0 >= before.0 && totals.1 >= before.1, "{planned:?} after {before:?}");
        before = totals;
    }
}

pub(crate) fn json(value: &(impl serde::Serialize + ?Sized)) -> String {
    match serde_json::to_string(value) {
        Ok(text) => text,
        Err(error) => panic!("it cannot be written as JSON: {error}"),
    }
}
