//! tower: a service around a service, with a policy that its user writes.

use std::future::{Ready, ready};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Sleep, sleep};
use tower::retry::budget::{Budget, TpsBudget};
use tower::retry::{Policy, Retry};
use tower::{Service, ServiceExt, service_fn};

use crate::operation::{self, Failed, repeat_async};
use crate::sleeper::{HOUR, Sleeper};

type Answer = Result<u64, Failed>;

async fn succeed(_: u64) -> Answer {
    operation::succeed().await
}

async fn fail_twice(_: u64) -> Answer {
    operation::fail_twice().await
}

async fn fail(_: u64) -> Answer {
    operation::fail().await
}

/// Retries a number of times without delay: the policy of its documentation.
#[derive(Clone)]
struct Attempts(usize);

impl Policy<u64, u64, Failed> for Attempts {
    type Future = Ready<()>;

    fn retry(&mut self, _: &mut u64, answer: &mut Answer) -> Option<Ready<()>> {
        if answer.is_ok() || self.0 == 0 {
            return None;
        }
        self.0 -= 1;
        Some(ready(()))
    }

    fn clone_request(&mut self, request: &u64) -> Option<u64> {
        Some(*request)
    }
}

/// The same, if the budget allows.
#[derive(Clone)]
struct Budgeted(usize, Arc<TpsBudget>);

impl Policy<u64, u64, Failed> for Budgeted {
    type Future = Ready<()>;

    fn retry(&mut self, _: &mut u64, answer: &mut Answer) -> Option<Ready<()>> {
        if answer.is_ok() {
            self.1.deposit();
            return None;
        }
        if self.0 == 0 || !self.1.withdraw() {
            return None;
        }
        self.0 -= 1;
        Some(ready(()))
    }

    fn clone_request(&mut self, request: &u64) -> Option<u64> {
        Some(*request)
    }
}

/// A budget that never runs dry.
fn ample() -> Arc<TpsBudget> {
    Arc::new(TpsBudget::new(Duration::from_secs(10), 1_000_000, 1000.0))
}

#[inline(always)]
fn repeat_service<S>(n: u64, mut service: S)
where
    S: Service<u64, Response = u64, Error = Failed>,
{
    repeat_async!(n, {
        match service.ready().await {
            Ok(ready) => ready.call(1).await,
            Err(error) => Err(error),
        }
    });
}

/// Success under a policy that counts.
#[inline(never)]
pub fn async_success(n: u64) {
    repeat_service(n, Retry::new(Attempts(3), service_fn(succeed)));
}

/// Success under a policy with the default budget.
#[inline(never)]
pub fn async_success_with_budget(n: u64) {
    let policy = Budgeted(3, Arc::default());
    repeat_service(n, Retry::new(policy, service_fn(succeed)));
}

/// Two failures under a policy that counts.
#[inline(never)]
pub fn fails_twice(n: u64) {
    repeat_service(n, Retry::new(Attempts(3), service_fn(fail_twice)));
}

/// Two failures under a policy with an ample budget.
#[inline(never)]
pub fn fails_twice_with_budget(n: u64) {
    repeat_service(n, Retry::new(Budgeted(3, ample()), service_fn(fail_twice)));
}

/// Success under the same.
#[inline(never)]
pub fn fails_twice_with_budget_twin(n: u64) {
    repeat_service(n, Retry::new(Budgeted(3, ample()), service_fn(succeed)));
}

/// Retries a number of times, after a sleep.
#[derive(Clone)]
struct Hourly(usize);

impl Policy<u64, u64, Failed> for Hourly {
    type Future = Sleep;

    fn retry(&mut self, _: &mut u64, answer: &mut Answer) -> Option<Sleep> {
        if answer.is_ok() || self.0 == 0 {
            return None;
        }
        self.0 -= 1;
        Some(sleep(HOUR))
    }

    fn clone_request(&mut self, request: &u64) -> Option<u64> {
        Some(*request)
    }
}

/// A session that sleeps.
pub fn sleeper() -> Sleeper {
    Sleeper::new("tower", || Retry::new(Hourly(3), service_fn(fail)).call(1))
}
