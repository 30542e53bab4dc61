//! Invariants of every parse result: policies or problems.
//!
//! Each check returns the result as text, so that the results of two parses can be compared.

use std::fmt::Write;
use std::time::Duration;

use steadfast::Policy;
use steadfast::file::{Policies, Problem, Problems, Route};

/// The maximum number of planned attempts to check; a policy may have four billion.
const MAX_CHECKED_ATTEMPTS: usize = 50;

/// The maximum number of policies to explain; each explanation reads all policies.
const MAX_EXPLAINED_POLICIES: usize = 50;

/// Checks a parse result and returns it as text.
pub(crate) fn check_result(result: &Result<Policies, Problems>) -> String {
    match result {
        Ok(policies) => check_policies(policies),
        Err(problems) => check_problems(problems),
    }
}

/// Checks problems and returns them as display text and JSON.
pub(crate) fn check_problems(problems: &Problems) -> String {
    assert!(!problems.as_slice().is_empty(), "rejected without a problem");
    problems.iter().for_each(check_problem);
    format!("{problems}\n{}", json(problems))
}

/// F2: each problem has a message and a position in the text.
fn check_problem(problem: &Problem) {
    assert!(!problem.message.is_empty(), "{problem:?}");
    assert!(!problem.to_string().contains(char::is_control), "{problem:?}");
    let (Some(source), Some(span)) = (problem.source(), problem.span()) else {
        return;
    };
    let position = source.position(span.start);
    assert_eq!((problem.line, problem.column), (Some(position.line), Some(position.column)));
    assert!(source.text().get(span).is_some(), "span outside the text: {problem:?}");
}

/// Checks policies and returns them as text.
fn check_policies(policies: &Policies) -> String {
    let mut text = json(policies.mapped());
    for policy in policies.iter() {
        check_policy(policy);
        let _ = writeln!(text, "{}", json(&**policy));
    }
    for policy in policies.iter().take(MAX_EXPLAINED_POLICIES) {
        let id = policy.id().unwrap_or_default();
        assert_eq!(policies.by_id(id), Some(policy), "policy {id} not found");
        assert_eq!(policies.draft(id).build().as_ref(), Ok(&**policy), "draft of {id}");
        let _ = writeln!(text, "{}", json(&policies.explain(id)));
    }
    for mapped in policies.mapped() {
        let (_, route) = policies.route(&mapped.name);
        assert_ne!(route, Route::Default, "{mapped:?} has no route");
    }
    let _ = writeln!(text, "{:?}", policies.nearest("max_atempts"));
    text
}

/// P1, P3: a policy is unchanged after a JSON round trip, and the totals of its plan never decrease.
pub(crate) fn check_policy(policy: &Policy) {
    let again: Result<Policy, _> = serde_json::from_str(&json(policy));
    assert_eq!(again.ok().as_ref(), Some(policy), "JSON round trip");
    let mut before = (Duration::ZERO, Duration::ZERO);
    for planned in policy.plan().take(MAX_CHECKED_ATTEMPTS) {
        assert!(planned.min <= planned.max, "{planned:?}");
        let totals = (planned.total_min, planned.total_max);
        assert!(totals.0 >= before.0 && totals.1 >= before.1, "{planned:?} after {before:?}");
        before = totals;
    }
}

/// The value as JSON.
pub(crate) fn json(value: &(impl serde::Serialize + ?Sized)) -> String {
    match serde_json::to_string(value) {
        Ok(text) => text,
        Err(error) => panic!("cannot be serialized as JSON: {error}"),
    }
}
