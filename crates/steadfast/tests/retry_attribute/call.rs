//! What is said about the call: judge, facts, guards, instruments, the attempt, the environment
//! (I8, I2).

use std::io;
use std::sync::LazyLock;
use std::time::Duration;

use steadfast::drive::{BlockingSleeper, Environment};
use steadfast::guard::{Breaker, BreakerSettings, Budget, BudgetSettings};
use steadfast::{Class, Fault, GaveUp, Kind, Moment, Reason, RetryError, retry};

use crate::{Flaky, refused};

fn never(_: &Fault) -> Option<Class> {
    Some(Class::Final)
}

#[retry(backoff_type = "immediate", judge = never)]
fn judged(service: &Flaky) -> io::Result<u32> {
    service.ask()
}

#[retry(backoff_type = "immediate", judge = |fault| fault.kind.map(|_| Class::Final))]
fn judged_by_closure(service: &Flaky) -> io::Result<u32> {
    service.ask()
}

#[test]
fn judge_parameter_overrides_rules() {
    for judged in [judged, judged_by_closure] {
        let service = Flaky::down();
        assert!(judged(&service).is_err());
        assert_eq!(service.calls(), 1);
    }
}

/// An error without facts.
#[derive(Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
struct Mute(&'static str);

impl From<GaveUp> for Mute {
    fn from(_: GaveUp) -> Self {
        Self("gave up")
    }
}

fn interpret(error: &Mute) -> Fault {
    if error.0 == "busy" { Fault::of(Kind::Timeout) } else { Fault::default() }
}

#[retry(backoff_type = "immediate", facts = interpret)]
fn interpreted(words: &'static str, calls: &mut u32) -> Result<(), Mute> {
    *calls += 1;
    Err(Mute(words))
}

/// J1: facts by a function, for errors without their own.
#[test]
fn facts_parameter_extracts_facts() {
    let mut calls = 0;
    assert_eq!(interpreted("busy", &mut calls), Err(Mute("busy")));
    assert_eq!(calls, 3);
    assert_eq!(interpreted("wrong", &mut calls), Err(Mute("wrong")));
    assert_eq!(calls, 3 + 1);
}

/// An error without facts whose cause has some.
#[derive(Debug, thiserror::Error)]
#[error("wrapped")]
struct Wrapped(#[source] io::Error);

impl From<GaveUp> for Wrapped {
    fn from(gave_up: GaveUp) -> Self {
        Self(gave_up.into())
    }
}

#[retry(backoff_type = "immediate", facts = steadfast::extract::chain)]
fn by_its_causes(service: &Flaky) -> Result<u32, Wrapped> {
    service.ask().map_err(Wrapped)
}

/// J8: any error's causes, where the error itself is unknown.
#[test]
fn facts_parameter_extracts_causes() {
    assert_eq!(by_its_causes(&Flaky::failing(2)).unwrap(), 3);
}

static SHARED: LazyLock<Breaker> = LazyLock::new(|| {
    Breaker::new(BreakerSettings::consecutive(2, Duration::from_secs(60))).unwrap()
});

#[retry(backoff_type = "immediate", breaker = SHARED)]
fn guarded() -> Result<(), RetryError<io::Error>> {
    Err(refused())
}

/// G1: a breaker that functions share.
#[test]
fn breaker_parameter_rejects_attempts() {
    let error = guarded().unwrap_err();
    assert_eq!((error.reason(), error.attempts()), (Reason::BreakerOpen, 2));
    let error = guarded().unwrap_err();
    assert_eq!((error.reason(), error.attempts()), (Reason::BreakerOpen, 0));
}

macro_rules! with_breaker_of_its_own {
    ($($name:ident($($parameters:tt)*))*) => {
        $(#[retry($($parameters)*)]
        fn $name() -> Result<(), RetryError<io::Error>> {
            Err(refused())
        })*
    };
}

with_breaker_of_its_own! {
    inline(
        backoff_type = "immediate",
        enable_circuit_breaker = true,
        circuit_breaker_threshold = 2,
        circuit_breaker_timeout = "1m",
    )
    first(policy = "grpc", backoff_type = "immediate", enable_circuit_breaker = true, circuit_breaker_threshold = 2)
    second(policy = "grpc", backoff_type = "immediate", enable_circuit_breaker = true, circuit_breaker_threshold = 2)
}

/// G1, G4: the simple breaker, inline. It belongs to the function, also beside a name.
#[test]
fn inline_breaker_belongs_to_the_function() {
    for function in [inline, first, second] {
        let error = function().unwrap_err();
        assert_eq!((error.reason(), error.attempts()), (Reason::BreakerOpen, 2));
    }
}

struct Spender {
    budget: Budget,
}

impl Spender {
    #[retry(backoff_type = "immediate", budget = self.budget)]
    fn spend(&self) -> Result<(), RetryError<io::Error>> {
        Err(refused())
    }
}

/// G3: retries drawn from a budget.
#[test]
fn budget_parameter_limits_retries() {
    let spender = Spender {
        budget: Budget::new(BudgetSettings::Tokens { max_tokens: 10, token_ratio: 1.0 }).unwrap(),
    };
    let reasons: Vec<_> = (0..5).map(|_| spender.spend().unwrap_err().reason()).collect();
    assert!(reasons.contains(&Reason::BudgetExhausted), "{reasons:?}");
    assert_eq!(reasons[0], Reason::AttemptsExhausted);
}

#[retry(backoff_type = "immediate", attempt = attempt)]
fn numbered(keys: &mut Vec<String>) -> Result<u32, io::Error> {
    keys.push(attempt.key().to_string());
    if attempt.number() < 3 { Err(refused()) } else { Ok(attempt.number()) }
}

#[retry(backoff_type = "immediate", attempt = this)]
async fn numbered_async() -> Result<Option<Kind>, io::Error> {
    match this.previous() {
        None => Err(refused()),
        Some(fault) => Ok(fault.kind),
    }
}

/// I2, J9: the body may take the attempt; each sees the same key.
#[tokio::test]
async fn attempt_parameter_binds_the_attempt() {
    let mut keys = Vec::new();
    assert_eq!(numbered(&mut keys).unwrap(), 3);
    assert_eq!(keys.len(), 3);
    assert!(keys.iter().all(|key| *key == keys[0]));
    assert_eq!(numbered_async().await.unwrap(), Some(Kind::ConnectionRefused));
}

#[retry(attempt_timeout = "1h", attempt = attempt)]
fn with_deadline() -> io::Result<bool> {
    Ok(attempt.deadline().is_some())
}

/// A plain function is not interrupted, but can see when it should end.
#[test]
fn blocking_function_sees_its_deadline() {
    assert!(with_deadline().unwrap());
}

/// A clock that only waiting moves.
#[derive(Default)]
struct Virtual(std::cell::Cell<Duration>);

impl Environment for &Virtual {
    type Sleep = ();

    fn now(&self) -> Moment {
        Moment::ORIGIN + self.0.get()
    }
}

impl BlockingSleeper for &Virtual {
    fn block(&self, delay: Duration) {
        self.0.set(self.0.get() + delay);
    }
}

#[retry(max_attempts = 4, base_delay = "1h", max_delay = "1d", environment = world)]
fn elsewhere(world: &Virtual) -> io::Result<()> {
    Err(refused())
}

/// I1: another clock and timer.
#[test]
fn environment_parameter_is_used() {
    let world = Virtual::default();
    assert!(elsewhere(&world).is_err());
    assert_eq!(world.0.get(), Duration::from_secs(3600 * (1 + 2 + 4)));
}
