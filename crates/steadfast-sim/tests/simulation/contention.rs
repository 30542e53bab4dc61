//! The experiment of the AWS article (M2).

use std::time::Duration;

use steadfast::{Jitter, Policy};
use steadfast_sim::{Contention, ContentionOutcome, contend};

fn contended(policy: steadfast::policy::Draft) -> ContentionOutcome {
    let policy = policy.max_attempts(u32::MAX).build().unwrap();
    contend(&Contention::default(), "it", &policy).unwrap()
}

fn exponential(jitter: Jitter) -> ContentionOutcome {
    let (base, cap) = (Duration::from_millis(5), Duration::from_secs(2));
    contended(Policy::exponential(base).max_delay(cap).jitter(jitter))
}

/// M2: none > exponential > decorrelated > equal ≈ full in total calls, at a hundred clients.
#[test]
fn calls_rank_as_in_the_article() {
    let none = contended(Policy::immediate()).calls;
    let plain = exponential(Jitter::None).calls;
    let decorrelated = exponential(Jitter::Decorrelated).calls;
    let equal = exponential(Jitter::Equal).calls;
    let full = exponential(Jitter::Full).calls;
    assert!(none > plain, "{none} {plain}");
    assert!(plain > decorrelated, "{plain} {decorrelated}");
    assert!(decorrelated > equal, "{decorrelated} {equal}");
    assert!((equal / full - 1.0).abs() <= 0.1, "{equal} {full}");
}

/// M2: without backoff one write in each round of messages succeeds, so the work grows with the
/// square of the clients.
#[test]
fn calls_without_backoff_grow_quadratically() {
    let calls = |clients| {
        let experiment = Contention { clients, rounds: 20, ..Contention::default() };
        let policy = Policy::immediate().max_attempts(u32::MAX).build().unwrap();
        contend(&experiment, "none", &policy).unwrap().calls
    };
    let ratio = calls(80) / calls(40);
    assert!((3.2..4.8).contains(&ratio), "{ratio}");
}

/// M2: every client writes the row in the end, unless the policy limits its attempts.
#[test]
fn client_with_limited_attempts_gives_up() {
    assert_eq!(exponential(Jitter::Full).gave_up, 0.0);
    let policy = Policy::immediate().max_attempts(2).build().unwrap();
    let experiment = Contention { clients: 10, rounds: 10, ..Contention::default() };
    assert!(contend(&experiment, "two", &policy).unwrap().gave_up > 0.0);
}
