//! Breakers and budgets in sessions (G1 to G4).

#![cfg(all(not(loom), feature = "tokio"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

#[path = "common/world.rs"]
#[allow(dead_code, clippy::expect_used)]
mod world;

use std::cell::{Cell, RefCell};
use std::future::{pending, ready};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use steadfast::drive::{Environment, EventKind, GaveUp, Instrument, Real, RetryError};
use steadfast::guard::breaker::BreakerState;
use steadfast::guard::{Breaker, BreakerSettings, Budget, BudgetSettings};
use steadfast::policy::{Draft, OnOpen};
use steadfast::{Fault, Kind, Moment, Policy, Reason, guard, retry};

use world::World;

const SECOND: Duration = Duration::from_secs(1);
const TIMEOUT: Duration = Duration::from_secs(60);

/// Both drivers.
#[derive(Clone, Copy, Debug)]
enum By {
    Blocking,
    Future,
}

const BOTH: [By; 2] = [By::Blocking, By::Future];

fn build(draft: Draft) -> Policy {
    draft.build().unwrap()
}

fn simple(threshold: u32) -> BreakerSettings {
    BreakerSettings::consecutive(threshold, TIMEOUT)
}

fn breaker(threshold: u32) -> Breaker {
    Breaker::new(simple(threshold)).unwrap()
}

/// Runs one session of an operation in this environment, with further settings.
macro_rules! session {
    ($by:expr, $world:expr, $policy:expr, $operation:expr $(, $method:ident($argument:expr))*) => {
        match $by {
            By::Blocking => retry($policy, $operation)
                .environment($world.clone())
                $(.$method($argument))*
                .call(),
            By::Future => {
                let session = retry($policy, || ready($operation()))
                    .environment($world.clone())
                    $(.$method($argument))*;
                $world.run(session.into_future())
            }
        }
        .map_err(RetryError::into_gave_up)
    };
}

fn poll<T>(future: Pin<&mut impl Future<Output = T>>) -> Poll<T> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

fn down() -> Result<(), Fault> {
    Err(Fault::http(503))
}

fn fine() -> Result<(), Fault> {
    Ok(())
}

fn summary(end: Result<(), GaveUp>) -> (Reason, u32, Option<Duration>) {
    let gave_up = end.unwrap_err();
    (gave_up.reason, gave_up.attempts, gave_up.retry_after())
}

fn rejected(attempts: u32, retry_after: Duration) -> (Reason, u32, Option<Duration>) {
    (Reason::BreakerOpen, attempts, Some(retry_after))
}

/// G1, G2: consecutive failures open the breaker within a session; a rejection is not an attempt
/// and has the time until the next probe.
#[test]
fn failures_open_the_breaker() {
    for by in BOTH {
        for policy in [Policy::fixed(SECOND), Policy::fixed(SECOND).max_duration(600 * SECOND)] {
            let (world, breaker) = (World::new([]), breaker(3));
            let policy = build(policy.max_attempts(9));
            let calls = Cell::new(0);
            let count = || {
                calls.set(calls.get() + 1);
                down()
            };
            let end = session!(by, world, &policy, count, breaker(&breaker));
            // The session waits a second after the third failure before the next attempt.
            assert_eq!(summary(end), rejected(3, TIMEOUT - SECOND), "{by:?}");
            assert_eq!(calls.get(), 3);
            let end = session!(by, world, &policy, count, breaker(&breaker));
            assert_eq!(summary(end), rejected(0, TIMEOUT - SECOND), "{by:?}");
            assert_eq!(calls.get(), 3);
        }
    }
}

/// G1: failures of all sessions count together, and a success resets the count.
#[test]
fn breaker_counts_failures_of_all_sessions() {
    for by in BOTH {
        let (world, breaker) = (World::new([]), breaker(3));
        let once = build(Policy::immediate().max_attempts(1));
        for (operation, state) in [
            (down as fn() -> Result<(), Fault>, BreakerState::Closed),
            (down, BreakerState::Closed),
            (fine, BreakerState::Closed),
            (down, BreakerState::Closed),
            (down, BreakerState::Closed),
            (down, BreakerState::Open),
        ] {
            let _ = session!(by, world, &once, operation, breaker(&breaker));
            assert_eq!(breaker.state(world.now()), state, "{by:?}");
        }
    }
}

