//! Tasks that differ in nothing but id and payload.
//!
//! That is what a bulk submission and most single ones are. Both engines write such tasks by
//! one statement that takes everything else once and assumes that none of them is there yet.

use std::sync::Arc;

use crate::queue::submit::Admission;

impl Admission {
    /// Whether nothing that another task has can be in its way, and nothing happened to it yet.
    pub(crate) fn is_plain(&self) -> bool {
        let draft = &self.draft;
        draft.key.is_none() && draft.correlation_id.is_none() && self.head_start.faults.is_empty()
    }

    /// Whether it is the same that is to be done.
    pub(crate) fn is_same_work(&self, other: &Self) -> bool {
        self.draft.kind == other.draft.kind && self.draft.payload == other.draft.payload
    }

    fn is_like(&self, other: &Self) -> bool {
        let (draft, like) = (&self.draft, &other.draft);
        draft.kind == like.kind
            && draft.queue == like.queue
            && draft.category == like.category
            && draft.priority == like.priority
            && draft.run == like.run
            && draft.expires == like.expires
            && draft.hold_category == like.hold_category
            && (Arc::ptr_eq(&self.policy, &other.policy) || self.policy == other.policy)
    }
}

/// The first of them, if all are plain and like it.
pub(crate) fn pattern<'t>(tasks: impl IntoIterator<Item = &'t Admission>) -> Option<&'t Admission> {
    let mut tasks = tasks.into_iter();
    let first = tasks.next().filter(|first| first.is_plain())?;
    tasks.all(|task| task.is_plain() && task.is_like(first)).then_some(first)
}
