//! The atomics that guards are made of: the real ones, or loom's, which try
//! every order in which threads can meet.

#[cfg(loom)]
pub(super) use loom::sync::atomic::{AtomicU64, Ordering};
#[cfg(not(loom))]
pub(super) use std::sync::atomic::{AtomicU64, Ordering};
