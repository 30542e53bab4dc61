//! Asking whether an attempt took effect, before repeating it (I12).

use std::future::{Future, Pending};

use super::Key;
use super::judges::By;

/// What a probe found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect<T> {
    /// It took effect, with this value.
    Yes(T),
    /// It did not.
    No,
    /// It cannot be known.
    Unknown,
}

/// A way to ask, by the session's key.
pub trait Probe<T> {
    /// The question under way.
    type Future: Future<Output = Effect<T>>;

    /// Asks, if there is anybody to ask.
    fn ask(&mut self, key: impl FnOnce() -> Key) -> Option<Self::Future>;
}

/// A way to ask that blocks the thread.
pub trait BlockingProbe<T> {
    /// Asks.
    fn ask(&mut self, key: impl FnOnce() -> Key) -> Effect<T>;
}

/// Nobody to ask.
#[derive(Clone, Copy, Debug)]
pub struct Unprobed;

impl<T> Probe<T> for Unprobed {
    type Future = Pending<Effect<T>>;

    #[inline]
    fn ask(&mut self, _: impl FnOnce() -> Key) -> Option<Self::Future> {
        None
    }
}

impl<T> BlockingProbe<T> for Unprobed {
    #[inline]
    fn ask(&mut self, _: impl FnOnce() -> Key) -> Effect<T> {
        Effect::Unknown
    }
}

impl<T, F, Fut> Probe<T> for By<F>
where
    F: FnMut(Key) -> Fut,
    Fut: Future<Output = Effect<T>>,
{
    type Future = Fut;

    fn ask(&mut self, key: impl FnOnce() -> Key) -> Option<Fut> {
        Some((self.0)(key()))
    }
}

impl<T, F> BlockingProbe<T> for By<F>
where
    F: FnMut(Key) -> Effect<T>,
{
    fn ask(&mut self, key: impl FnOnce() -> Key) -> Effect<T> {
        (self.0)(key())
    }
}
