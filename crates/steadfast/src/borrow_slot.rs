//! A mutable borrow that goes from one attempt to the next.
//!
//! The future of an attempt must own what it uses, but a `&mut` can be owned by one alone.
//! So each attempt is lent it and gives it back when it ends, or is cut off and dropped. A
//! lock holds it in between, because the session may move to another thread; nobody ever
//! waits for it, as an attempt begins only when the one before is gone.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

/// The lender.
#[derive(Debug)]
pub struct Lent<'a, T: ?Sized>(Mutex<Option<&'a mut T>>);

impl<'a, T: ?Sized> Lent<'a, T> {
    /// Keeps a borrow for the attempts.
    pub fn new(borrow: &'a mut T) -> Self {
        Self(Mutex::new(Some(borrow)))
    }

    /// Lends it to an attempt.
    pub fn borrow(&self) -> Loan<'_, 'a, T> {
        Loan { lender: self, borrow: self.swap(None) }
    }

    fn swap(&self, borrow: Option<&'a mut T>) -> Option<&'a mut T> {
        std::mem::replace(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner), borrow)
    }
}

/// An attempt's turn.
#[derive(Debug)]
pub struct Loan<'l, 'a, T: ?Sized> {
    lender: &'l Lent<'a, T>,
    /// Only dropping takes it out.
    borrow: Option<&'a mut T>,
}

impl<T: ?Sized> Drop for Loan<'_, '_, T> {
    fn drop(&mut self) {
        if let Some(borrow) = self.borrow.take() {
            self.lender.swap(Some(borrow));
        }
    }
}

const ONE_AT_A_TIME: &str = "an attempt begins only when the one before is gone";

impl<T: ?Sized> Deref for Loan<'_, '_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match &self.borrow {
            Some(borrow) => borrow,
            None => unreachable!("{ONE_AT_A_TIME}"),
        }
    }
}

impl<T: ?Sized> DerefMut for Loan<'_, '_, T> {
    fn deref_mut(&mut self) -> &mut T {
        match &mut self.borrow {
            Some(borrow) => borrow,
            None => unreachable!("{ONE_AT_A_TIME}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lent_comes_back_and_is_lent_again() {
        let mut count = 0;
        let lent = Lent::new(&mut count);
        for _ in 0..3 {
            *lent.borrow() += 1;
        }
        assert_eq!(count, 3);
    }

    #[test]
    fn a_panic_gives_it_back_too() {
        let mut count = 0;
        let lent = Lent::new(&mut count);
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let mut loan = lent.borrow();
            *loan += 1;
            panic!("in the middle");
        }));
        assert!(panicked.is_err());
        *lent.borrow() += 1;
        assert_eq!(count, 2);
    }
}
