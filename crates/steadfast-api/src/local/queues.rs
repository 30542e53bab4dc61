//! Lookup of queues by name.
//!
//! The store can pause a queue before its first task. An unknown name is more often a typo, and a
//! pause that reports success would leave the intended queue running. So pausing a new queue needs
//! the parameter `new`.

use steadfast::__private::nearest;
use steadfast_store::QueueInfo;

use super::Local;
use crate::error::{ApiError, ErrorKind};

impl Local {
    /// Checks that the queue exists.
    pub(super) async fn find_queue(&self, queue: &str) -> Result<(), ApiError> {
        self.known_queue(queue).await
    }

    /// Checks that a queue to pause exists; a new one needs the parameter `new`.
    pub(super) async fn find_queue_to_pause(&self, queue: &str) -> Result<(), ApiError> {
        self.known_queue(queue).await.map_err(|error| match (&error.kind, &error.next) {
            (ErrorKind::NotFound, Some(next)) => {
                let next =
                    format!("{next}; to pause a queue that has no tasks yet, add `new=true`");
                error.next(next)
            }
            _ => error,
        })
    }

    async fn known_queue(&self, queue: &str) -> Result<(), ApiError> {
        steadfast_store::name("queue", queue)?;
        // A failing list of queues must not prevent a pause.
        let Ok(queues) = self.store.queues().await else { return Ok(()) };
        match queues.iter().any(|existing| existing.name == queue) {
            true => Ok(()),
            false => Err(unknown_queue(queue, &queues)),
        }
    }
}

fn unknown_queue(queue: &str, existing: &[QueueInfo]) -> ApiError {
    let near = nearest(queue, existing.iter().map(|existing| existing.name.as_str()));
    let next = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "list the queues to see their names".to_owned(),
    };
    ApiError::new(ErrorKind::NotFound, format!("unknown queue `{queue}`")).field("queue").next(next)
}
