//! The layer that fails calls of a service.

use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;
use tower::{Layer, Service};

use super::FaultInjector;

impl<Inner, E> Layer<Inner> for FaultInjector<E> {
    type Service = InjectedService<Inner, E>;

    fn layer(&self, inner: Inner) -> Self::Service {
        InjectedService { inner, faults: self.clone() }
    }
}

/// A service some of whose calls fail. Made by the layer [`FaultInjector`].
#[derive(Debug)]
pub struct InjectedService<Inner, E> {
    inner: Inner,
    faults: FaultInjector<E>,
}

impl<Inner: Clone, E> Clone for InjectedService<Inner, E> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone(), faults: self.faults.clone() }
    }
}

impl<Inner: Service<Request>, Request> Service<Request> for InjectedService<Inner, Inner::Error> {
    type Response = Inner::Response;
    type Error = Inner::Error;
    type Future = InjectedFuture<Inner::Future, Inner::Error>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Inner::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        match self.faults.inject() {
            Ok(()) => InjectedFuture::Called { future: self.inner.call(request) },
            Err(error) => InjectedFuture::Injected { error: Some(error) },
        }
    }
}

pin_project! {
    /// The response of an [`InjectedService`].
    #[project = Projection]
    #[derive(Debug)]
    #[must_use = "futures do nothing unless awaited"]
    pub enum InjectedFuture<F, E> {
        Called { #[pin] future: F },
        Injected { error: Option<E> },
    }
}

impl<T, E, F: Future<Output = Result<T, E>>> Future for InjectedFuture<F, E> {
    type Output = Result<T, E>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project() {
            Projection::Called { future } => future.poll(context),
            // A future that has ended is not polled again.
            Projection::Injected { error } => {
                error.take().map_or(Poll::Pending, |error| Poll::Ready(Err(error)))
            }
        }
    }
}