/// G1: after the timeout one attempt is the probe: success closes the breaker, failure reopens
/// it.
#[test]
fn probe_result_closes_or_reopens_the_breaker() {
    for by in BOTH {
        let policy = build(Policy::immediate().max_attempts(5));
        for (operation, state) in
            [(down as fn() -> Result<(), Fault>, BreakerState::Open), (fine, BreakerState::Closed)]
        {
            let (world, breaker) = (World::new([]), breaker(1));
            assert_eq!(
                summary(session!(by, world, &policy, down, breaker(&breaker))),
                rejected(1, TIMEOUT)
            );
            world.pass(TIMEOUT);
            let end = session!(by, world, &policy, operation, breaker(&breaker));
            assert_eq!(breaker.state(world.now()), state);
            if state == BreakerState::Open {
                assert_eq!(summary(end), rejected(1, TIMEOUT));
            }
        }
    }
}

/// G2: while a probe is in flight, other calls are rejected.
#[test]
fn half_open_breaker_permits_one_probe() {
    let (world, breaker) = (World::new([]), breaker(1));
    let policy = build(Policy::immediate());
    breaker.open(world.now());
    world.pass(TIMEOUT);
    let session = retry(&policy, pending::<Result<(), Fault>>);
    let session = session.environment(world.clone()).breaker(&breaker);
    let mut session = pin!(session.into_future());
    assert!(poll(session.as_mut()).is_pending());
    for by in BOTH {
        let end = session!(by, world, &policy, fine, breaker(&breaker));
        assert_eq!(summary(end), rejected(0, TIMEOUT));
    }
}

/// G2: a dropped future releases the permit of its probe, at any attempt, for the breaker of
/// the call and of the policy.
#[test]
fn dropped_probe_releases_its_permit() {
    let (world, breaker) = (World::new([]), breaker(1));
    for policy in
        [build(Policy::immediate()), build(Policy::immediate().max_duration(600 * SECOND))]
    {
        breaker.open(world.now());
        world.pass(TIMEOUT);
        {
            let session = retry(&policy, pending::<Result<(), Fault>>);
            let session = session.environment(world.clone()).breaker(&breaker);
            let mut session = pin!(session.into_future());
            assert!(poll(session.as_mut()).is_pending());
            assert!(breaker.acquire(world.now()).is_err());
        }
        assert!(session!(By::Blocking, world, &policy, fine, breaker(&breaker)).is_ok());
        assert_eq!(breaker.state(world.now()), BreakerState::Closed);
    }

    let policy = build(Policy::immediate().max_attempts(1).breaker(simple(1)));
    assert!(session!(By::Blocking, world, &policy, down).is_err());
    world.pass(TIMEOUT);
    {
        let session = retry(&policy, pending::<Result<(), Fault>>);
        let mut session = pin!(session.environment(world.clone()).into_future());
        assert!(poll(session.as_mut()).is_pending());
        let end = session!(By::Future, world, &policy, fine);
        assert_eq!(summary(end), rejected(0, TIMEOUT));
    }
    assert!(session!(By::Future, world, &policy, fine).is_ok());
}

/// G2: a probe with a final error says nothing about the service; its permit is released.
#[test]
fn probe_with_final_error_releases_its_permit() {
    for by in BOTH {
        let (world, breaker) = (World::new([]), breaker(1));
        let policy = build(Policy::immediate());
        breaker.open(world.now());
        world.pass(TIMEOUT);
        let end =
            session!(by, world, &policy, || Err::<(), _>(Fault::http(404)), breaker(&breaker));
        assert_eq!(summary(end).0, Reason::Final);
        assert!(session!(by, world, &policy, fine, breaker(&breaker)).is_ok());
        assert_eq!(breaker.state(world.now()), BreakerState::Closed);
    }
}

/// G2: final errors do not count unless configured.
#[test]
fn final_errors_count_if_configured() {
    for by in BOTH {
        for (count_final, state) in [(false, BreakerState::Closed), (true, BreakerState::Open)] {
            let mut settings = simple(3);
            settings.count_final = count_final;
            let (world, breaker) = (World::new([]), Breaker::new(settings).unwrap());
            let policy = build(Policy::immediate());
            for _ in 0..3 {
                let wrong = || Err::<(), _>(Fault::http(400));
                let _ = session!(by, world, &policy, wrong, breaker(&breaker));
            }
            assert_eq!(breaker.state(world.now()), state);
        }
    }
}

