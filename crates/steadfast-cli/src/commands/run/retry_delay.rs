//! The time between attempts.

use std::pin::Pin;
use std::time::Duration;

use steadfast::Moment;
use steadfast::drive::{Environment, Real, Sleeper};
use tokio::time::sleep;

use super::program::Program;

/// The real world, in which time counts from when the last attempt has exited. One that was cut off
/// may take its time to go, and two of one command at a time are more than anybody asked for.
pub(super) struct RetryDelay<'p, 'c>(pub(super) &'p Program<'c>);

impl Environment for RetryDelay<'_, '_> {
    fn now(&self) -> Moment {
        Real.now()
    }
}

impl<'p> Sleeper for RetryDelay<'p, '_> {
    type Sleep = Pin<Box<dyn Future<Output = ()> + 'p>>;

    fn sleep(&self, delay: Duration) -> Self::Sleep {
        let exited = self.0.exited();
        Box::pin(async move {
            exited.await;
            sleep(delay).await;
        })
    }
}
