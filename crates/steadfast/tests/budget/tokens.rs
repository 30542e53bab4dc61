//! G3: gRPC-style tokens.

use super::*;

/// G3: gRPC-style tokens: the worked example of its own throttle, four tokens
/// and 1.6 for each success.
#[test]
fn tokens_follow_grpc() {
    let budget = budget(tokens(4, 1.6));
    let now = at(60_000);
    assert!(budget.withdraw(now), "3 left");
    budget.deposit(now);
    assert!(budget.withdraw(now), "4, not 4.6, then 3");
    assert!(!budget.withdraw(now), "2 is half");
    assert!(!budget.withdraw(now), "1");
    assert!(!budget.withdraw(now), "0");
    assert!(!budget.withdraw(now), "still 0, not -1");
    budget.deposit(now);
    budget.deposit(now);
    assert!(budget.withdraw(now), "1.6, 3.2, then 2.2");
    assert!(!budget.withdraw(now), "1.2");
    budget.deposit(now);
    assert!(!budget.withdraw(now), "2.8, then 1.8");
}

/// G3: half of the tokens, and then only as many as successes pay for.
#[test]
fn tokens_grant_less_than_half() {
    let budget = budget(tokens(100, 0.1));
    assert_eq!(granted(&budget, 49, at(0)), 49);
    assert_eq!(budget.balance(at(0)), 0);
    assert!(!budget.withdraw(at(0)), "50 is not more than half");
    deposit(&budget, 20, at(0));
    assert!(budget.withdraw(at(0)));
    assert!(!budget.withdraw(at(0)));
}

/// G3: it refills with time as well as with success: no throttle for ever.
#[test]
fn tokens_refill_with_time() {
    let budget = budget(tokens(10, 0.5));
    assert_eq!(granted(&budget, 100, at(0)), 4);
    // Empty: 6 tokens, for one that leaves more than 5, at one in two seconds.
    assert_eq!(budget.balance(at(12_000)), 0);
    assert_eq!(budget.balance(at(12_001)), 1);
    assert_eq!(granted(&budget, 1, at(12_001)), 1);
    assert_eq!(budget.balance(at(600_000)), 4);
}

/// G3: a thread that read the clock long ago does not turn it back.
#[test]
fn late_withdrawal_adds_no_tokens() {
    let budget = budget(tokens(10, 1.0));
    assert_eq!(granted(&budget, 100, at(60_000)), 4);
    assert!(!budget.withdraw(at(0)));
    assert_eq!(budget.balance(at(60_000)), 0);
}

/// I10: a success of a throttle needs no clock.
#[test]
fn tokens_accept_undated_deposits() {
    let budget = budget(tokens(10, 1.0));
    assert!(!budget.needs_clock_on_success());
    assert_eq!(granted(&budget, 4, at(90_000)), 4);
    deposit(&budget, 2, Moment::ORIGIN);
    assert_eq!(budget.balance(at(90_000)), 2);
    deposit(&budget, 1000, Moment::ORIGIN);
    assert_eq!(budget.balance(at(90_000)), 4, "full is full");
}
