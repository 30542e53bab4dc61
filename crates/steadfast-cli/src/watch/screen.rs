//! `--watch` on a terminal: one result, redrawn in place.
//!
//! It uses the terminal's alternate screen, which is left when [`Screen`] is dropped, also after
//! an error.

use std::io::{self, Write};
use std::time::Duration;

use anstream::AutoStream;
use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::EventStream;
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{execute, queue, terminal};
use steadfast::duration;

use super::STOP_SIGNALS;
use super::keys::{self, KeyAction};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Printable;
use crate::output::colour::DIM;
use crate::signals::{Signals, listen_error};

/// The line with the keys, and an empty line above it.
const FOOTER_LINES: u16 = 2;

pub(super) async fn run<A: Printable>(
    every: Duration,
    mut ask: impl AsyncFnMut() -> Result<A, CliError>,
) -> Result<Exit, CliError> {
    let mut answer = Ok(ask().await?);
    let mut signals = Signals::listen(STOP_SIGNALS).map_err(listen_error)?;
    let screen = Screen::enter().map_err(terminal_error)?;
    let mut events = EventStream::new();
    let mut interval = tokio::time::interval(every);
    interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    interval.reset();
    loop {
        screen.draw(&answer, every).map_err(terminal_error)?;
        tokio::select! {
            _ = signals.next() => return Ok(Exit::Success),
            typed = keys::next(&mut events) => match typed {
                KeyAction::Quit => return Ok(Exit::Success),
                KeyAction::Redraw => {}
            },
            _ = interval.tick() => answer = ask().await,
        }
    }
}

fn terminal_error(why: io::Error) -> CliError {
    CliError::failed(format!("cannot use the terminal: {why}"))
        .with_help("pipe the output, for example into `cat`")
}

struct Screen;

impl Screen {
    fn enter() -> io::Result<Self> {
        enable_raw_mode()?;
        // Created before the fallible call, so that dropping it restores the terminal.
        let screen = Self;
        execute!(io::stdout(), EnterAlternateScreen, Hide)?;
        Ok(screen)
    }

    fn draw<A: Printable>(&self, answer: &Result<A, CliError>, every: Duration) -> io::Result<()> {
        let (width, height) = terminal::size()?;
        let text = rendered(answer, width)?;
        let mut frame = Vec::new();
        queue!(frame, BeginSynchronizedUpdate, MoveTo(0, 0))?;
        let lines = usize::from(height.saturating_sub(FOOTER_LINES));
        for line in text.lines().take(lines) {
            frame.write_all(line.as_bytes())?;
            queue!(frame, Clear(ClearType::UntilNewLine))?;
            frame.write_all(b"\r\n")?;
        }
        queue!(frame, Clear(ClearType::FromCursorDown))?;
        queue!(frame, MoveTo(0, height.saturating_sub(1)))?;
        frame.write_all(footer(text.lines().count().saturating_sub(lines), every).as_bytes())?;
        queue!(frame, EndSynchronizedUpdate)?;
        // Written at once, for terminals without synchronized updates.
        let mut stdout = io::stdout().lock();
        stdout.write_all(&frame)?;
        stdout.flush()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // Nothing to restore if the terminal is gone.
        let _ = execute!(io::stdout(), Show, LeaveAlternateScreen);
        let _ = disable_raw_mode();
    }
}

/// The result or the error, with colours if the terminal has them.
fn rendered<A: Printable>(answer: &Result<A, CliError>, width: u16) -> io::Result<String> {
    let mut text = Vec::new();
    match answer {
        Ok(answer) => answer.write_text(&mut text)?,
        Err(problem) => write!(text, "{}", problem.render(usize::from(width)))?,
    }
    let mut page = AutoStream::new(Vec::new(), AutoStream::choice(&io::stdout()));
    page.write_all(&text)?;
    Ok(String::from_utf8_lossy(&page.into_inner()).into_owned())
}

fn footer(hidden: usize, every: Duration) -> String {
    let more = match hidden {
        0 => String::new(),
        lines => format!("{lines} more lines below; "),
    };
    let every = duration::format(every);
    let mut page = AutoStream::new(Vec::new(), AutoStream::choice(&io::stdout()));
    let _ = write!(page, "{DIM}{more}updates every {every}, q to quit{DIM:#}");
    String::from_utf8_lossy(&page.into_inner()).into_owned()
}
