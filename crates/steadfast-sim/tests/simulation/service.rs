//! Service behaviour and the reaction of clients (M1).

use std::time::Duration;

use steadfast::{Jitter, Policy};
use steadfast_sim::{Arrival, BrownOut, Errors, Latency, Outage, RateLimit, Scenario};

use crate::{every_second, played, secs};

fn burst(clients: u32) -> Scenario {
    let latency = Latency::Constant(Duration::from_millis(100));
    Scenario { clients, arrival: Arrival::Burst, latency, ..Scenario::default() }
}

/// M1: each client calls a healthy service once.
#[test]
fn healthy_service_gets_one_call_per_client() {
    let outcome = played(&burst(100), &every_second(5));
    assert_eq!((outcome.calls, outcome.completed, outcome.gave_up), (100, 100, 0));
    assert_eq!((outcome.amplification, outcome.p50, outcome.p99), (1.0, Some(0.1), Some(0.1)));
    assert_eq!(outcome.peak_rps, 100.0);
}

/// M1: the delays are the policy's own. A rejection takes 0.1 s, so attempts begin at 0, 1.1, 2.2
/// and 3.3 s, and the outage is over at 3 s.
#[test]
fn outage_is_bridged_by_the_policy() {
    let scenario = Scenario { outages: vec![Outage::refusing(secs(0), secs(3))], ..burst(10) };
    let outcome = played(&scenario, &every_second(10));
    assert_eq!((outcome.calls, outcome.completed), (40, 10));
    assert!((outcome.p50.unwrap() - 3.4).abs() < 1e-6);
    let outcome = played(&scenario, &every_second(3));
    assert_eq!((outcome.calls, outcome.completed, outcome.gave_up), (30, 0, 10));
    assert_eq!(outcome.reasons["attempts_exhausted"], 10);
    assert_eq!(outcome.p50, None);
}

/// M1: a client waits for an unresponsive service until the timeout of the policy, or its own.
#[test]
fn silent_outage_ends_calls_by_timeout() {
    let outages = vec![Outage { from: secs(0), to: secs(60), silent: true }];
    let scenario = Scenario { outages, timeout: secs(7), ..burst(1) };
    assert_eq!(played(&scenario, &every_second(1)).ended, 7.0);
    let hasty = Policy::fixed(secs(1)).max_attempts(1).attempt_timeout(secs(2)).build().unwrap();
    assert_eq!(played(&scenario, &hasty).ended, 2.0);
}

/// M1: calls beyond the capacity are queued or rejected.
#[test]
fn service_processes_at_its_capacity() {
    let scenario = Scenario { capacity: Some(10.0), timeout: secs(60), ..burst(100) };
    let outcome = played(&scenario, &every_second(1));
    assert_eq!(outcome.completed, 100);
    assert!((outcome.ended - 10.1).abs() < 1e-6, "{}", outcome.ended);
    let outcome = played(&Scenario { queue: Some(19), ..scenario }, &every_second(1));
    assert_eq!((outcome.completed, outcome.gave_up), (20, 80));
}

/// M1: a client that stops waiting does not make the queue shorter.
#[test]
fn calls_of_timed_out_clients_are_still_processed() {
    let scenario = Scenario { capacity: Some(10.0), timeout: secs(2), ..burst(100) };
    let outcome = played(&scenario, &every_second(3));
    let patient = played(&Scenario { timeout: secs(60), ..scenario }, &every_second(3));
    assert!(outcome.calls > 200 && outcome.completed < 40, "{outcome:?}");
    assert_eq!((patient.calls, patient.completed), (100, 100));
}

