//! G1 to G3 under all interleavings of threads.
//!
//! `RUSTFLAGS="--cfg loom" cargo test -p steadfast --no-default-features --release --test loom_guards`

#![cfg(loom)]

use std::sync::Arc;
use std::time::Duration;

use loom::thread::{self, JoinHandle};
use steadfast::guard::breaker::{Breaker, BreakerSettings, BreakerState, InitialState, Trigger};
use steadfast::guard::{Budget, BudgetSettings};
use steadfast::{Fault, Moment};

const TIMEOUT: Duration = Duration::from_secs(60);

fn at(seconds: u64) -> Moment {
    Moment::ORIGIN + Duration::from_secs(seconds)
}

/// Every order.
fn explore(scenario: impl Fn() + Sync + Send + 'static) {
    loom::model::Builder::new().check(scenario);
}

/// Every order in which no more than three times a thread is held up in the
/// middle: for scenarios that would take hours otherwise.
fn explore_most(scenario: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(scenario);
}

fn breaker(settings: BreakerSettings) -> Arc<Breaker> {
    Arc::new(Breaker::new(settings).unwrap())
}

fn simple(threshold: u32) -> BreakerSettings {
    BreakerSettings::consecutive(threshold, TIMEOUT)
}

fn budget(settings: BudgetSettings) -> Arc<Budget> {
    Arc::new(Budget::new(settings).unwrap())
}

