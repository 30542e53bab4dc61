//! The registered handlers, by kind.
//!
//! In a mixed fleet a worker can claim a task of a kind that only other workers handle. Failing it
//! would cost an attempt, so the worker releases it and from then on claims only its own kinds, or it
//! would claim the same task again at once. A worker that never meets an unknown kind does not filter,
//! which saves the store a check per task. Each unknown kind is logged once.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Mutex, OnceLock};

use steadfast::__private::nearest;
use steadfast_store::InputError;
use tracing::warn;

use super::context::Context;
use super::handler::{Attempt, Handler};
use crate::sync::lock;

pub(super) type StartFn = Box<dyn Fn(&Context) -> Attempt + Send + Sync>;

/// Kinds come from clients, so the set of unknown ones is bounded.
const MAX_UNKNOWN_KINDS: usize = 1000;

#[derive(Default)]
pub(crate) struct HandlerRegistry {
    handlers: HashMap<String, StartFn>,
    unknown: Mutex<HashSet<String>>,
    /// The kinds to claim, set once an unknown kind was met.
    claim_kinds: OnceLock<Vec<String>>,
}

impl HandlerRegistry {
    pub(crate) fn add<M>(
        &mut self,
        kind: String,
        handler: impl Handler<M>,
    ) -> Result<(), InputError> {
        if self.handlers.contains_key(&kind) {
            let problem = format!("`{kind}` has two handlers; register each kind once");
            return Err(InputError::new("kind", problem));
        }
        self.handlers.insert(kind, Box::new(move |context| handler.start(context)));
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.handlers.is_empty()
    }

    pub(super) fn find(&self, kind: &str) -> Option<&StartFn> {
        self.handlers.get(kind)
    }

    /// Records a claimed task of a kind without a handler.
    pub(super) fn record_unknown(&self, kind: &str) {
        self.claim_kinds.get_or_init(|| self.handlers.keys().cloned().collect());
        if self.is_first_of_kind(kind) {
            warn!(
                target: "steadfast",
                kind,
                nearest = nearest(kind, self.handlers.keys().map(String::as_str)),
                "no handler for this kind: releasing its tasks for other workers"
            );
        }
    }

    /// The kinds to claim; `None` for all.
    pub(crate) fn claim_kinds(&self) -> Option<&Vec<String>> {
        self.claim_kinds.get()
    }

    fn is_first_of_kind(&self, kind: &str) -> bool {
        let mut unknown = lock(&self.unknown);
        if unknown.contains(kind) {
            return false;
        }
        unknown.len() < MAX_UNKNOWN_KINDS && unknown.insert(kind.to_owned())
    }
}

impl fmt::Debug for HandlerRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut kinds: Vec<_> = self.handlers.keys().collect();
        kinds.sort();
        f.debug_list().entries(kinds).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn registry() -> HandlerRegistry {
        let mut registry = HandlerRegistry::default();
        for kind in ["send-invoice", "print"] {
            registry.add(kind.to_owned(), |_: u32| async { Ok::<_, std::io::Error>(()) }).unwrap();
        }
        registry
    }

    #[test]
    fn kind_with_two_handlers_is_rejected() {
        let mut registry = registry();
        let again =
            registry.add("print".to_owned(), |_: u32| async { Ok::<_, std::io::Error>(()) });
        assert_eq!(again.unwrap_err().field(), "kind");
    }

    #[test]
    fn unknown_kind_is_logged_once_and_limits_claims() {
        let registry = registry();
        assert_eq!(registry.claim_kinds(), None);
        registry.record_unknown("reindex");
        assert!(!registry.is_first_of_kind("reindex") && registry.is_first_of_kind("rebuild"));
        let mut kinds = registry.claim_kinds().unwrap().clone();
        kinds.sort();
        assert_eq!(kinds, ["print", "send-invoice"]);
    }
}