/// M1: a brown-out fails a share of the calls, as errors do all the time.
#[test]
fn error_share_of_calls_fails() {
    let brown_outs = vec![BrownOut { from: secs(0), to: secs(9), failing: 0.5, capacity: 1.0 }];
    let outcome = played(&Scenario { brown_outs, ..burst(10_000) }, &every_second(1));
    assert!((4800..5200).contains(&outcome.completed), "{}", outcome.completed);
    let errors = Errors { permanent: 0.25, ..Errors::default() };
    let outcome = played(&Scenario { errors, ..burst(10_000) }, &every_second(9));
    assert_eq!(outcome.calls, 10_000, "trying again cannot help");
    assert!((2350..2650).contains(&outcome.reasons["final"]), "{:?}", outcome.reasons);
}

/// M1, J2: a requested wait is honoured, and the next call is an attempt like any other.
#[test]
fn hint_is_honoured() {
    let rate_limit = Some(RateLimit { per_second: 10.0, retry_after: Some(secs(5)) });
    let outcome = played(&Scenario { rate_limit, ..burst(30) }, &every_second(3));
    assert_eq!((outcome.completed, outcome.gave_up), (30, 0));
    assert!(outcome.p99.unwrap() > 10.0, "ten at once, ten after 5 s, ten after 10 s");
    let outcome = played(&Scenario { rate_limit, ..burst(30) }, &every_second(2));
    assert_eq!((outcome.completed, outcome.gave_up), (20, 10));
    let unhinted = Some(RateLimit { per_second: 10.0, retry_after: None });
    let outcome = played(&Scenario { rate_limit: unhinted, ..burst(30) }, &every_second(3));
    assert!(outcome.p99.unwrap() < 3.0, "ten at once, ten after 1 s, ten after 2 s");
}

/// M1: jitter spreads the load that accumulated during an outage.
#[test]
fn jitter_lowers_the_peak_after_an_outage() {
    let scenario = Scenario { outages: vec![Outage::refusing(secs(0), secs(10))], ..burst(10_000) };
    let peak = |jitter| {
        let policy = Policy::exponential(secs(1)).max_attempts(10).jitter(jitter).build().unwrap();
        let load = played(&scenario, &policy).load;
        load.iter().filter(|(at, _)| *at >= 10.0).map(|(_, rate)| *rate).fold(0.0, f64::max)
    };
    assert!(peak(Jitter::None) > 3.0 * peak(Jitter::Full));
}

/// M1: calls that are queued when an outage begins wait until its end, and a queue that grew during
/// a brown-out shrinks at the rate of the spare capacity.
#[test]
fn queue_stalls_in_an_outage_and_shrinks_after_a_brown_out() {
    let scenario = Scenario { capacity: Some(10.0), timeout: secs(600), ..burst(100) };
    let outages = vec![Outage::refusing(secs(5), secs(65))];
    let outcome = played(&Scenario { outages, ..scenario.clone() }, &every_second(1));
    assert!((outcome.ended - 70.1).abs() < 1e-6, "{}", outcome.ended);
    let brown_outs = vec![BrownOut { from: secs(0), to: secs(5), failing: 0.0, capacity: 0.1 }];
    let outcome = played(&Scenario { brown_outs, ..scenario }, &every_second(1));
    assert!((outcome.ended - 14.6).abs() < 1e-6, "{}", outcome.ended);
}

/// M1: a client that has not started by the end is not counted.
#[test]
fn clients_after_the_end_are_not_counted() {
    let arrival = Arrival::Steady(secs(100));
    let outcome = played(&Scenario { arrival, until: secs(10), ..burst(1000) }, &every_second(3));
    assert_eq!((outcome.clients, outcome.amplification), (101, 1.0));
    assert!(outcome.unfinished <= 1);
}

/// M1: clients in progress at the end are counted.
#[test]
fn unfinished_clients_are_counted() {
    let outages = vec![Outage::refusing(secs(0), secs(1_000_000))];
    let scenario = Scenario { outages, until: secs(60), ..burst(5) };
    let outcome = played(&scenario, &every_second(u32::MAX));
    assert_eq!((outcome.completed, outcome.gave_up, outcome.unfinished), (0, 0, 5));
}
