//! Queues as a table.

use std::io::{self, Write};

use steadfast_api::QueueView;

use super::table::{Align, Table, Tone};
use super::width;

const COLUMNS: &[(&str, Align)] = &[
    ("queue", Align::Left),
    ("pending", Align::Right),
    ("scheduled", Align::Right),
    ("state", Align::Left),
];

/// Writes them, and which are paused.
pub(crate) fn write(page: &mut dyn Write, queues: &[QueueView]) -> io::Result<()> {
    let mut table = Table::with_columns(COLUMNS);
    for queue in queues {
        let (state, tone) = if queue.paused { ("paused", Some(Tone::Bad)) } else { ("open", None) };
        table.toned_row([
            (queue.name.clone(), None),
            (queue.pending.to_string(), None),
            (queue.scheduled.to_string(), None),
            (state.to_owned(), tone),
        ]);
    }
    table.write(page, width::of_stdout())
}
