//! tower: a retry middleware for services, with a policy written by the user.

use std::future::{Ready, ready};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Sleep, sleep};
use tower::retry::budget::{Budget, TpsBudget};
use tower::retry::{Policy, Retry};
use tower::{Service, ServiceExt, service_fn};

use crate::operation::{self, Failed, repeat_async};
use crate::sleeper::{HOUR, Sleeper};

type Response = Result<u64, Failed>;

async fn succeed(_: u64) -> Response {
    operation::succeed().await
}

async fn fail_twice(_: u64) -> Response {
    operation::fail_twice().await
}

async fn fail(_: u64) -> Response {
    operation::fail().await
}

/// The policy of tower's documentation: a number of retries without delay.
#[derive(Clone)]
struct Attempts(usize);

impl Policy<u64, u64, Failed> for Attempts {
    type Future = Ready<()>;

    fn retry(&mut self, _: &mut u64, response: &mut Response) -> Option<Ready<()>> {
        if response.is_ok() || self.0 == 0 {
            return None;
        }
        self.0 -= 1;
        Some(ready(()))
    }

    fn clone_request(&mut self, request: &u64) -> Option<u64> {
        Some(*request)
    }
}

/// The same policy with a retry budget.
#[derive(Clone)]
struct Budgeted(usize, Arc<TpsBudget>);

impl Policy<u64, u64, Failed> for Budgeted {
    type Future = Ready<()>;

    fn retry(&mut self, _: &mut u64, response: &mut Response) -> Option<Ready<()>> {
        if response.is_ok() {
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

/// A budget that is never exhausted.
fn unlimited_budget() -> Arc<TpsBudget> {
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

/// Success under a policy with a number of retries.
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

/// Two failures under a policy with a number of retries.
#[inline(never)]
pub fn fails_twice(n: u64) {
    repeat_service(n, Retry::new(Attempts(3), service_fn(fail_twice)));
}

/// Two failures under a policy with a budget that is never exhausted.
#[inline(never)]
pub fn fails_twice_with_budget(n: u64) {
    repeat_service(n, Retry::new(Budgeted(3, unlimited_budget()), service_fn(fail_twice)));
}

/// Success under the same policy.
#[inline(never)]
pub fn fails_twice_with_budget_baseline(n: u64) {
    repeat_service(n, Retry::new(Budgeted(3, unlimited_budget()), service_fn(succeed)));
}

/// A policy with a number of retries, an hour apart.
#[derive(Clone)]
struct Hourly(usize);

impl Policy<u64, u64, Failed> for Hourly {
    type Future = Sleep;

    fn retry(&mut self, _: &mut u64, response: &mut Response) -> Option<Sleep> {
        if response.is_ok() || self.0 == 0 {
            return None;
        }
        self.0 -= 1;
        Some(sleep(HOUR))
    }

    fn clone_request(&mut self, request: &u64) -> Option<u64> {
        Some(*request)
    }
}

/// A sleeping session.
pub fn sleeper() -> Sleeper {
    Sleeper::new("tower", || Retry::new(Hourly(3), service_fn(fail)).call(1))
}
