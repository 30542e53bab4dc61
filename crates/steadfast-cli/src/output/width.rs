//! How wide the terminal is, if there is one.

use terminal_size::{Height, Width, terminal_size_of};

/// Longer lines are hard to read, and narrower ones hold no word.
const READABLE: std::ops::RangeInclusive<u16> = 30..=100;

/// The width of the terminal that stdout leads to. A pipe has none: what goes into one is
/// never broken.
pub(crate) fn of_stdout() -> Option<u16> {
    let size = terminal_size_of(std::io::stdout());
    size.map(|(Width(columns), _)| columns.max(*READABLE.start()))
}

/// The width of sentences on stdout.
pub(crate) fn of_text_on_stdout() -> usize {
    readable(terminal_size_of(std::io::stdout()))
}

/// The width of sentences on stderr.
pub(crate) fn of_stderr() -> usize {
    readable(terminal_size_of(std::io::stderr()))
}

fn readable(size: Option<(Width, Height)>) -> usize {
    let columns = size.map_or(*READABLE.end(), |(Width(columns), _)| columns);
    usize::from(columns.clamp(*READABLE.start(), *READABLE.end()))
}