fn spawn<G, T>(guard: &Arc<G>, act: impl FnOnce(&G) -> T + 'static) -> JoinHandle<T>
where
    G: 'static,
    T: 'static,
{
    let guard = Arc::clone(guard);
    thread::spawn(move || act(&guard))
}

/// G1: each failure counts, and one of them returns the transition.
#[test]
fn concurrent_failures_are_both_counted() {
    explore(|| {
        let breaker = breaker(simple(2));
        let fail = |breaker: &Breaker| {
            let permit = breaker.acquire(at(1)).unwrap();
            breaker.failure(permit, at(1), None).is_some()
        };
        let other = spawn(&breaker, fail);
        let opened = fail(&breaker);
        assert!(opened ^ other.join().unwrap());
        assert_eq!(breaker.state(at(1)), BreakerState::Open);
    });
}

/// G2: a success and a failure at once: the failure comes first or last, and is
/// never half reset.
#[test]
fn concurrent_success_resets_or_precedes_failures() {
    explore(|| {
        let breaker = breaker(simple(3));
        let permit = breaker.acquire(at(0)).unwrap();
        breaker.failure(permit, at(0), None);
        let other = spawn(&breaker, move |breaker| {
            breaker.failure(permit, at(1), None);
        });
        breaker.success(permit, at(1), None);
        other.join().unwrap();
        let run = breaker.snapshot(at(1)).failure_count;
        assert!(run <= 1, "{run} failures, though a success was among the last two");
    });
}

/// G1: one probe, however many ask at the same time.
#[test]
fn concurrent_callers_get_one_probe() {
    explore(|| {
        let breaker = breaker(simple(1));
        breaker.open(at(0));
        let other = spawn(&breaker, |breaker| breaker.acquire(at(60)).is_ok());
        let mine = breaker.acquire(at(60)).is_ok();
        assert!(mine ^ other.join().unwrap());
    });
}

/// G1: nor does a probe that comes back make room for two.
#[test]
fn returned_probe_permits_another() {
    explore(|| {
        let breaker = breaker(simple(1).success_threshold(3));
        breaker.open(at(0));
        let probe = breaker.acquire(at(60)).unwrap();
        let others = [(); 2].map(|()| spawn(&breaker, |breaker| breaker.acquire(at(61)).is_ok()));
        breaker.success(probe, at(61), None);
        let sent: usize = others.map(|other| usize::from(other.join().unwrap())).iter().sum();
        let more = usize::from(breaker.acquire(at(61)).is_ok());
        assert_eq!(sent + more, 1);
    });
}

/// G2: a lost probe is replaced once, though two find it lost.
#[test]
fn lost_probe_is_replaced_by_one() {
    explore(|| {
        let breaker = breaker(simple(1));
        breaker.open(at(0));
        let _lost = breaker.acquire(at(60)).unwrap();
        let other = spawn(&breaker, |breaker| breaker.acquire(at(120)).is_ok());
        let mine = breaker.acquire(at(120)).is_ok();
        assert!(mine ^ other.join().unwrap());
    });
}

/// G2: a probe that was sent this moment is not taken for lost, though the one
/// before it was sent long ago.
#[test]
fn recent_probe_is_never_lost() {
    explore(|| {
        let breaker = breaker(simple(1).success_threshold(3));
        breaker.open(at(0));
        let probe = breaker.acquire(at(60)).unwrap();
        breaker.success(probe, at(60), None);
        let other = spawn(&breaker, |breaker| breaker.acquire(at(600)).is_ok());
        let mine = breaker.acquire(at(600)).is_ok();
        assert!(mine ^ other.join().unwrap());
    });
}

/// G2: a result from before the last state change changes nothing, even if the
/// change happens at that very moment.
#[test]
fn late_failure_does_not_affect_next_generation() {
    explore(|| {
        let breaker = breaker(simple(1));
        let late = breaker.acquire(at(0)).unwrap();
        let other = spawn(&breaker, move |breaker| breaker.failure(late, at(1), None));
        breaker.open(at(1));
        breaker.close(at(1));
        let opened = other.join().unwrap().is_some();
        let state = breaker.state(at(1));
        // The failure may come first: then it opens the breaker, which is then
        // opened again and closed.
        assert_eq!(state, BreakerState::Closed, "opened by the late one: {opened}");
        assert_eq!(breaker.snapshot(at(1)).failure_count, 0);
    });
}

/// G2: the same for the window.
#[test]
fn late_failure_does_not_affect_next_window() {
    explore(|| {
        let window = Duration::from_secs(600);
        let settings = BreakerSettings::rate_over_time(0.5, window, TIMEOUT).minimum_volume(10);
        let breaker = breaker(settings);
        let late = breaker.acquire(at(0)).unwrap();
        let other = spawn(&breaker, move |breaker| breaker.failure(late, at(1), None));
        breaker.close(at(1));
        let permit = breaker.acquire(at(1)).unwrap();
        breaker.failure(permit, at(1), None);
        other.join().unwrap();
        assert_eq!(breaker.snapshot(at(1)).failure_count, 1);
    });
}

/// G1: who finds a breaker that has just opened never sees the time of an
/// earlier opening: no probe before the timeout, and none promised earlier.
#[test]
fn just_opened_breaker_stays_open_for_its_timeout() {
    explore(|| {
        let breaker = breaker(simple(1));
        breaker.open(at(0));
        breaker.close(at(10));
        let permit = breaker.acquire(at(100)).unwrap();
        let other = spawn(&breaker, |breaker| match breaker.acquire(at(100)) {
            Ok(permit) => assert!(!permit.is_probe()),
            Err(rejection) => assert_eq!(rejection.retry_after, Some(TIMEOUT)),
        });
        breaker.failure(permit, at(100), None);
        other.join().unwrap();
        let again = breaker.acquire(at(100)).unwrap_err();
        assert_eq!(again.retry_after, Some(TIMEOUT));
    });
}

/// G2: two who change the state by hand at once: the later of the two is the
/// one whose time is kept.
#[test]
fn transition_time_is_that_of_the_last_transition() {
    explore(|| {
        let breaker = breaker(simple(1));
        let other = spawn(&breaker, |breaker| breaker.open(at(0x1_0000_0001)));
        let mine = breaker.open(at(2));
        let theirs = other.join().unwrap();
        assert!(mine.is_some() ^ theirs.is_some(), "one of them found it closed");
        let last = if mine.is_some() { 0x1_0000_0001 } else { 2 };
        assert_eq!(breaker.snapshot(at(0)).last_state_change, Some(at(last)));
    });
}

/// G1: of two probes that end at once, the share decides once: one of two may fail.
#[test]
fn concurrent_probes_are_both_counted() {
    explore(|| {
        let breaker = breaker(simple(1).successes_of(1, 2).probes(2));
        breaker.open(at(0));
        let probes = [(); 2].map(|()| breaker.acquire(at(60)).unwrap());
        let other = spawn(&breaker, move |breaker| breaker.failure(probes[0], at(61), None));
        let mine = breaker.failure(probes[1], at(61), None);
        assert!(mine.is_some() ^ other.join().unwrap().is_some());
        assert_eq!(breaker.state(at(61)), BreakerState::Open);
    });
}

/// G1: a breaker that is being opened for a given time lets no probe through before that time.
#[test]
fn breaker_opened_for_a_time_stays_open_for_it() {
    explore(|| {
        let breaker = breaker(simple(1));
        let other = spawn(&breaker, |breaker| match breaker.acquire(at(1)) {
            Ok(permit) => assert!(!permit.is_probe()),
            Err(rejection) => assert!(rejection.retry_after >= Some(TIMEOUT)),
        });
        breaker.open_for(2 * TIMEOUT, at(1));
        other.join().unwrap();
        assert_eq!(breaker.acquire(at(1)).unwrap_err().retry_after, Some(2 * TIMEOUT));
    });
}

/// G1: of two first calls to a breaker that starts open, one starts its timeout, and neither is a
/// probe.
#[test]
fn initially_open_breaker_starts_its_timeout_once() {
    explore(|| {
        let breaker = breaker(simple(1).initial_state(InitialState::Open));
        let other = spawn(&breaker, |breaker| breaker.acquire(at(5)).unwrap_err().retry_after);
        let mine = breaker.acquire(at(5)).unwrap_err().retry_after;
        assert_eq!((mine, other.join().unwrap()), (Some(TIMEOUT), Some(TIMEOUT)));
        assert!(breaker.acquire(at(65)).unwrap().is_probe());
    });
}

/// G2: the cause of an opening is never that of an earlier one, and a code is added once.
#[test]
fn cause_belongs_to_its_opening() {
    explore(|| {
        let breaker = breaker(simple(1));
        breaker.open(at(0));
        breaker.close(at(0));
        let permit = breaker.acquire(at(1)).unwrap();
        let other = spawn(&breaker, |breaker| {
            if let Err(rejection) = breaker.acquire(at(1)) {
                let trigger = rejection.cause.map(|cause| cause.trigger);
                assert!(matches!(trigger, None | Some(Trigger::ConsecutiveFailures)));
            }
        });
        breaker.failure(permit, at(1), None);
        breaker.record_cause(&Fault::http(503));
        other.join().unwrap();
        let cause = breaker.acquire(at(1)).unwrap_err().cause.unwrap();
        assert_eq!(cause.to_string(), "after consecutive failures (HTTP 503)");
    });
}

/// G3: the last retry of a rate is granted once.
#[test]
fn concurrent_withdrawals_share_one_retry() {
    explore(|| {
        let retries_per_second = 1.0;
        let budget = budget(BudgetSettings::Rate { retries_per_second });
        let other = spawn(&budget, |budget| budget.withdraw(at(5)));
        let mine = budget.withdraw(at(5));
        assert!(mine ^ other.join().unwrap());
    });
}

fn ratio_of_one() -> Arc<Budget> {
    budget(BudgetSettings::Ratio {
        ratio: 1.0,
        min_per_second: 0.0,
        window: Duration::from_secs(2),
    })
}

/// G3: one deposit, one withdrawal, in any thread.
#[test]
fn one_deposit_grants_one_retry() {
    explore(|| {
        let budget = ratio_of_one();
        let payer = spawn(&budget, |budget| budget.deposit(at(0)));
        let other = spawn(&budget, |budget| budget.withdraw(at(0)));
        let mine = budget.withdraw(at(0));
        payer.join().unwrap();
        let granted = usize::from(mine) + usize::from(other.join().unwrap());
        let rest = usize::from(budget.withdraw(at(0)));
        assert_eq!(granted + rest, 1);
    });
}

/// G3: also when one of them is already in the next tick of the window.
#[test]
fn one_deposit_grants_one_retry_across_ticks() {
    explore(|| {
        let budget = ratio_of_one();
        budget.deposit(at(0));
        let other = spawn(&budget, |budget| budget.withdraw(at(1)));
        let mine = budget.withdraw(at(0));
        assert!(mine ^ other.join().unwrap());
    });
}

/// G3: and when the retry was drawn in a tick that the ledger has left.
#[test]
fn withdrawal_of_previous_tick_still_counts() {
    explore_most(|| {
        let budget = ratio_of_one();
        budget.deposit(at(0));
        budget.deposit(at(1));
        let others = [0, 1].map(|tick| spawn(&budget, move |budget| budget.withdraw(at(tick))));
        let mine = budget.withdraw(at(1));
        let granted = others.map(|other| usize::from(other.join().unwrap()));
        // A draw of tick 0 that comes first sees one success, not two.
        let total = granted.iter().sum::<usize>() + usize::from(mine);
        let rest = usize::from(budget.withdraw(at(1)));
        assert_eq!(total + rest, 2);
    });
}

/// G3: draws and successes of a throttle all count.
#[test]
fn token_count_is_preserved() {
    explore(|| {
        let budget = budget(BudgetSettings::Tokens { max_tokens: 20, token_ratio: 1.0 });
        for _ in 0..3 {
            assert!(budget.withdraw(at(100)));
        }
        let other = spawn(&budget, |budget| budget.withdraw(at(100)));
        let payer = spawn(&budget, |budget| budget.deposit(at(100)));
        assert!(budget.withdraw(at(100)));
        assert!(other.join().unwrap());
        payer.join().unwrap();
        assert_eq!(budget.balance(at(100)), 9 - 3 - 2 + 1);
    });
}
