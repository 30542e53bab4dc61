//! Batches of tasks that differ only in id and payload.
//!
//! Bulk submissions and most single ones are such batches. Both engines write them by one
//! statement that binds the rest once and assumes that all tasks are new.

use std::sync::Arc;

use crate::queue::submit::CheckedTask;

impl CheckedTask {
    /// Whether only its id can conflict, and it has no prior attempts.
    pub(crate) fn is_plain(&self) -> bool {
        let draft = &self.draft;
        draft.key.is_none() && draft.correlation_id.is_none() && self.prior.faults.is_empty()
    }

    /// Whether kind and payload are the same.
    pub(crate) fn has_same_work(&self, other: &Self) -> bool {
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

/// The first task, if all are plain and like it.
pub(crate) fn template<'t>(
    tasks: impl IntoIterator<Item = &'t CheckedTask>,
) -> Option<&'t CheckedTask> {
    let mut tasks = tasks.into_iter();
    let first = tasks.next().filter(|first| first.is_plain())?;
    tasks.all(|task| task.is_plain() && task.is_like(first)).then_some(first)
}
