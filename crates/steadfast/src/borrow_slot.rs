//! A mutable borrow that is passed from one attempt to the next.
//!
//! The future of an attempt must own what it uses, but a `&mut` has one owner. So each attempt takes
//! the borrow from a slot and returns it when it ends or is dropped. The slot is a mutex, because the
//! session may move to another thread; it is never contended, because an attempt starts only after the
//! previous one is dropped.

use std::ops::{Deref, DerefMut};
use std::sync::Mutex;

use crate::sync::lock;

/// The slot.
#[derive(Debug)]
pub struct BorrowSlot<'a, T: ?Sized>(Mutex<Option<&'a mut T>>);

impl<'a, T: ?Sized> BorrowSlot<'a, T> {
    /// A slot that holds `borrow`.
    pub fn new(borrow: &'a mut T) -> Self {
        Self(Mutex::new(Some(borrow)))
    }

    /// Takes the borrow for one attempt.
    pub fn borrow(&self) -> SlotBorrow<'_, 'a, T> {
        SlotBorrow { slot: self, borrow: self.swap(None) }
    }

    fn swap(&self, borrow: Option<&'a mut T>) -> Option<&'a mut T> {
        std::mem::replace(&mut *lock(&self.0), borrow)
    }
}

/// The borrow of one attempt, returned to the slot on drop.
#[derive(Debug)]
pub struct SlotBorrow<'l, 'a, T: ?Sized> {
    slot: &'l BorrowSlot<'a, T>,
    /// Taken by `drop` only.
    borrow: Option<&'a mut T>,
}

impl<T: ?Sized> Drop for SlotBorrow<'_, '_, T> {
    fn drop(&mut self) {
        if let Some(borrow) = self.borrow.take() {
            self.slot.swap(Some(borrow));
        }
    }
}

const ONE_AT_A_TIME: &str = "an attempt starts only after the previous one is dropped";

impl<T: ?Sized> Deref for SlotBorrow<'_, '_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match &self.borrow {
            Some(borrow) => borrow,
            None => unreachable!("{ONE_AT_A_TIME}"),
        }
    }
}

impl<T: ?Sized> DerefMut for SlotBorrow<'_, '_, T> {
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
    fn borrow_returns_to_the_slot() {
        let mut count = 0;
        let slot = BorrowSlot::new(&mut count);
        for _ in 0..3 {
            *slot.borrow() += 1;
        }
        assert_eq!(count, 3);
    }

    #[test]
    fn borrow_returns_to_the_slot_after_panic() {
        let mut count = 0;
        let slot = BorrowSlot::new(&mut count);
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let mut borrow = slot.borrow();
            *borrow += 1;
            panic!("in the middle");
        }));
        assert!(panicked.is_err());
        *slot.borrow() += 1;
        assert_eq!(count, 2);
    }
}
