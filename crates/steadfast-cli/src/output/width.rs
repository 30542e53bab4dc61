//! Terminal width.

use terminal_size::{Height, Width, terminal_size_of};

const TEXT_COLUMNS: std::ops::RangeInclusive<u16> = 30..=100;

/// The width of the terminal on stdout. A pipe has none: piped output is never wrapped.
pub(crate) fn of_stdout() -> Option<u16> {
    let size = terminal_size_of(std::io::stdout());
    size.map(|(Width(columns), _)| columns.max(*TEXT_COLUMNS.start()))
}

pub(crate) fn of_text_on_stdout() -> usize {
    readable(terminal_size_of(std::io::stdout()))
}

pub(crate) fn of_stderr() -> usize {
    readable(terminal_size_of(std::io::stderr()))
}

fn readable(size: Option<(Width, Height)>) -> usize {
    let columns = size.map_or(*TEXT_COLUMNS.end(), |(Width(columns), _)| columns);
    usize::from(columns.clamp(*TEXT_COLUMNS.start(), *TEXT_COLUMNS.end()))
}
