//! Where the policy comes from: the defaults, a name, fields, or both (I8, P1, P2, P6).

use std::io;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use steadfast::policy::{BackoffType, Nested};
use steadfast::{Fault, GaveUp, Hint, Jitter, Policy, Reason, RetryError, retry};

use crate::{Flaky, millis, refused, timed};

/// Runs a function until it gives up: how many attempts, and how long.
macro_rules! until_given_up {
    ($function:ident) => {{
        let service = Flaky::down();
        let (result, took) = timed($function(&service)).await;
        assert!(result.is_err());
        (service.calls(), took)
    }};
}

/// Functions that differ in nothing but their parameters.
macro_rules! functions {
    ($($name:ident($($parameters:tt)*);)*) => {
        $(#[retry($($parameters)*)]
        async fn $name(service: &Flaky) -> io::Result<u32> {
            service.ask()
        })*
    };
}

functions! {
    bare();
    inline(max_attempts = 4, base_delay = "500ms");
    numbers(max_retries = 1, base_delay = 2, backoff_type = "fixed");
    linear(max_attempts = 4, backoff_type = "linear", base_delay = "1s", increment = "PT3S");
    capped(max_attempts = 5, base_delay = 1, multiplier = 10, max_delay = "1m 30s");
    scheduled(schedule = ["5s", 10, millis(1)], max_attempts = 4);
    scheduled_custom(backoff_type = "custom", schedule = ["7d", "14d"], max_duration = "30d");
    additive(max_retries = 1, backoff_type = "fixed", base_delay = 10, jitter = "5s");
    full(max_retries = 1, backoff_type = "fixed", base_delay = 10, jitter = "full");
    long_form(max_retries = 1, base_delay = 10, jitter_type = "full", jitter_amount = 0.5);
    off(enabled = false);
    by_constants(
        max_attempts = ATTEMPTS,
        base_delay = PAUSE,
        backoff_type = BackoffType::Fixed,
        jitter = Jitter::None,
        nested = Nested::Both,
        enabled = ATTEMPTS > 1,
    );
}

const ATTEMPTS: u32 = 2;
const PAUSE: Duration = millis(250);

/// I8: without parameters the defaults hold.
#[tokio::test(start_paused = true)]
async fn default_policy_is_used() {
    assert_eq!(until_given_up!(bare), (3, millis(1_000 + 2_000)));
}

/// I8, P2: fields, spelled as in a policy file.
#[tokio::test(start_paused = true)]
async fn inline_fields_are_applied() {
    assert_eq!(until_given_up!(inline), (4, millis(500 + 1_000 + 2_000)));
    assert_eq!(until_given_up!(numbers), (2, millis(2_000)));
    assert_eq!(until_given_up!(linear), (4, millis(1_000 + 4_000 + 7_000)));
    assert_eq!(until_given_up!(capped), (5, millis(1_000 + 10_000 + 90_000 + 90_000)));
    assert_eq!(until_given_up!(off), (1, Duration::ZERO));
}

/// P2: a schedule is a custom backoff, whether that is written or not.
#[tokio::test(start_paused = true)]
async fn schedule_is_applied() {
    assert_eq!(until_given_up!(scheduled), (4, millis(5_000 + 10_000 + 1)));
    let day = Duration::from_secs(86_400);
    assert_eq!(until_given_up!(scheduled_custom), (3, day * (7 + 14)));
}

/// P4: both forms of jitter.
#[tokio::test(start_paused = true)]
async fn jitter() {
    let seconds = Duration::from_secs;
    for _ in 0..20 {
        let (_, took) = until_given_up!(additive);
        assert!((seconds(10)..=seconds(15)).contains(&took), "{took:?}");
        let (_, took) = until_given_up!(full);
        assert!(took <= seconds(10), "{took:?}");
        let (_, took) = until_given_up!(long_form);
        assert!((seconds(5)..=seconds(10)).contains(&took), "{took:?}");
    }
}

/// I8: any constant of the field's type will do.
#[tokio::test(start_paused = true)]
async fn fields_accept_constants() {
    assert_eq!(until_given_up!(by_constants), (2, PAUSE));
}

functions! {
    sql(policy = "sql");
    patient(policy = "patient");
    workflow(policy = "workflow");
    grpc(policy = "grpc", jitter = "none");
    sql_twice(policy = "sql", max_attempts = 2, jitter = "none");
    patient_once_more(policy = "patient", max_retries = 1);
    grpc_unjittered(policy = "grpc", jitter_amount = 0.0);
    grpc_other_jitter(policy = "grpc", jitter_type = "full", jitter_amount = 0);
    sql_by_schedule(policy = "sql", schedule = ["1s"]);
}

