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
    pub fn borrow(&self) -> SlotBorrow<'a, T, &Self> {
        SlotBorrow::of(self)
    }

    fn swap(&self, borrow: Option<&'a mut T>) -> Option<&'a mut T> {
        std::mem::replace(&mut *lock(&self.0), borrow)
    }
}

/// The borrow of one attempt, returned to the slot on drop. It dereferences to the borrowed value.
#[derive(Debug)]
pub struct SlotBorrow<'a, T: ?Sized, Slot: Deref<Target = BorrowSlot<'a, T>>> {
    slot: Slot,
    /// Taken by `drop` only.
    borrow: Option<&'a mut T>,
}

impl<'a, T: ?Sized, Slot: Deref<Target = BorrowSlot<'a, T>>> SlotBorrow<'a, T, Slot> {
    pub(crate) fn of(slot: Slot) -> Self {
        let borrow = slot.swap(None);
        Self { slot, borrow }
    }
}

impl<'a, T: ?Sized, Slot: Deref<Target = BorrowSlot<'a, T>>> Drop for SlotBorrow<'a, T, Slot> {
    fn drop(&mut self) {
        if let Some(borrow) = self.borrow.take() {
            self.slot.swap(Some(borrow));
        }
    }
}

const ONE_AT_A_TIME: &str = "an attempt starts only after the previous one is dropped";

impl<'a, T: ?Sized, Slot: Deref<Target = BorrowSlot<'a, T>>> Deref for SlotBorrow<'a, T, Slot> {
    type Target = T;

    fn deref(&self) -> &T {
        match &self.borrow {
            Some(borrow) => borrow,
            None => unreachable!("{ONE_AT_A_TIME}"),
        }
    }
}

impl<'a, T: ?Sized, Slot: Deref<Target = BorrowSlot<'a, T>>> DerefMut for SlotBorrow<'a, T, Slot> {
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
