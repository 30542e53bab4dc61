//! The queue table.

use std::io::{self, Write};

use steadfast_api::QueueView;

use super::table::{Align, StatusColor, Table};
use super::width;

const COLUMNS: &[(&str, Align)] = &[
    ("queue", Align::Left),
    ("pending", Align::Right),
    ("scheduled", Align::Right),
    ("state", Align::Left),
];

/// Writes the queues with their counts and state.
pub(crate) fn write(page: &mut dyn Write, queues: &[QueueView]) -> io::Result<()> {
    let mut table = Table::with_columns(COLUMNS);
    for queue in queues {
        let (state, color) =
            if queue.paused { ("paused", Some(StatusColor::Error)) } else { ("open", None) };
        table.colored_row([
            (queue.name.clone(), None),
            (queue.pending.to_string(), None),
            (queue.scheduled.to_string(), None),
            (state.to_owned(), color),
        ]);
    }
    table.write(page, width::of_stdout())
}
