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
use super::items::InputError;
use super::parser::{InvalidLine, ParsedBatch, TaskParser};

/// How many batches are ready at most.
const MAX_READ_AHEAD: usize = 2;

/// The next batch, or why there is none.
pub(super) type Next = Result<(Batch, ParsedBatch), ReadError>;

/// Why reading ended before the end.
#[derive(Debug)]
pub(super) enum ReadError {
    /// A task that no store would take, by its line.
    Bad(u64, Box<ApiError>),
    Unreadable(InputError),
}

/// Reads batches behind the first `skip` tasks. With `skip_invalid` a task that is wrong is told in
/// its batch, without it is the end.
pub(super) fn start(
    input: Box<dyn BufRead + Send>,
    reading: Arc<TaskParser>,
    skip: u64,
    skip_invalid: bool,
) -> Receiver<Next> {
    let (batches, received) = channel(MAX_READ_AHEAD);
    thread::spawn(move || {
        let mut input = Batches::of(input);
        let ended = input.skip_to(skip).map_err(ReadError::Unreadable);
        let ended = ended.and_then(|_| read_on(&mut input, &reading, skip_invalid, &batches));
        if let Err(ended) = ended {
            // Whoever has stopped listening has stopped.
            let _ = batches.blocking_send(Err(ended));
        }
    });
    received
}

fn read_on(
    input: &mut Batches<impl BufRead>,
    reading: &TaskParser,
    skip_invalid: bool,
    batches: &Sender<Next>,
) -> Result<(), ReadError> {
    loop {
        let mut batch = input.next().map_err(ReadError::Unreadable)?;
        if batch.is_empty() {
            return Ok(());
        }
        let mut read = reading.read(&batch);
        let bad = (!skip_invalid).then(|| cut_before_bad(&mut batch, &mut read)).flatten();
        if !batch.is_empty() && batches.blocking_send(Ok((batch, read))).is_err() {
            return Ok(());
        }
        if let Some(InvalidLine { line, error, .. }) = bad {
            return Err(ReadError::Bad(line, Box::new(error)));
        }
    }
}

/// Leaves what is before the first task that is wrong, if one is.
fn cut_before_bad(batch: &mut Batch, read: &mut ParsedBatch) -> Option<InvalidLine> {
    let first = read.bad.drain(..).next()?;
    read.tasks.truncate(first.place);
    read.places.truncate(first.place);
    batch.cut(first.place);
    Some(first)
}
