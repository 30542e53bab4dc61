//! A line on the terminal that is drawn over and over, and leaves nothing behind.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;

use anstream::{AutoStream, ColorChoice};
use anstyle::Style;
use terminal_size::{Width, terminal_size_of};

use super::foreground::Foreground;
use crate::output::colour::DIM;

/// Goes to the line's beginning and clears it. This is no colour: it is there without colours,
/// too.
const CLEAR: &str = "\r\x1b[K";
const SEPARATOR: &str = " · ";
const CUT: char = '…';
const DEFAULT_COLUMNS: u16 = 80;

/// The line.
#[derive(Clone)]
pub(super) struct Countdown {
    terminal: Arc<Foreground>,
    style: Style,
}

impl Countdown {
    /// None if nobody would see it: stderr leads elsewhere, or another job has the terminal.
    pub(super) fn on(terminal: Option<Arc<Foreground>>) -> Option<Self> {
        let terminal = terminal.filter(|terminal| terminal.is_ours())?;
        let understands = std::env::var_os("TERM").is_some_and(|name| name != "dumb");
        if !understands || !io::stderr().is_terminal() {
            return None;
        }
        let coloured = AutoStream::choice(&io::stderr()) != ColorChoice::Never;
        Some(Self { terminal, style: if coloured { DIM } else { Style::new() } })
    }

    /// As many of the parts as there is room for, the first ones first.
    pub(super) fn draw(&self, parts: &[&str]) {
        let style = self.style;
        self.write(&format!("{CLEAR}{style}{}{style:#}", fitting(parts, width())));
    }

    pub(super) fn wipe(&self) {
        self.write(CLEAR);
    }

    /// Whoever has been sent to the background meanwhile would write over somebody else's line.
    fn write(&self, text: &str) {
        if self.terminal.is_ours() {
            let _ = io::stderr().lock().write_all(text.as_bytes());
        }
    }
}

/// One less than there is: a full line would go on in the next, and could not be cleared.
fn width() -> usize {
    let size = terminal_size_of(io::stderr());
    let columns = size.map_or(DEFAULT_COLUMNS, |(Width(columns), _)| columns);
    usize::from(columns.saturating_sub(1))
}

fn fitting(parts: &[&str], width: usize) -> String {
    let mut parts = parts.iter().filter(|part| !part.is_empty());
    let mut line = parts.next().map(|first| cut(first, width)).unwrap_or_default();
    for part in parts {
        let longer = format!("{line}{SEPARATOR}{part}");
        if length(&longer) > width {
            break;
        }
        line = longer;
    }
    line
}

fn cut(text: &str, width: usize) -> String {
    if length(text) <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain([CUT]).collect()
}

fn length(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_left_out_from_the_end_and_the_first_is_cut() {
        let parts = ["attempt 2 of 3 in 1.0s", "exit code 75", "", "4m left"];
        assert_eq!(fitting(&parts, 80), "attempt 2 of 3 in 1.0s · exit code 75 · 4m left");
        assert_eq!(fitting(&parts, 46), "attempt 2 of 3 in 1.0s · exit code 75");
        assert_eq!(fitting(&parts, 22), "attempt 2 of 3 in 1.0s");
        assert_eq!(fitting(&parts, 10), "attempt 2…");
        assert_eq!(fitting(&[], 10), "");
    }
}
