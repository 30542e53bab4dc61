//! Which handler does which kind.
//!
//! In a mixed fleet a worker can meet a task that another one is meant for. It must not fail
//! it, which would cost an attempt. It hands it back, and from then on asks for nothing but the
//! kinds that it knows, or it would take the task again in the same breath. A worker that never
//! meets a stranger does not ask for kinds, which saves the store a look at each. The log
//! tells of each kind once.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Mutex, OnceLock, PoisonError};

use steadfast::nearest;
use steadfast_store::Invalid;
use tracing::warn;

use crate::context::Context;
use crate::handler::{Attempt, Handler};

/// Begins an attempt.
pub(crate) type Start = Box<dyn Fn(&Context) -> Attempt + Send + Sync>;

/// Kinds come from outside: no more of them than this are remembered.
const REMEMBERED: usize = 1000;

#[derive(Default)]
pub(crate) struct Kinds {
    handlers: HashMap<String, Start>,
    unknown: Mutex<HashSet<String>>,
    /// The kinds to ask for, since a stranger was met.
    only: OnceLock<Vec<String>>,
}

impl Kinds {
    pub(crate) fn add<M>(&mut self, kind: String, handler: impl Handler<M>) -> Result<(), Invalid> {
        if self.handlers.contains_key(&kind) {
            let problem = format!("`{kind}` has two handlers; register each kind once");
            return Err(Invalid::new("kind", problem));
        }
        self.handlers.insert(kind, Box::new(move |context| handler.start(context)));
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.handlers.is_empty()
    }

    pub(crate) fn find(&self, kind: &str) -> Option<&Start> {
        self.handlers.get(kind)
    }

    /// Remembers a task that nobody here can do.
    pub(crate) fn met_a_stranger(&self, kind: &str) {
        self.only.get_or_init(|| self.handlers.keys().cloned().collect());
        if self.is_news(kind) {
            warn!(
                target: "steadfast",
                kind,
                nearest = nearest(kind, self.handlers.keys().map(String::as_str)),
                "no handler for this kind: its tasks are left to other workers"
            );
        }
    }

    /// The kinds to ask for; all, if there is nothing here.
    pub(crate) fn to_ask_for(&self) -> Option<&Vec<String>> {
        self.only.get()
    }

    fn is_news(&self, kind: &str) -> bool {
        let mut unknown = self.unknown.lock().unwrap_or_else(PoisonError::into_inner);
        if unknown.contains(kind) {
            return false;
        }
        unknown.len() < REMEMBERED && unknown.insert(kind.to_owned())
    }
}

impl fmt::Debug for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut kinds: Vec<_> = self.handlers.keys().collect();
        kinds.sort();
        f.debug_list().entries(kinds).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds() -> Kinds {
        let mut kinds = Kinds::default();
        for kind in ["send-invoice", "print"] {
            kinds.add(kind.to_owned(), |_: u32| async { Ok::<_, std::io::Error>(()) }).unwrap();
        }
        kinds
    }

    #[test]
    fn a_kind_is_registered_once() {
        let again = kinds().add("print".to_owned(), |_: u32| async { Ok::<_, std::io::Error>(()) });
        assert_eq!(again.unwrap_err().field(), "kind");
    }

    #[test]
    fn an_unknown_kind_is_news_once_and_changes_what_is_asked_for() {
        let kinds = kinds();
        assert_eq!(kinds.to_ask_for(), None);
        kinds.met_a_stranger("reindex");
        assert!(!kinds.is_news("reindex") && kinds.is_news("rebuild"));
        let mut asked = kinds.to_ask_for().unwrap().clone();
        asked.sort();
        assert_eq!(asked, ["print", "send-invoice"]);
    }
}
