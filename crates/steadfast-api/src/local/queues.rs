//! Whether there is such a queue.
//!
//! A store pauses a queue before its first task as well, so that nothing slips through. But a name
//! that nobody has heard of is more often a slip of the pen, and a pause of nothing that is said to
//! be well leaves the right queue running. So it has to be said that it is meant.

use steadfast::nearest;
use steadfast_store::QueueInfo;

use super::Local;
use crate::error::{ApiError, ErrorKind};

impl Local {
    pub(super) async fn find_queue(&self, queue: &str) -> Result<(), ApiError> {
        steadfast_store::name("queue", queue)?;
        // Whoever wants to stop a queue is not kept from it by a count that takes too long.
        let Ok(queues) = self.store.queues().await else { return Ok(()) };
        match queues.iter().any(|known| known.name == queue) {
            true => Ok(()),
            false => Err(unknown(queue, &queues)),
        }
    }
}

fn unknown(queue: &str, known: &[QueueInfo]) -> ApiError {
    let near = nearest(queue, known.iter().map(|known| known.name.as_str()));
    let next = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "list the queues to see which there are;".to_owned(),
    };
    ApiError::new(ErrorKind::NotFound, format!("there is no queue `{queue}`"))
        .field("queue")
        .next(format!("{next} `new=true` pauses one before its first task"))
}
