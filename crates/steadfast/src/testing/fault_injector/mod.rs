//! Faults injected into real operations and services.

#[cfg(feature = "tower")]
mod service;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[cfg(feature = "tower")]
pub use service::InjectedService;

/// A source of errors for some calls of a real operation. Clones share their counts.
///
/// ```
/// use std::io;
/// use steadfast::testing::FaultInjector;
/// use steadfast::{Policy, retry};
///
/// # async fn fetch(url: &str) -> io::Result<String> { Ok(url.to_owned()) }
/// # #[cfg(feature = "tokio")]
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let faults = FaultInjector::first(2, || io::Error::from(io::ErrorKind::ConnectionReset));
/// let policy = Policy::immediate().max_attempts(3).build()?;
/// let page = retry(&policy, async || {
///     faults.inject()?;
///     fetch("/").await
/// });
/// assert_eq!(page.await?, "/");
/// assert_eq!(faults.injected(), 2);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "tokio"))]
/// # fn main() {}
/// ```
///
/// With the feature `tower` it is a layer that fails calls of a service before they reach it; put it
/// below the layer that retries:
///
#[cfg_attr(feature = "tower", doc = "```")]
#[cfg_attr(not(feature = "tower"), doc = "```ignore")]
/// use std::io;
/// use steadfast::Policy;
/// use steadfast::layer::tower::RetryLayer;
/// use steadfast::testing::{FaultInjector, VirtualClock};
/// use tower::{ServiceBuilder, ServiceExt, service_fn};
///
/// let faults = FaultInjector::share(0.5, || io::Error::from(io::ErrorKind::ConnectionReset));
/// let clock = VirtualClock::new();
/// let policy = Policy::fixed(std::time::Duration::from_secs(1)).max_attempts(20).build()?;
/// let service = ServiceBuilder::new()
///     .layer(RetryLayer::new(policy).environment(clock.clone()))
///     .layer(faults.clone())
///     .service(service_fn(async |name: &'static str| Ok::<_, io::Error>(name.len())));
/// assert_eq!(clock.block_on(service.oneshot("seven"))?, 5);
/// # Ok::<(), tower::BoxError>(())
/// ```
#[must_use = "ask it for faults, or add it to a service"]
pub struct FaultInjector<E> {
    error: Arc<dyn Fn() -> E + Send + Sync>,
    state: Arc<Mutex<State>>,
}

struct State {
    selection: Selection,
    calls: u64,
    injected: u64,
}

/// The calls that fail.
enum Selection {
    First(u64),
    Share { share: f64, random: fastrand::Rng },
}

impl<E> FaultInjector<E> {
    /// Fails the first calls, all sessions together.
    pub fn first(count: u64, error: impl Fn() -> E + Send + Sync + 'static) -> Self {
        Self::new(Selection::First(count), error)
    }

    /// Fails a share of all calls, from 0 to 1, at random but alike in every run.
    ///
    /// # Panics
    /// The share is not between 0 and 1.
    #[track_caller]
    pub fn share(share: f64, error: impl Fn() -> E + Send + Sync + 'static) -> Self {
        assert!((0.0..=1.0).contains(&share), "share: must be from 0 to 1, not {share}");
        Self::new(Selection::Share { share, random: fastrand::Rng::with_seed(0) }, error)
    }

    fn new(selection: Selection, error: impl Fn() -> E + Send + Sync + 'static) -> Self {
        let state = State { selection, calls: 0, injected: 0 };
        Self { error: Arc::new(error), state: Arc::new(Mutex::new(state)) }
    }

    /// Sets the seed of a [share](Self::share), to fail other calls. The default is 0.
    pub fn seed(self, seed: u64) -> Self {
        if let Selection::Share { random, .. } = &mut self.state().selection {
            *random = fastrand::Rng::with_seed(seed);
        }
        self
    }

    /// Counts a call and fails if it is one that should.
    ///
    /// # Errors
    /// The injected error.
    pub fn inject(&self) -> Result<(), E> {
        if self.state().next_fails() { Err((self.error)()) } else { Ok(()) }
    }

    /// The number of calls so far.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.state().calls
    }

    /// The number of failed calls so far.
    #[must_use]
    pub fn injected(&self) -> u64 {
        self.state().injected
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn next_fails(&mut self) -> bool {
        self.calls += 1;
        let fails = match &mut self.selection {
            Selection::First(count) => self.calls <= *count,
            Selection::Share { share, random } => random.f64() < *share,
        };
        self.injected += u64::from(fails);
        fails
    }
}

impl<E> Clone for FaultInjector<E> {
    fn clone(&self) -> Self {
        Self { error: Arc::clone(&self.error), state: Arc::clone(&self.state) }
    }
}

impl<E> fmt::Debug for FaultInjector<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let State { calls, injected, .. } = &*self.state();
        f.debug_struct("FaultInjector")
            .field("calls", calls)
            .field("injected", injected)
            .finish_non_exhaustive()
    }
}