/// P6: the presets, by name.
#[tokio::test(start_paused = true)]
async fn preset_is_used() {
    let (calls, took) = until_given_up!(sql);
    assert_eq!(calls, 4);
    assert!((millis(3_500)..=millis(3_800)).contains(&took), "{took:?}");
    let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
    let hourly = minutes(60);
    let doubling = minutes(1 + 2 + 4 + 8 + 16 + 32);
    assert_eq!(until_given_up!(patient), (9, doubling + hourly + hourly));
    assert_eq!(until_given_up!(workflow), (6, minutes(1 + 2 + 4 + 8 + 16)));
    assert_eq!(until_given_up!(grpc), (3, millis(1_000 + 1_600)));
}

/// I8: with both, what is written inline wins, in whichever spelling.
#[tokio::test(start_paused = true)]
async fn preset_with_fields_is_used() {
    assert_eq!(until_given_up!(sql_twice), (2, millis(500)));
    assert_eq!(until_given_up!(patient_once_more), (2, millis(60_000)));
    assert_eq!(until_given_up!(grpc_unjittered), (3, millis(1_000 + 1_600)));
    assert_eq!(until_given_up!(grpc_other_jitter), (3, millis(1_000 + 1_600)));
    let (calls, took) = until_given_up!(sql_by_schedule);
    assert_eq!(calls, 4);
    assert!((millis(3_000)..=millis(3_300)).contains(&took), "{took:?}");
}

static CONSTANT: Policy = Policy::fixed(millis(7)).constant();
static BUILT: LazyLock<Policy> =
    LazyLock::new(|| Policy::fixed(millis(8)).retry_on(["any"]).build().unwrap());

functions! {
    of_static(policy = CONSTANT);
    of_reference(policy = &CONSTANT);
    of_lazy(policy = BUILT);
    of_call(policy = chosen(2));
    of_choice(policy = if ATTEMPTS == 2 { &BUILT } else { &CONSTANT });
}

fn chosen(attempts: u32) -> Policy {
    Policy::fixed(millis(9)).max_attempts(attempts).build().unwrap()
}

/// I8: a policy of the program's own, however it is held.
#[tokio::test(start_paused = true)]
async fn policy_expression_is_used() {
    assert_eq!(until_given_up!(of_static), (3, millis(14)));
    assert_eq!(until_given_up!(of_reference), (3, millis(14)));
    assert_eq!(until_given_up!(of_lazy), (3, millis(16)));
    assert_eq!(until_given_up!(of_call), (2, millis(9)));
    assert_eq!(until_given_up!(of_choice), (3, millis(16)));
}

struct Client {
    own: Policy,
    shared: Arc<Policy>,
    service: Flaky,
    used: u32,
}

impl Client {
    #[retry(policy = self.own)]
    async fn by_own(&self) -> io::Result<u32> {
        self.service.ask()
    }

    #[retry(policy = self.shared)]
    fn by_shared(&self) -> io::Result<u32> {
        self.service.ask()
    }

    #[retry(policy = Arc::clone(&self.shared))]
    async fn by_held(&mut self) -> io::Result<u32> {
        self.used += 1;
        self.service.ask()
    }
}

#[tokio::test(start_paused = true)]
async fn policy_of_the_receiver_is_used() {
    let shared = Arc::new(Policy::immediate().max_attempts(5).build().unwrap());
    let mut client = Client { own: chosen(6), shared, service: Flaky::down(), used: 0 };
    assert!(client.by_own().await.is_err());
    assert_eq!(client.service.calls(), 6);
    assert!(client.by_shared().is_err());
    assert_eq!(client.service.calls(), 6 + 5);
    assert!(client.by_held().await.is_err());
    assert_eq!(client.used, 5);
}

/// An error with given facts.
#[derive(Debug)]
struct GivenFault(Fault);

impl steadfast::Failure for GivenFault {
    fn fault(&self) -> Fault {
        self.0.clone()
    }
}

type Outcome = Result<(), RetryError<GivenFault>>;

fn attempts(outcome: Outcome) -> (u32, Reason) {
    let error = outcome.unwrap_err();
    (error.attempts(), error.reason())
}

#[retry(backoff_type = "immediate", retry_on = ["5xx", 408, "429"], abort_on = "4xx")]
fn by_rules(fault: &Fault) -> Result<(), RetryError<GivenFault>> {
    Err(GivenFault(fault.clone()))
}

