//! The rows of the report.

use crate::case::{Case, Row};
use crate::peers::{
    backoff, backon, bare, failsafe, recloser, relentless, retry, retry_policies, tokio_retry,
    tokio_retry2, tower,
};
use crate::sleeper::Sleeper;
use crate::steadfast_cases as ours;

/// What is measured by instructions and by wall clock.
pub const ROWS: &[Row] = &[
    Row {
        id: "async-success",
        title: "async success, plain policy",
        bare: Some(Case::call("bare", bare::async_success)),
        ours: ours::ASYNC_SUCCESS,
        peers: &[
            Case::call("tokio-retry", tokio_retry::async_success),
            Case::call("tokio-retry2", tokio_retry2::async_success),
            Case::call("tower", tower::async_success),
            Case::call("backon", backon::async_success),
            Case::call("backoff", backoff::async_success),
            Case::call("relentless", relentless::async_success),
        ],
        aside: &[],
        reach: 24.0,
    },
    Row {
        id: "blocking-success",
        title: "blocking success, plain policy",
        bare: Some(Case::call("bare", bare::blocking_success)),
        ours: ours::BLOCKING_SUCCESS,
        peers: &[
            Case::call("retry", retry::blocking_success),
            Case::call("backon", backon::blocking_success),
            Case::call("backoff", backoff::blocking_success),
            Case::call("relentless", relentless::blocking_success),
        ],
        aside: &[],
        reach: 10.0,
    },
    Row {
        id: "by-name",
        title: "async success under a policy found by name among 100",
        bare: Some(Case::call("bare", bare::async_success)),
        ours: ours::BY_NAME,
        peers: &[],
        aside: &[],
        // 150 more than a session on a policy that is held.
        reach: 183.0,
    },
    Row {
        id: "breaker",
        title: "async success through a breaker",
        bare: Some(Case::call("bare", bare::async_success)),
        ours: ours::BREAKER,
        peers: &[
            Case::call("failsafe (consecutive)", failsafe::async_success),
            Case::call("recloser", recloser::async_success),
        ],
        aside: &[],
        reach: 48.0,
    },
    Row {
        id: "all-guards",
        title: "async success with breaker, ratio budget and metrics",
        bare: Some(Case::call("bare", bare::async_success)),
        ours: ours::ALL_GUARDS,
        peers: &[Case::call("tower (its budget alone)", tower::async_success_with_budget)],
        aside: &[],
        reach: 120.0,
    },
    Row {
        id: "failed-attempt",
        title: "one failed attempt, no-op sleep, exponential with jitter",
        bare: Some(Case::failure("bare", bare::fails_twice, bare::fails_twice_twin)),
        ours: ours::FAILED_ATTEMPT,
        peers: &[
            Case::failure("backon", backon::fails_twice, backon::fails_twice_twin),
            Case::failure("backoff", backoff::fails_twice, backoff::fails_twice_twin),
            Case::failure("relentless", relentless::fails_twice, relentless::fails_twice_twin),
        ],
        aside: &[
            Case::failure("tower (no delay)", tower::fails_twice, tower::async_success),
            Case::failure(
                "tower (budget, no delay)",
                tower::fails_twice_with_budget,
                tower::fails_twice_with_budget_twin,
            ),
        ],
        reach: 120.0,
    },
    Row {
        id: "delay",
        title: "one jittered delay",
        bare: None,
        ours: ours::DELAY,
        peers: &[
            Case::call("backon", backon::delays),
            Case::call("retry", retry::delays),
            Case::call("tokio-retry", tokio_retry::delays),
            Case::call("tokio-retry2", tokio_retry2::delays),
            Case::call("backoff", backoff::delays),
            Case::call("retry-policies", retry_policies::delays),
            Case::call("relentless", relentless::delays),
        ],
        aside: &[],
        reach: 80.0,
    },
];

/// What is measured by memory, the bare one first.
pub fn sleepers() -> Vec<Sleeper> {
    let mut sleepers = vec![bare::sleeper()];
    sleepers.extend(ours::sleepers());
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

    /// Row and name identify a case.
    #[test]
    fn names_are_unique_in_their_row() {
        let mut seen = HashSet::new();
        for row in ROWS {
            for case in row.cases() {
                assert!(seen.insert((row.id, case.name)), "{} {}", row.id, case.name);
            }
        }
    }

    /// Programs check for themselves that every session ends well.
    #[test]
    fn every_program_does_what_it_should() {
        for case in ROWS.iter().flat_map(Row::cases) {
            (case.program)(3);
            if let Some(twin) = case.twin {
                twin(3);
            }
        }
    }
}
