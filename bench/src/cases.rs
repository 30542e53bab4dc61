//! The rows of the core report.

use crate::case::{Case, Row};
use crate::peers::{
    backoff, backon, bare, failsafe, recloser, relentless, retry, retry_policies, tokio_retry,
    tokio_retry2, tower,
};
use crate::sleeper::Sleeper;
use crate::steadfast_cases;

/// The rows measured in instructions and in wall-clock time.
pub const ROWS: &[Row] = &[
    Row {
        id: "async-success",
        title: "async success, plain policy",
        bare: Some(Case::call("bare", bare::async_success)),
        steadfast: steadfast_cases::ASYNC_SUCCESS,
        peers: &[
            Case::call("tokio-retry", tokio_retry::async_success),
            Case::call("tokio-retry2", tokio_retry2::async_success),
            Case::call("tower", tower::async_success),
            Case::call("backon", backon::async_success),
            Case::call("backoff", backoff::async_success),
            Case::call("relentless", relentless::async_success),
        ],
        partial_peers: &[],
        goal: 24.0,
    },
    Row {
        id: "blocking-success",
        title: "blocking success, plain policy",
        bare: Some(Case::call("bare", bare::blocking_success)),
        steadfast: steadfast_cases::BLOCKING_SUCCESS,
        peers: &[
            Case::call("retry", retry::blocking_success),
            Case::call("backon", backon::blocking_success),
            Case::call("backoff", backoff::blocking_success),
            Case::call("relentless", relentless::blocking_success),
        ],
        partial_peers: &[],
        goal: 8.0,
    },
    Row {
        id: "by-name",
        title: "async success under a policy found by name among 100",
        bare: Some(Case::call("bare", bare::async_success)),
        steadfast: steadfast_cases::BY_NAME,
        peers: &[],
        partial_peers: &[],
        // 150 more than a session on a policy that needs no lookup.
        goal: 183.0,
    },
    Row {
        id: "breaker",
        title: "async success through a breaker",
        bare: Some(Case::call("bare", bare::async_success)),
        steadfast: steadfast_cases::BREAKER,
        peers: &[
            Case::call("failsafe (consecutive)", failsafe::async_success),
            Case::call("recloser", recloser::async_success),
        ],
        partial_peers: &[],
        goal: 48.0,
    },
    Row {
        id: "all-guards",
        title: "async success with breaker, ratio budget and metrics",
        bare: Some(Case::call("bare", bare::async_success)),
        steadfast: steadfast_cases::ALL_GUARDS,
        peers: &[Case::call("tower (its budget alone)", tower::async_success_with_budget)],
        partial_peers: &[],
        goal: 120.0,
    },
    Row {
        id: "failed-attempt",
        title: "one failed attempt, no-op sleep, exponential with jitter",
        bare: Some(Case::failure("bare", bare::fails_twice, bare::fails_twice_baseline)),
        steadfast: steadfast_cases::FAILED_ATTEMPT,
        peers: &[
            Case::failure("backon", backon::fails_twice, backon::fails_twice_baseline),
            Case::failure("backoff", backoff::fails_twice, backoff::fails_twice_baseline),
            Case::failure("relentless", relentless::fails_twice, relentless::fails_twice_baseline),
        ],
        partial_peers: &[
            Case::failure("tower (no delay)", tower::fails_twice, tower::async_success),
            Case::failure(
                "tower (budget, no delay)",
                tower::fails_twice_with_budget,
                tower::fails_twice_with_budget_baseline,
            ),
        ],
        goal: 220.0,
    },
    Row {
        id: "delay",
        title: "one jittered delay",
        bare: None,
        steadfast: steadfast_cases::DELAY,
        peers: &[
            Case::call("backon", backon::delays),
            Case::call("retry", retry::delays),
            Case::call("tokio-retry", tokio_retry::delays),
            Case::call("tokio-retry2", tokio_retry2::delays),
            Case::call("backoff", backoff::delays),
            Case::call("retry-policies", retry_policies::delays),
            Case::call("relentless", relentless::delays),
        ],
        partial_peers: &[],
        goal: 80.0,
    },
];

/// The sessions measured in memory, the hand-written loop first.
pub fn sleepers() -> Vec<Sleeper> {
    let mut sleepers = vec![bare::sleeper()];
    sleepers.extend(steadfast_cases::sleepers());
    sleepers.extend([
        tower::sleeper(),
        tokio_retry::sleeper(),
        tokio_retry2::sleeper(),
        backon::sleeper(),
        backoff::sleeper(),
        relentless::sleeper(),
    ]);
    sleepers
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn case_names_are_unique_within_a_row() {
        let mut seen = HashSet::new();
        for row in ROWS {
            for case in row.cases() {
                assert!(seen.insert((row.id, case.name)), "{} {}", row.id, case.name);
            }
        }
    }

    /// Each program asserts that its sessions succeed.
    #[test]
    fn every_program_completes_its_sessions() {
        for case in ROWS.iter().flat_map(Row::cases) {
            (case.program)(3);
            if let Some(baseline) = case.baseline {
                baseline(3);
            }
        }
    }
}
