//! Mutex locking that ignores poisoning.
//!
//! Every critical section of this crate leaves its data consistent, so a panic elsewhere must not turn
//! later locks into panics.

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
