//! The delay between attempts.

use std::pin::Pin;
use std::time::Duration;

use steadfast::Moment;
use steadfast::drive::{Environment, Real, Sleeper};
use tokio::time::sleep;

use super::program::Program;

/// The real clock, with delays that start when the last attempt's processes have exited. A timed
/// out command may take a while to exit, and two attempts must not run at once.
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
