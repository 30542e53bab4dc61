//! Probes, which find out whether an attempt took effect before it is repeated (I12).

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

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

/// A probe, or none.
pub trait Probes {
    /// Whether there is a probe.
    const IS_SET: bool;
    /// What it returns: an [`Effect`], or a future of one.
    type Output;
}

/// A probe that returns a future.
pub trait AsyncProbe<T>: Probes {
    /// Starts the probe, if there is one.
    fn probe(&mut self, key: impl FnOnce() -> Key) -> Option<Self::Output>;

    /// Polls the probe in flight.
    fn poll(probe: Pin<&mut Self::Output>, context: &mut Context<'_>) -> Poll<Effect<T>>;
}

/// A probe that blocks the thread.
pub trait BlockingProbe<T>: Probes {
    /// Runs the probe.
    fn probe(&mut self, key: impl FnOnce() -> Key) -> Effect<T>;
}

/// No probe.
#[derive(Clone, Copy, Debug)]
pub struct NoProbe;

impl Probes for NoProbe {
    const IS_SET: bool = false;
    type Output = Infallible;
}

impl<T> AsyncProbe<T> for NoProbe {
    #[inline]
    fn probe(&mut self, _: impl FnOnce() -> Key) -> Option<Infallible> {
        None
    }

    fn poll(probe: Pin<&mut Infallible>, _: &mut Context<'_>) -> Poll<Effect<T>> {
        match *probe {}
    }
}

impl<T> BlockingProbe<T> for NoProbe {
    #[inline]
    fn probe(&mut self, _: impl FnOnce() -> Key) -> Effect<T> {
        Effect::Unknown
    }
}

impl<F: FnMut(Key) -> O, O> Probes for FromFn<F> {
    const IS_SET: bool = true;
    type Output = O;
}

impl<T, F, Fut> AsyncProbe<T> for FromFn<F>
where
    F: FnMut(Key) -> Fut,
    Fut: Future<Output = Effect<T>>,
{
    fn probe(&mut self, key: impl FnOnce() -> Key) -> Option<Fut> {
        Some((self.0)(key()))
    }

    fn poll(probe: Pin<&mut Fut>, context: &mut Context<'_>) -> Poll<Effect<T>> {
        probe.poll(context)
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