/// G1: a breaker's transition is reported to the instruments of the session that caused it.
#[test]
fn breaker_transitions_are_observed() {
    struct Changes<'c>(&'c RefCell<Vec<BreakerState>>);
    impl steadfast::Instrument for Changes<'_> {
        fn observes(&self) -> bool {
            true
        }

        fn observe(&mut self, happening: &steadfast::drive::SessionEvent<'_>) {
            if let EventKind::Breaker(transition) = happening.kind {
                self.0.borrow_mut().push(transition.to);
            }
        }
    }
    for by in BOTH {
        let changes = RefCell::default();
        let (world, breaker) = (World::new([]), breaker(1));
        let policy = build(Policy::immediate());
        let _ =
            session!(by, world, &policy, down, breaker(&breaker), instrument(Changes(&changes)));
        assert_eq!(changes.take(), [BreakerState::Open]);
        world.pass(TIMEOUT);
        let _ =
            session!(by, world, &policy, fine, breaker(&breaker), instrument(Changes(&changes)));
        assert_eq!(changes.take(), [BreakerState::Closed]);
    }
}

/// G3: a retry is withdrawn before its wait; with an exhausted budget the session gives up at
/// once.
#[test]
fn retry_is_withdrawn_before_the_wait() {
    for by in BOTH {
        for policy in [Policy::fixed(SECOND), Policy::fixed(SECOND).max_duration(600 * SECOND)] {
            let policy = build(policy.max_attempts(9));
            let world = World::new([]);
            // One at once, and another every ten seconds.
            let budget = Budget::new(BudgetSettings::Rate { retries_per_second: 0.1 }).unwrap();
            let end = session!(by, world, &policy, down, budget(&budget));
            assert_eq!(summary(end), (Reason::BudgetExhausted, 2, None), "{by:?}");
            assert_eq!(world.waits(), [SECOND]);
            let end = session!(by, world, &policy, down, budget(&budget));
            assert_eq!(summary(end), (Reason::BudgetExhausted, 1, None));
            // It refills with time.
            world.pass(20 * SECOND);
            let end = session!(by, world, &policy, down, budget(&budget));
            assert_eq!(summary(end), (Reason::BudgetExhausted, 2, None));
        }
    }
}

/// G3: successes refill the budget, including those of first attempts.
#[test]
fn success_deposits_into_the_budget() {
    for by in BOTH {
        let (world, policy) = (World::new([]), build(Policy::immediate().max_attempts(9)));
        let settings =
            BudgetSettings::Ratio { ratio: 0.5, min_per_second: 0.0, window: 10 * SECOND };
        let budget = Budget::new(settings).unwrap();
        let end = session!(by, world, &policy, down, budget(&budget));
        assert_eq!(summary(end), (Reason::BudgetExhausted, 1, None));
        for _ in 0..4 {
            assert!(session!(by, world, &policy, fine, budget(&budget)).is_ok());
        }
        let end = session!(by, world, &policy, down, budget(&budget));
        assert_eq!(summary(end), (Reason::BudgetExhausted, 3, None));
    }
}

/// G3: a failure that is not retried withdraws nothing.
#[test]
fn final_failure_withdraws_nothing() {
    for by in BOTH {
        let world = World::new([]);
        let budget = Budget::new(BudgetSettings::Rate { retries_per_second: 5.0 }).unwrap();
        let (once, thrice) =
            (build(Policy::immediate().max_attempts(1)), build(Policy::immediate()));
        let _ = session!(by, world, &once, down, budget(&budget));
        let wrong = || Err::<(), _>(Fault::of(Kind::Argument));
        let _ = session!(by, world, &thrice, wrong, budget(&budget));
        assert_eq!(budget.balance(world.now()), 5);
    }
}

/// G1, G3: a policy's guards apply without code, in both drivers.
#[test]
fn policy_guards_apply_to_its_sessions() {
    for by in BOTH {
        let world = World::new([]);
        let policy = build(Policy::immediate().max_attempts(9).breaker(simple(3)));
        assert_eq!(summary(session!(by, world, &policy, down)), rejected(3, TIMEOUT), "{by:?}");
        assert_eq!(summary(session!(by, world, &policy, fine)), rejected(0, TIMEOUT), "{by:?}");
        world.pass(TIMEOUT);
        assert!(session!(by, world, &policy, fine).is_ok());

        let simple = Policy::immediate()
            .max_attempts(9)
            .enable_circuit_breaker(true)
            .circuit_breaker_threshold(2)
            .circuit_breaker_timeout(TIMEOUT);
        let policy = build(simple);
        assert_eq!(summary(session!(by, world, &policy, down)), rejected(2, TIMEOUT), "{by:?}");

        let budget = BudgetSettings::Rate { retries_per_second: 3.0 };
        let policy = build(Policy::immediate().max_attempts(9).budget(budget));
        let end = session!(by, world, &policy, down);
        assert_eq!(summary(end), (Reason::BudgetExhausted, 4, None), "{by:?}");
        let end = session!(by, world, &policy, down);
        assert_eq!(summary(end), (Reason::BudgetExhausted, 1, None), "{by:?}");
    }
}

