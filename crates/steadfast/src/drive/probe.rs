//! Probes, which find out whether an attempt took effect before it is repeated (I12).

use std::future::{Future, Pending};

use super::Key;
use super::judges::FromFn;

/// The result of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect<T> {
    /// The attempt took effect, with this value.
    Yes(T),
    /// The attempt did not take effect.
    No,
    /// The probe could not find out.
    Unknown,
}

/// A probe that returns a future.
pub trait AsyncProbe<T> {
    /// The probe in flight.
    type Future: Future<Output = Effect<T>>;

    /// Starts the probe, if there is one.
    fn probe(&mut self, key: impl FnOnce() -> Key) -> Option<Self::Future>;
}

/// A probe that blocks the thread.
pub trait BlockingProbe<T> {
    /// Runs the probe.
    fn probe(&mut self, key: impl FnOnce() -> Key) -> Effect<T>;
}

/// No probe.
#[derive(Clone, Copy, Debug)]
pub struct NoProbe;

impl<T> AsyncProbe<T> for NoProbe {
    type Future = Pending<Effect<T>>;

    #[inline]
    fn probe(&mut self, _: impl FnOnce() -> Key) -> Option<Self::Future> {
        None
    }
}

impl<T> BlockingProbe<T> for NoProbe {
    #[inline]
    fn probe(&mut self, _: impl FnOnce() -> Key) -> Effect<T> {
        Effect::Unknown
    }
}

impl<T, F, Fut> AsyncProbe<T> for FromFn<F>
where
    F: FnMut(Key) -> Fut,
    Fut: Future<Output = Effect<T>>,
{
    type Future = Fut;

    fn probe(&mut self, key: impl FnOnce() -> Key) -> Option<Fut> {
        Some((self.0)(key()))
    }
}

impl<T, F> BlockingProbe<T> for FromFn<F>
where
    F: FnMut(Key) -> Effect<T>,
{
    fn probe(&mut self, key: impl FnOnce() -> Key) -> Effect<T> {
        (self.0)(key())
    }
}
