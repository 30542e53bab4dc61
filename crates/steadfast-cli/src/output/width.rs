//! How wide the terminal is, if there is one.

use terminal_size::{Width, terminal_size_of};

/// Longer lines are hard to read, and narrower ones hold no word.
const READABLE: std::ops::RangeInclusive<u16> = 30..=100;

/// The width of the terminal that stdout leads to. A pipe has none: what goes into one is
/// never broken.
pub(crate) fn of_stdout() -> Option<u16> {
    let size = terminal_size_of(std::io::stdout());
    size.map(|(Width(columns), _)| columns.max(*READABLE.start()))
}

/// The width of text on stderr.
pub(crate) fn of_stderr() -> usize {
    let columns = terminal_size_of(std::io::stderr()).map(|(Width(columns), _)| columns);
    let columns = columns.unwrap_or(*READABLE.end());
    usize::from(columns.clamp(*READABLE.start(), *READABLE.end()))
}
