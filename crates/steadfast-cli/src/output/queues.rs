//! The queue table.

use std::io::{self, Write};

use steadfast_api::QueueView;

use super::table::{StatusColor, Table};

pub(crate) fn write(page: &mut dyn Write, queues: &[QueueView]) -> io::Result<()> {
    let mut table =
        Table::with_columns(&["queue", "pending", "scheduled", "state"], &["pending", "scheduled"]);
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
    table.write(page)
}
