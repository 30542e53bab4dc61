//! The countdown line on a terminal, redrawn in place and removed at the end.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;

use anstream::{AutoStream, ColorChoice};
use anstyle::Style;
use terminal_size::{Width, terminal_size_of};
use unicode_width::UnicodeWidthStr;

use super::foreground::Foreground;
use crate::output::colour::DIM;
use crate::output::truncate;

/// Returns to the start of the line and clears it. Not a colour, so it is used without colours too.
const CLEAR: &str = "\r\x1b[K";
const SEPARATOR: &str = " · ";
const DEFAULT_COLUMNS: u16 = 80;

#[derive(Clone)]
pub(super) struct Countdown {
    terminal: Arc<Foreground>,
    style: Style,
}

impl Countdown {
    /// Returns `None` if it would not be seen: stderr is not a terminal, or another job has it.
    pub(super) fn on(terminal: Option<Arc<Foreground>>) -> Option<Self> {
        let terminal = terminal.filter(|terminal| terminal.is_ours())?;
        let understands = std::env::var_os("TERM").is_some_and(|name| name != "dumb");
        if !understands || !io::stderr().is_terminal() {
            return None;
        }
        let coloured = AutoStream::choice(&io::stderr()) != ColorChoice::Never;
        Some(Self { terminal, style: if coloured { DIM } else { Style::new() } })
    }

    /// Draws as many parts as fit, in order.
    pub(super) fn draw(&self, parts: &[&str]) {
        let style = self.style;
        self.write(&format!("{CLEAR}{style}{}{style:#}", fitting(parts, width())));
    }

    pub(super) fn wipe(&self) {
        self.write(CLEAR);
    }

    /// Writes only in the foreground; a background job would overwrite another program's line.
    fn write(&self, text: &str) {
        if self.terminal.is_ours() {
            let _ = io::stderr().lock().write_all(text.as_bytes());
        }
    }
}

/// One column less than the terminal: a full line would wrap and could not be cleared.
fn width() -> usize {
    let size = terminal_size_of(io::stderr());
    let columns = size.map_or(DEFAULT_COLUMNS, |(Width(columns), _)| columns);
    usize::from(columns.saturating_sub(1))
}

fn fitting(parts: &[&str], width: usize) -> String {
    let mut parts = parts.iter().filter(|part| !part.is_empty());
    let mut line = parts.next().map(|first| truncate::line(first, width)).unwrap_or_default();
    for part in parts {
        let longer = format!("{line}{SEPARATOR}{part}");
        if longer.width() > width {
            break;
        }
        line = longer;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_do_not_fit_are_dropped_from_the_end() {
        let parts = ["retrying in 1.0s (attempt 2 of 3)", "exit code 75", "", "4m left"];
        assert_eq!(
            fitting(&parts, 80),
            "retrying in 1.0s (attempt 2 of 3) · exit code 75 · 4m left"
        );
        assert_eq!(fitting(&parts, 57), "retrying in 1.0s (attempt 2 of 3) · exit code 75");
        assert_eq!(fitting(&parts, 33), "retrying in 1.0s (attempt 2 of 3)");
        assert_eq!(fitting(&parts, 10), "retrying …");
        assert_eq!(fitting(&[], 10), "");
    }
}