/// G1, G2: with two breakers, the permit of the first is released if the second rejects the
/// attempt.
#[test]
fn rejection_by_second_breaker_releases_first_permit() {
    for by in BOTH {
        let (world, [one, other]) = (World::new([]), [breaker(1), breaker(1)]);
        let policy = build(Policy::immediate());
        one.open(world.now());
        world.pass(TIMEOUT);
        other.open(world.now());
        let end = session!(by, world, &policy, fine, breaker(&one), breaker(&other));
        assert_eq!(summary(end), rejected(0, TIMEOUT));
        assert!(one.acquire(world.now()).unwrap().is_probe());
    }

    // At once, before the session is dropped.
    let (world, [one, other]) = (World::new([]), [breaker(1), breaker(1)]);
    let policy = build(Policy::immediate());
    one.open(world.now());
    world.pass(TIMEOUT);
    other.open(world.now());
    let session = retry(&policy, || ready(fine())).environment(world.clone());
    let mut session = pin!(session.breaker(&one).breaker(&other).into_future());
    assert!(poll(session.as_mut()).is_ready());
    assert!(one.acquire(world.now()).unwrap().is_probe());
}

/// G4: policies with the same id share their guards, wherever they run.
#[test]
fn policies_with_one_id_share_guards() {
    for by in BOTH {
        let world = World::new([]);
        let named = |id: &str| {
            build(Policy::immediate().max_attempts(9).breaker(simple(3)).id(format!("{id} {by:?}")))
        };
        let [one, same, other] = [named("shared"), named("shared"), named("other")];
        assert!(session!(by, world, &same, fine).is_ok());
        assert_eq!(summary(session!(by, world, &one, down)), rejected(3, TIMEOUT));
        assert_eq!(summary(session!(by, world, &same, fine)), rejected(0, TIMEOUT));
        assert!(session!(by, world, &other, fine).is_ok());
    }
}

/// G4: a clone shares the guards of its original, named or not; two policies without a name
/// share nothing.
#[test]
fn cloned_policy_shares_guards() {
    for by in BOTH {
        let world = World::new([]);
        let unnamed = || build(Policy::immediate().max_attempts(9).breaker(simple(3)));
        let (one, other) = (unnamed(), unnamed());
        let clone = one.clone();
        assert_eq!(summary(session!(by, world, &one, down)), rejected(3, TIMEOUT));
        assert_eq!(summary(session!(by, world, &clone, fine)), rejected(0, TIMEOUT));
        assert!(session!(by, world, &other, fine).is_ok());
    }
}

/// G4: changed settings keep an open breaker open, and hold from then on.
#[test]
fn open_breaker_stays_open_after_settings_change() {
    for by in BOTH {
        let world = World::new([]);
        let with = |threshold| {
            let id = format!("changed {by:?}");
            build(Policy::immediate().max_attempts(9).breaker(simple(threshold)).id(id))
        };
        let old = with(3);
        assert_eq!(summary(session!(by, world, &old, down)), rejected(3, TIMEOUT));
        let new = with(5);
        assert_eq!(summary(session!(by, world, &new, fine)), rejected(0, TIMEOUT));
        world.pass(TIMEOUT);
        assert!(session!(by, world, &new, fine).is_ok());
        assert_eq!(summary(session!(by, world, &new, down)), rejected(5, TIMEOUT));
    }
}

/// G4: a reload drops the old policies before the new ones are used; state survives that, too.
#[test]
fn guards_outlive_their_policies() {
    for by in BOTH {
        let world = World::new([]);
        let load = || {
            let draft = Policy::immediate().max_attempts(9).breaker(simple(3));
            let budget = BudgetSettings::Rate { retries_per_second: 5.0 };
            build(draft.budget(budget).id(format!("reloaded {by:?}")))
        };
        let old = load();
        assert_eq!(summary(session!(by, world, &old, down)), rejected(3, TIMEOUT));
        drop(old);
        let new = load();
        assert_eq!(summary(session!(by, world, &new, fine)), rejected(0, TIMEOUT));
    }
}

