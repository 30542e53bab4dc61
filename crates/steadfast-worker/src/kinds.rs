//! Which handler does which kind.
//!
//! In a mixed fleet a worker can meet a task that another one is meant for. It must not fail
//! it, which would cost an attempt, nor hand it back at once, which would have it taken again
//! in the same breath. So it is put off for a while, and the log says so once for each kind.
//! Workers do better to serve queues whose kinds they all know.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use steadfast::nearest;
use steadfast_store::{Invalid, Verdict};
use tracing::warn;

use crate::context::Context;
use crate::handler::{Attempt, Handler};

/// Begins an attempt.
pub(crate) type Start = Box<dyn Fn(&Context) -> Attempt + Send + Sync>;

/// How long a task of an unknown kind is put off, from half to one and a half times of it, so
/// that tasks that were met together do not all come back to the same worker.
const PUT_OFF: Duration = Duration::from_secs(30);

/// Kinds come from outside: no more of them than this are remembered.
const REMEMBERED: usize = 1000;

#[derive(Default)]
pub(crate) struct Kinds {
    handlers: HashMap<String, Start>,
    unknown: Mutex<HashSet<String>>,
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

    /// What becomes of a task that nobody here can do.
    pub(crate) fn put_off(&self, kind: &str) -> Verdict {
        if self.is_news(kind) {
            warn!(
                target: "steadfast",
                kind,
                nearest = nearest(kind, self.handlers.keys().map(String::as_str)),
                "no handler for this kind: its tasks are put off; register one, or serve only \
                 queues whose kinds this worker knows"
            );
        }
        Verdict::Postponed { delay: PUT_OFF.mul_f64(0.5 + fastrand::f64()) }
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
    fn an_unknown_kind_is_news_once_and_its_tasks_come_back_unevenly() {
        let kinds = kinds();
        assert!(kinds.is_news("reindex") && !kinds.is_news("reindex"));
        let Verdict::Postponed { delay } = kinds.put_off("reindex") else {
            panic!("it must not count as an attempt");
        };
        assert!(delay >= PUT_OFF / 2 && delay <= PUT_OFF * 3 / 2);
    }
}
