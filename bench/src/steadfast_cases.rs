//! The cases of this library, one table per row of [`cases`](crate::cases).
//!
//! The first case of a table is compared with the goal and the peers; the others are listed beside
//! it. The peers build their policies in the loop, where the compiler knows all values; the policy
//! here is a constant, which is equivalent. The cases named *at run time* hide the policy from the
//! compiler, like a policy read from a file.

use std::future::{Ready, ready};
use std::hint::black_box;
use std::sync::LazyLock;
use std::time::Duration;

use steadfast::drive::{Environment, Real, Sleeper as Sleeping};
use steadfast::guard::{Breaker, BreakerSettings, Budget, BudgetSettings};
use steadfast::observe::Metrics;
use steadfast::registry::{Loader, Registry};
use steadfast::{Failure, Fault, Jitter, Kind, Moment, Policy, retry};

use crate::case::Case;
use crate::generated;
use crate::operation::{Failed, fail, fail_twice, repeat, repeat_async, succeed, succeed_blocking};
use crate::sleeper::{HOUR, Sleeper};

/// Async success, plain policy: [`Case::call`].
pub const ASYNC_SUCCESS: &[Case] = &[
    Case::call("steadfast", async_success),
    Case::call("steadfast, policy at run time", async_success_at_run_time),
];
/// Blocking success, plain policy: [`Case::call`].
pub const BLOCKING_SUCCESS: &[Case] = &[
    Case::call("steadfast", blocking_success),
    Case::call("steadfast, policy at run time", blocking_success_at_run_time),
];
/// Async success under a policy found by name: [`Case::call`].
pub const BY_NAME: &[Case] = &[
    Case::call("steadfast, policy looked up", policy_by_name),
    Case::call("run, which can be listed and cancelled", run_by_name),
    Case::call("run of an operation's default", run_by_default_of_operation),
    Case::call("run, blocking", run_by_name_blocking),
];
/// Async success through a breaker: [`Case::call`].
pub const BREAKER: &[Case] = &[Case::call("steadfast", breaker)];
/// Async success with breaker, ratio budget and metrics: [`Case::call`].
pub const ALL_GUARDS: &[Case] = &[Case::call("steadfast", all_guards)];
/// One failed attempt, no-op sleep, exponential with jitter: [`Case::failure`].
pub const FAILED_ATTEMPT: &[Case] =
    &[Case::failure("steadfast", fails_twice, fails_twice_baseline)];
/// One jittered delay: [`Case::call`] of a program that makes `n` delays.
pub const DELAY: &[Case] = &[Case::call("steadfast", delays)];

/// A retryable fault, because the peers retry every error.
impl Failure for Failed {
    #[inline]
    fn fault(&self) -> Fault {
        Fault::of(Kind::ConnectionReset)
    }
}

static POLICY: Policy =
    Policy::exponential(Duration::from_millis(10)).max_attempts(4).jitter(Jitter::Full).constant();

#[inline(never)]
fn async_success(n: u64) {
    repeat_async!(n, retry(&POLICY, succeed).await);
}

#[inline(never)]
fn async_success_at_run_time(n: u64) {
    let policy = black_box(&POLICY).clone();
    repeat_async!(n, retry(black_box(&policy), succeed).await);
}

#[inline(never)]
fn blocking_success(n: u64) {
    repeat(n, || retry(&POLICY, succeed_blocking).call());
}

#[inline(never)]
fn blocking_success_at_run_time(n: u64) {
    let policy = black_box(&POLICY).clone();
    repeat(n, || retry(black_box(&policy), succeed_blocking).call());
}

/// A registry of a hundred policies with mapped operations. It is loaded once, because these cases do
/// not measure loading.
#[expect(clippy::expect_used, reason = "the generated file is valid")]
static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("temporary directory");
    let path = folder.path().join("steadfast.yaml");
    std::fs::write(&path, generated::policies(100)).expect("policy file");
    Loader::file(path).unwatched().load().expect("registry")
});

const MAPPED_NAME: &str = "subsystem_7.operation_4.timeout";
const UNMAPPED_NAME: &str = "subsystem_7.operation_4.disk_full";

#[inline(never)]
fn run_by_name(n: u64) {
    let registry = &*REGISTRY;
    repeat_async!(n, registry.run(black_box(MAPPED_NAME), succeed).await);
}

#[inline(never)]
fn run_by_default_of_operation(n: u64) {
    let registry = &*REGISTRY;
    repeat_async!(n, registry.run(black_box(UNMAPPED_NAME), succeed).await);
}

#[inline(never)]
fn run_by_name_blocking(n: u64) {
    let registry = &*REGISTRY;
    repeat(n, || registry.run(black_box(MAPPED_NAME), succeed_blocking).call());
}

#[inline(never)]
fn policy_by_name(n: u64) {
    let registry = &*REGISTRY;
    repeat_async!(n, {
        let policy = registry.policy(black_box(MAPPED_NAME));
        retry(&policy, succeed).await
    });
}

#[expect(clippy::expect_used, reason = "the settings are valid")]
fn new_breaker() -> Breaker {
    Breaker::new(BreakerSettings::consecutive(5, Duration::from_secs(10))).expect("valid settings")
}

#[inline(never)]
fn breaker(n: u64) {
    let breaker = new_breaker();
    repeat_async!(n, retry(&POLICY, succeed).breaker(&breaker).await);
}

#[inline(never)]
#[expect(clippy::expect_used, reason = "the settings are valid")]
fn all_guards(n: u64) {
    let breaker = new_breaker();
    let settings =
        BudgetSettings::Ratio { ratio: 0.2, min_per_second: 10.0, window: Duration::from_secs(10) };
    let budget = Budget::new(settings).expect("valid settings");
    let metrics = Metrics::new("bench");
    repeat_async!(n, {
        retry(&POLICY, succeed).breaker(&breaker).budget(&budget).instrument(&metrics).await
    });
}

/// The real clock and random numbers, with a sleep that returns at once.
struct NoSleep;

impl Environment for NoSleep {
    type Sleep = Ready<()>;

    fn now(&self) -> Moment {
        Real.now()
    }
}

impl Sleeping for NoSleep {
    fn sleep(&self, _: Duration) -> Ready<()> {
        ready(())
    }
}

#[inline(never)]
fn fails_twice(n: u64) {
    repeat_async!(n, retry(&POLICY, fail_twice).environment(NoSleep).await);
}

#[inline(never)]
fn fails_twice_baseline(n: u64) {
    repeat_async!(n, retry(&POLICY, succeed).environment(NoSleep).await);
}

#[inline(never)]
fn delays(n: u64) {
    let policy = black_box(&POLICY).clone();
    let mut previous = 0;
    let mut real = Real;
    for retry in 0..n {
        let delay = policy.timing().delay((retry % 3) as u32 + 1, &mut previous, real.draw());
        black_box(delay);
    }
}

/// Sessions that sleep for [`HOUR`].
pub fn sleepers() -> Vec<Sleeper> {
    static HOURLY: Policy = Policy::fixed(HOUR).constant();
    vec![Sleeper::new("steadfast", || retry(&HOURLY, fail))]
}