/// J10: rules inline; the most specific one wins.
#[test]
fn inline_rules_are_applied() {
    for retried in [500, 503, 408, 429] {
        let ended = attempts(by_rules(&Fault::http(retried)));
        assert_eq!(ended, (3, Reason::AttemptsExhausted), "{retried}");
    }
    for aborted in [400, 404] {
        assert_eq!(attempts(by_rules(&Fault::http(aborted))), (1, Reason::Final), "{aborted}");
    }
    assert_eq!(attempts(by_rules(&Fault::sql("40P01"))).0, 1, "retry_on replaces the default");
}

#[retry(policy = "sql", base_delay = 0, jitter = "none", abort_on = ["40"])]
fn never_deadlocks(fault: &Fault) -> Result<(), RetryError<GivenFault>> {
    Err(GivenFault(fault.clone()))
}

/// I8: rules beside a name.
#[test]
fn rules_with_a_preset_are_applied() {
    assert_eq!(attempts(never_deadlocks(&Fault::sql("40P01"))), (1, Reason::Final));
    assert_eq!(attempts(never_deadlocks(&Fault::sql("57P01"))).0, 4);
}

#[retry(backoff_type = "immediate", idempotent = false)]
fn once_only(fault: &Fault) -> Result<(), RetryError<GivenFault>> {
    Err(GivenFault(fault.clone()))
}

/// J9: what may have taken effect is not repeated.
#[test]
fn not_idempotent() {
    let unknown = Fault::http(500).with_unknown_outcome();
    assert_eq!(attempts(once_only(&unknown)), (1, Reason::NotSafeToRetry));
}

#[retry(max_hint = "10s", max_rate_limit_waits = 2, base_delay = "1ms")]
async fn patient_with_hints(fault: &Fault) -> Result<(), RetryError<GivenFault>> {
    Err(GivenFault(fault.clone()))
}

/// P2: limits on what the other side may ask for.
#[tokio::test(start_paused = true)]
async fn limits_on_hints() {
    let asked = |seconds| Fault::http(429).with_hint(Hint::After(Duration::from_secs(seconds)));
    let (outcome, _) = timed(patient_with_hints(&asked(11))).await;
    assert_eq!(attempts(outcome).1, Reason::HintTooLong);
    let (outcome, took) = timed(patient_with_hints(&asked(10))).await;
    assert_eq!(attempts(outcome), (3, Reason::AttemptsExhausted));
    assert_eq!(took, Duration::from_secs(40), "two waits that consume no attempt, and two that do");
}

#[retry(max_duration = "5s", base_delay = "2s")]
async fn in_a_hurry() -> Result<(), RetryError<io::Error>> {
    Err(refused())
}

/// P5: a retry that could not start in time is not waited for.
#[tokio::test(start_paused = true)]
async fn max_duration() {
    let (outcome, took) = timed(in_a_hurry()).await;
    assert_eq!(outcome.unwrap_err().reason(), Reason::OutOfTime);
    assert_eq!(took, Duration::from_secs(2));
}

#[retry(attempt_timeout = "1s", max_attempts = 2, backoff_type = "immediate")]
async fn stuck() -> io::Result<()> {
    std::future::pending().await
}

/// An attempt that times out leaves no error: what happened comes back as one.
#[tokio::test(start_paused = true)]
async fn attempt_timeout() {
    let (outcome, took) = timed(stuck()).await;
    assert_eq!(took, Duration::from_secs(2));
    let error = outcome.unwrap_err();
    let gave_up = error.get_ref().unwrap().downcast_ref::<GaveUp>().unwrap();
    assert_eq!((gave_up.reason, gave_up.attempts), (Reason::AttemptsExhausted, 2));
}

#[retry(backoff_type = "immediate", max_attempts = 2)]
fn outer(inner: fn(&Flaky) -> io::Result<u32>, service: &Flaky) -> io::Result<u32> {
    inner(service)
}

#[retry(backoff_type = "immediate")]
fn leaves_it(service: &Flaky) -> io::Result<u32> {
    service.ask()
}

#[retry(backoff_type = "immediate", nested = "both")]
fn insists(service: &Flaky) -> io::Result<u32> {
    service.ask()
}

/// I7: of two attributes around each other the outer one retries, unless configured otherwise.
#[test]
fn nested() {
    let service = Flaky::down();
    assert!(outer(leaves_it, &service).is_err());
    // The outer one's last attempt is not retried by it, so the inner one may.
    assert_eq!(service.calls(), 1 + 3);
    let service = Flaky::down();
    assert!(outer(insists, &service).is_err());
    assert_eq!(service.calls(), 3 + 3);
}