/// G4: a change of one guard leaves the other one as it was.
#[test]
fn changed_breaker_settings_keep_the_budget() {
    for by in BOTH {
        let world = World::new([]);
        let with = |threshold| {
            let budget = BudgetSettings::Rate { retries_per_second: 3.0 };
            let draft = Policy::immediate().max_attempts(99).breaker(simple(threshold));
            build(draft.budget(budget).id(format!("kept {by:?}")))
        };
        let (old, new) = (with(50), with(60));
        assert_eq!(summary(session!(by, world, &old, down)), (Reason::BudgetExhausted, 4, None));
        assert_eq!(summary(session!(by, world, &new, down)), (Reason::BudgetExhausted, 1, None));
    }
}

/// G1, G4: control of a breaker by name reaches sessions under earlier settings.
#[test]
fn breaker_control_reaches_every_version_in_use() {
    let version = |threshold| {
        let policy = Policy::immediate().id("controlled.versions").enable_circuit_breaker(true);
        policy.circuit_breaker_threshold(threshold).build().unwrap()
    };
    let is_let_through =
        |policy: &Policy| guard::for_policy(policy).before_attempt(|| Real.now()).is_ok();
    let (old, new) = (version(3), version(5));
    assert!(is_let_through(&old) && is_let_through(&new));
    let named = || {
        let mut breakers = guard::breakers().into_iter();
        breakers.find(|breaker| breaker.name == "controlled.versions").unwrap()
    };
    assert_eq!(named().each().count(), 2);
    for breaker in named().each() {
        breaker.isolate(Real.now());
    }
    assert!(!is_let_through(&old) && !is_let_through(&new));
    drop(old);
    assert_eq!(named().each().count(), 1, "nothing runs under the earlier one any more");
}

/// P5, G2: under `on_open: wait` a session waits for the next probe, which is its next attempt.
#[test]
fn session_waits_for_the_probe_of_an_open_breaker() {
    for by in BOTH {
        let (world, breaker) = (World::new([]), breaker(1));
        let policy = build(Policy::immediate().on_open(OnOpen::Wait));
        breaker.open(world.now());
        let result = session!(by, world, &policy, fine, breaker(&breaker));
        assert_eq!((result, world.now().since(Moment::ORIGIN)), (Ok(()), TIMEOUT), "{by:?}");
    }
}

/// The same for the breaker of the policy, whose first failure opens it.
#[test]
fn session_waits_for_the_breaker_that_its_own_failure_opened() {
    for by in BOTH {
        let world = World::new([]);
        let policy = build(Policy::immediate().on_open(OnOpen::Wait).breaker(simple(1)));
        let mut left = 1;
        let mut failing_once = || match std::mem::replace(&mut left, 0) {
            0 => Ok(()),
            _ => Err(Fault::http(503)),
        };
        let result = session!(by, world, &policy, failing_once);
        assert_eq!((result, world.now().since(Moment::ORIGIN)), (Ok(()), TIMEOUT), "{by:?}");
    }
}

#[test]
fn session_that_would_wait_past_its_deadline_gives_up_at_once() {
    for by in BOTH {
        let (world, breaker) = (World::new([]), breaker(1));
        let policy = build(Policy::immediate().on_open(OnOpen::Wait).max_duration(TIMEOUT / 2));
        breaker.open(world.now());
        let end = session!(by, world, &policy, fine, breaker(&breaker));
        assert_eq!(summary(end), rejected(0, TIMEOUT), "{by:?}");
        assert_eq!(world.now().since(Moment::ORIGIN), Duration::ZERO, "{by:?}");
    }
}

/// G2: the rejection, with what opened the breaker, is in the error.
#[test]
fn rejection_says_what_opened_the_breaker() {
    for by in BOTH {
        let (world, breaker) = (World::new([]), breaker(2));
        let policy = build(Policy::immediate().max_attempts(5));
        let gave_up = session!(by, world, &policy, down, breaker(&breaker)).unwrap_err();
        let text = gave_up.to_string();
        assert!(text.starts_with("gave up after 2 attempts: circuit breaker is open"), "{text}");
        assert!(text.contains("503"), "{text}");
    }
}
