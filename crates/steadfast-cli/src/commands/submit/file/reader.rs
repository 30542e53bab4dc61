//! Read-ahead on a separate thread.
//!
//! While the store writes a batch, the next ones are read and parsed. Their number is limited, so
//! that a slow store slows down the reader.

use std::io::BufRead;
use std::sync::Arc;
use std::thread;

use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::batch::{Batch, Batches};
use super::parser::{InvalidLine, ParsedBatch, TaskParser};
use super::stop_error::StopError;

const MAX_READ_AHEAD: usize = 2;

/// The next batch, or the error that ended reading.
pub(super) type Next = Result<(Batch, ParsedBatch), StopError>;

/// Starts reading after the first `skip` tasks. With `skip_invalid`, invalid tasks are returned
/// with their batch; otherwise the first one ends reading.
pub(super) fn start(
    input: Box<dyn BufRead + Send>,
    parser: Arc<TaskParser>,
    skip: u64,
    skip_invalid: bool,
) -> Receiver<Next> {
    let (batches, received) = channel(MAX_READ_AHEAD);
    thread::spawn(move || {
        let mut input = Batches::of(input);
        let skipped = input.skip_to(skip).map_err(StopError::Unreadable);
        if let Err(ended) =
            skipped.and_then(|_| read_batches(&mut input, &parser, skip_invalid, &batches))
        {
            // The receiver is gone if the submission has stopped.
            let _ = batches.blocking_send(Err(ended));
        }
    });
    received
}

fn read_batches(
    input: &mut Batches<impl BufRead>,
    parser: &TaskParser,
    skip_invalid: bool,
    batches: &Sender<Next>,
) -> Result<(), StopError> {
    loop {
        let mut batch = input.next().map_err(StopError::Unreadable)?;
        if batch.items.is_empty() {
            return Ok(());
        }
        let mut read = parser.read(&batch);
        let invalid = (!skip_invalid).then(|| truncate_at_invalid(&mut batch, &mut read)).flatten();
        if !batch.items.is_empty() && batches.blocking_send(Ok((batch, read))).is_err() {
            return Ok(());
        }
        if let Some(invalid) = invalid {
            return Err(StopError::Invalid(Box::new(invalid)));
        }
    }
}

/// Truncates the batch before its first invalid task, and returns that task.
fn truncate_at_invalid(batch: &mut Batch, read: &mut ParsedBatch) -> Option<InvalidLine> {
    let first = read.bad.drain(..).next()?;
    read.tasks.truncate(first.place);
    read.places.truncate(first.place);
    batch.truncate(first.place);
    Some(first)
}
