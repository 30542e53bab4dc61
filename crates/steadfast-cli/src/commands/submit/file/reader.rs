//! Reads ahead of the store, on a thread of its own.
//!
//! While the store writes one batch, the next is read, taken apart and checked. A few are ready
//! at most, so that a slow store makes a slow reader and not a full memory.

use std::io::BufRead;
use std::sync::Arc;
use std::thread;

use steadfast_api::ApiError;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::batch::{Batch, Batches};
use super::items::Unreadable;
use super::reading::{BadLine, Read, Reading};

/// How many batches are ready at most.
const AHEAD: usize = 2;

/// The next batch, or why there is none.
pub(super) type Next = Result<(Batch, Read), Ended>;

/// Why reading ended before the end.
#[derive(Debug)]
pub(super) enum Ended {
    /// A task that no store would take, by its line.
    Bad(u64, Box<ApiError>),
    Unreadable(Unreadable),
}

/// Reads batches behind the first `skip` tasks. With `past_bad` a task that is wrong is told in
/// its batch, without it is the end.
pub(super) fn start(
    input: Box<dyn BufRead + Send>,
    reading: Arc<Reading>,
    skip: u64,
    past_bad: bool,
) -> Receiver<Next> {
    let (batches, received) = channel(AHEAD);
    thread::spawn(move || {
        let mut input = Batches::of(input);
        let ended = input.skip_to(skip).map_err(Ended::Unreadable);
        let ended = ended.and_then(|_| read_on(&mut input, &reading, past_bad, &batches));
        if let Err(ended) = ended {
            // Whoever has stopped listening has stopped.
            let _ = batches.blocking_send(Err(ended));
        }
    });
    received
}

fn read_on(
    input: &mut Batches<impl BufRead>,
    reading: &Reading,
    past_bad: bool,
    batches: &Sender<Next>,
) -> Result<(), Ended> {
    loop {
        let mut batch = input.next().map_err(Ended::Unreadable)?;
        if batch.is_empty() {
            return Ok(());
        }
        let mut read = reading.read(&batch);
        let bad = (!past_bad).then(|| cut_before_bad(&mut batch, &mut read)).flatten();
        if !batch.is_empty() && batches.blocking_send(Ok((batch, read))).is_err() {
            return Ok(());
        }
        if let Some(BadLine { line, error, .. }) = bad {
            return Err(Ended::Bad(line, Box::new(error)));
        }
    }
}

/// Leaves what is before the first task that is wrong, if one is.
fn cut_before_bad(batch: &mut Batch, read: &mut Read) -> Option<BadLine> {
    let first = read.bad.drain(..).next()?;
    read.tasks.truncate(first.place);
    read.places.truncate(first.place);
    batch.cut(first.place);
    Some(first)
}
