//! What the attempts of a session use in turn.
//!
//! An operation is a function that is called for each attempt, and the future
//! that it returns cannot borrow from it: nothing in its type says that one
//! attempt is over before the next begins. But so it is, and so what only one
//! attempt can use at a time is lent to each, and comes back even from one that
//! was cut off.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Something to lend.
pub(super) struct Lent<T>(Arc<Mutex<Option<T>>>);

impl<T> Lent<T> {
    pub(super) fn new(item: T) -> Self {
        Self(Arc::new(Mutex::new(Some(item))))
    }

    /// Lends it. There must be no other loan.
    pub(super) fn lend(&self) -> Loan<T> {
        Loan { item: self.take(), home: Self(Arc::clone(&self.0)) }
    }

    /// Takes it, if it is not lent.
    pub(super) fn take(&self) -> Option<T> {
        self.place().take()
    }

    fn place(&self) -> MutexGuard<'_, Option<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Something borrowed: it goes back when this is dropped.
pub(super) struct Loan<T> {
    item: Option<T>,
    home: Lent<T>,
}

impl<T> Deref for Loan<T> {
    type Target = T;

    fn deref(&self) -> &T {
        match &self.item {
            Some(item) => item,
            None => unreachable!("attempts of one session do not overlap"),
        }
    }
}

impl<T> DerefMut for Loan<T> {
    fn deref_mut(&mut self) -> &mut T {
        match &mut self.item {
            Some(item) => item,
            None => unreachable!("attempts of one session do not overlap"),
        }
    }
}

impl<T> Drop for Loan<T> {
    fn drop(&mut self) {
        *self.home.place() = self.item.take();
    }
}
