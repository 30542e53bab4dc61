//! Breakers and budgets as sessions meet them (G1 to G4).

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
use steadfast::policy::Draft;
use steadfast::{Fault, Kind, Policy, Reason, guard, retry};

use world::World;

const SECOND: Duration = Duration::from_secs(1);
const TIMEOUT: Duration = Duration::from_secs(60);

/// Both drivers, by turns.
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

/// Runs one session of an operation in this world, with what else is said about it.
macro_rules! session {
    ($by:expr, $world:expr, $policy:expr, $operation:expr $(, $method:ident($argument:expr))*) => {
        match $by {
            By::Blocking => retry($policy, $operation)
                .facts(Fault::clone)
                .environment($world.clone())
                $(.$method($argument))*
                .call(),
            By::Future => {
                let session = retry($policy, || ready($operation()))
                    .facts(Fault::clone)
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

fn told(end: Result<(), GaveUp>) -> (Reason, u32, Option<Duration>) {
    let gave_up = end.unwrap_err();
    (gave_up.reason, gave_up.attempts, gave_up.retry_after)
}

fn rejected(attempts: u32, retry_after: Duration) -> (Reason, u32, Option<Duration>) {
    (Reason::BreakerOpen, attempts, Some(retry_after))
}

/// G1, G2: failures in a row open it in the middle of a session; what it then rejects is no
/// attempt, and carries the time until the next probe.
#[test]
fn failures_open_it() {
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
            // It waits a second after the third failure, and only then asks again.
            assert_eq!(told(end), rejected(3, TIMEOUT - SECOND), "{by:?}");
            assert_eq!(calls.get(), 3);
            let end = session!(by, world, &policy, count, breaker(&breaker));
            assert_eq!(told(end), rejected(0, TIMEOUT - SECOND), "{by:?}");
            assert_eq!(calls.get(), 3);
        }
    }
}

/// G1: failures add up over sessions, and a success between them starts the count again.
#[test]
fn sessions_count_together() {
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

/// G1: when its time is over one attempt is the probe: success closes it, failure opens it
/// again.
#[test]
fn a_probe_decides() {
    for by in BOTH {
        let policy = build(Policy::immediate().max_attempts(5));
        for (operation, state) in
            [(down as fn() -> Result<(), Fault>, BreakerState::Open), (fine, BreakerState::Closed)]
        {
            let (world, breaker) = (World::new([]), breaker(1));
            assert_eq!(
                told(session!(by, world, &policy, down, breaker(&breaker))),
                rejected(1, TIMEOUT)
            );
            world.pass(TIMEOUT);
            let end = session!(by, world, &policy, operation, breaker(&breaker));
            assert_eq!(breaker.state(world.now()), state);
            if state == BreakerState::Open {
                assert_eq!(told(end), rejected(1, TIMEOUT));
            }
        }
    }
}

/// G2: while a probe is on its way, nobody else is let through.
#[test]
fn one_probe_at_a_time() {
    let (world, breaker) = (World::new([]), breaker(1));
    let policy = build(Policy::immediate());
    breaker.open(world.now());
    world.pass(TIMEOUT);
    let session = retry(&policy, pending::<Result<(), Fault>>).facts(Fault::clone);
    let session = session.environment(world.clone()).breaker(&breaker);
    let mut session = pin!(session.into_future());
    assert!(poll(session.as_mut()).is_pending());
    for by in BOTH {
        let end = session!(by, world, &policy, fine, breaker(&breaker));
        assert_eq!(told(end), rejected(0, TIMEOUT));
    }
}

/// G2: a dropped future gives its probe back, at its first attempt or later, whether the
/// breaker came with the call or with the policy.
#[test]
fn a_dropped_probe_is_given_back() {
    let (world, breaker) = (World::new([]), breaker(1));
    for policy in
        [build(Policy::immediate()), build(Policy::immediate().max_duration(600 * SECOND))]
    {
        breaker.open(world.now());
        world.pass(TIMEOUT);
        {
            let session = retry(&policy, pending::<Result<(), Fault>>).facts(Fault::clone);
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
        let session = retry(&policy, pending::<Result<(), Fault>>).facts(Fault::clone);
        let mut session = pin!(session.environment(world.clone()).into_future());
        assert!(poll(session.as_mut()).is_pending());
        let end = session!(By::Future, world, &policy, fine);
        assert_eq!(told(end), rejected(0, TIMEOUT));
    }
    assert!(session!(By::Future, world, &policy, fine).is_ok());
}

/// G2: a probe that ended with the caller's own mistake says nothing, and is given back.
#[test]
fn a_final_probe_is_given_back() {
    for by in BOTH {
        let (world, breaker) = (World::new([]), breaker(1));
        let policy = build(Policy::immediate());
        breaker.open(world.now());
        world.pass(TIMEOUT);
        let end =
            session!(by, world, &policy, || Err::<(), _>(Fault::http(404)), breaker(&breaker));
        assert_eq!(told(end).0, Reason::Final);
        assert!(session!(by, world, &policy, fine, breaker(&breaker)).is_ok());
        assert_eq!(breaker.state(world.now()), BreakerState::Closed);
    }
}

/// G2: final errors, those of the caller's own making, do not count unless told to.
#[test]
fn final_errors_count_if_told() {
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

/// G1: a breaker's change of state is told to those who watch the session that caused it.
#[test]
fn changes_are_observed() {
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

/// G3: a retry is drawn before it is waited for; with nothing left the session gives up at
/// once.
#[test]
fn a_retry_is_drawn_before_the_wait() {
    for by in BOTH {
        for policy in [Policy::fixed(SECOND), Policy::fixed(SECOND).max_duration(600 * SECOND)] {
            let policy = build(policy.max_attempts(9));
            let world = World::new([]);
            // One at once, and another every ten seconds.
            let budget = Budget::new(BudgetSettings::Rate { retries_per_second: 0.1 }).unwrap();
            let end = session!(by, world, &policy, down, budget(&budget));
            assert_eq!(told(end), (Reason::BudgetExhausted, 2, None), "{by:?}");
            assert_eq!(world.waits(), [SECOND]);
            let end = session!(by, world, &policy, down, budget(&budget));
            assert_eq!(told(end), (Reason::BudgetExhausted, 1, None));
            // It refills with time.
            world.pass(20 * SECOND);
            let end = session!(by, world, &policy, down, budget(&budget));
            assert_eq!(told(end), (Reason::BudgetExhausted, 2, None));
        }
    }
}

/// G3: and it refills with success, of first attempts as well.
#[test]
fn success_pays_in() {
    for by in BOTH {
        let (world, policy) = (World::new([]), build(Policy::immediate().max_attempts(9)));
        let settings =
            BudgetSettings::Ratio { ratio: 0.5, min_per_second: 0.0, window: 10 * SECOND };
        let budget = Budget::new(settings).unwrap();
        let end = session!(by, world, &policy, down, budget(&budget));
        assert_eq!(told(end), (Reason::BudgetExhausted, 1, None));
        for _ in 0..4 {
            assert!(session!(by, world, &policy, fine, budget(&budget)).is_ok());
        }
        let end = session!(by, world, &policy, down, budget(&budget));
        assert_eq!(told(end), (Reason::BudgetExhausted, 3, None));
    }
}

/// G3: what is not retried for another reason draws nothing.
#[test]
fn what_is_not_retried_draws_nothing() {
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

/// G1, G3: a policy's own guards work without a word in the code, in both drivers.
#[test]
fn a_policy_has_guards() {
    for by in BOTH {
        let world = World::new([]);
        let policy = build(Policy::immediate().max_attempts(9).breaker(simple(3)));
        assert_eq!(told(session!(by, world, &policy, down)), rejected(3, TIMEOUT), "{by:?}");
        assert_eq!(told(session!(by, world, &policy, fine)), rejected(0, TIMEOUT), "{by:?}");
        world.pass(TIMEOUT);
        assert!(session!(by, world, &policy, fine).is_ok());

        let simple = Policy::immediate()
            .max_attempts(9)
            .enable_circuit_breaker(true)
            .circuit_breaker_threshold(2)
            .circuit_breaker_timeout(TIMEOUT);
        let policy = build(simple);
        assert_eq!(told(session!(by, world, &policy, down)), rejected(2, TIMEOUT), "{by:?}");

        let budget = BudgetSettings::Rate { retries_per_second: 3.0 };
        let policy = build(Policy::immediate().max_attempts(9).budget(budget));
        let end = session!(by, world, &policy, down);
        assert_eq!(told(end), (Reason::BudgetExhausted, 4, None), "{by:?}");
        let end = session!(by, world, &policy, down);
        assert_eq!(told(end), (Reason::BudgetExhausted, 1, None), "{by:?}");
    }
}

/// G1, G2: with two breakers, the one that would have let it through keeps no permit of an
/// attempt that the other one rejected.
#[test]
fn two_breakers_agree_or_let_go() {
    for by in BOTH {
        let (world, [one, other]) = (World::new([]), [breaker(1), breaker(1)]);
        let policy = build(Policy::immediate());
        one.open(world.now());
        world.pass(TIMEOUT);
        other.open(world.now());
        let end = session!(by, world, &policy, fine, breaker(&one), breaker(&other));
        assert_eq!(told(end), rejected(0, TIMEOUT));
        assert!(one.acquire(world.now()).unwrap().is_probe());
    }

    // At once, not when what is left of the session is dropped.
    let (world, [one, other]) = (World::new([]), [breaker(1), breaker(1)]);
    let policy = build(Policy::immediate());
    one.open(world.now());
    world.pass(TIMEOUT);
    other.open(world.now());
    let session = retry(&policy, || ready(fine())).facts(Fault::clone).environment(world.clone());
    let mut session = pin!(session.breaker(&one).breaker(&other).into_future());
    assert!(poll(session.as_mut()).is_ready());
    assert!(one.acquire(world.now()).unwrap().is_probe());
}

/// G4: policies of one id share their guards, whoever made them and wherever they run.
#[test]
fn an_id_shares_guards() {
    for by in BOTH {
        let world = World::new([]);
        let named = |id: &str| {
            build(Policy::immediate().max_attempts(9).breaker(simple(3)).id(format!("{id} {by:?}")))
        };
        let [one, same, other] = [named("shared"), named("shared"), named("other")];
        assert!(session!(by, world, &same, fine).is_ok());
        assert_eq!(told(session!(by, world, &one, down)), rejected(3, TIMEOUT));
        assert_eq!(told(session!(by, world, &same, fine)), rejected(0, TIMEOUT));
        assert!(session!(by, world, &other, fine).is_ok());
    }
}

/// G4: a clone shares the guards of its original, named or not; two policies without a name
/// share nothing.
#[test]
fn a_clone_shares_guards() {
    for by in BOTH {
        let world = World::new([]);
        let unnamed = || build(Policy::immediate().max_attempts(9).breaker(simple(3)));
        let (one, other) = (unnamed(), unnamed());
        let clone = one.clone();
        assert_eq!(told(session!(by, world, &one, down)), rejected(3, TIMEOUT));
        assert_eq!(told(session!(by, world, &clone, fine)), rejected(0, TIMEOUT));
        assert!(session!(by, world, &other, fine).is_ok());
    }
}

/// G4: changed settings keep an open breaker open, and hold from then on.
#[test]
fn an_open_breaker_stays_open_through_a_change() {
    for by in BOTH {
        let world = World::new([]);
        let with = |threshold| {
            let id = format!("changed {by:?}");
            build(Policy::immediate().max_attempts(9).breaker(simple(threshold)).id(id))
        };
        let old = with(3);
        assert_eq!(told(session!(by, world, &old, down)), rejected(3, TIMEOUT));
        let new = with(5);
        assert_eq!(told(session!(by, world, &new, fine)), rejected(0, TIMEOUT));
        world.pass(TIMEOUT);
        assert!(session!(by, world, &new, fine).is_ok());
        assert_eq!(told(session!(by, world, &new, down)), rejected(5, TIMEOUT));
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
        assert_eq!(told(session!(by, world, &old, down)), rejected(3, TIMEOUT));
        drop(old);
        let new = load();
        assert_eq!(told(session!(by, world, &new, fine)), rejected(0, TIMEOUT));
    }
}

/// G4: a change of one guard leaves the other one as it was.
#[test]
fn a_changed_breaker_keeps_the_budget() {
    for by in BOTH {
        let world = World::new([]);
        let with = |threshold| {
            let budget = BudgetSettings::Rate { retries_per_second: 3.0 };
            let draft = Policy::immediate().max_attempts(99).breaker(simple(threshold));
            build(draft.budget(budget).id(format!("kept {by:?}")))
        };
        let (old, new) = (with(50), with(60));
        assert_eq!(told(session!(by, world, &old, down)), (Reason::BudgetExhausted, 4, None));
        assert_eq!(told(session!(by, world, &new, down)), (Reason::BudgetExhausted, 1, None));
    }
}

/// G1, G4: whoever steers a breaker by its name reaches what still runs under earlier settings.
#[test]
fn a_breaker_is_steered_in_every_version_that_is_in_use() {
    let version = |threshold| {
        let policy = Policy::immediate().id("steered.versions").enable_circuit_breaker(true);
        policy.circuit_breaker_threshold(threshold).build().unwrap()
    };
    let is_let_through =
        |policy: &Policy| guard::for_policy(policy).before_attempt(|| Real.now()).is_ok();
    let (old, new) = (version(3), version(5));
    assert!(is_let_through(&old) && is_let_through(&new));
    let named = || {
        let mut breakers = guard::breakers().into_iter();
        breakers.find(|breaker| breaker.name == "steered.versions").unwrap()
    };
    assert_eq!(named().each().count(), 2);
    for breaker in named().each() {
        breaker.isolate(Real.now());
    }
    assert!(!is_let_through(&old) && !is_let_through(&new));
    drop(old);
    assert_eq!(named().each().count(), 1, "nothing runs under the earlier one any more");
}
