//! A terminal that shows one answer, drawn anew in its place.
//!
//! It is drawn on the terminal's second screen, so that whoever quits finds everything as it
//! was; also after a failure, because leaving it is what dropping it does.

use std::io::{self, Write};
use std::time::Duration;

use anstream::AutoStream;
use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{execute, queue, terminal};
use steadfast::duration;

use super::keys::{Keys, Typed};
use super::signals::Signals;
use crate::exit::Exit;
use crate::output::Answer;
use crate::output::colour::DIM;
use crate::problem::Problem;

/// The line that says how to quit, and an empty one above it.
const FOOTER: u16 = 2;

/// Shows answers until somebody quits.
pub(super) async fn run<A: Answer>(
    every: Duration,
    mut ask: impl AsyncFnMut() -> Result<A, Problem>,
) -> Result<Exit, Problem> {
    let mut answer = Ok(ask().await?);
    let mut signals = Signals::listen()?;
    let screen = Screen::enter().map_err(unusable)?;
    let mut keys = Keys::listen();
    let mut look = tokio::time::interval(every);
    look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    look.reset();
    loop {
        screen.draw(&answer, every).map_err(unusable)?;
        tokio::select! {
            () = signals.stop() => return Ok(Exit::Good),
            typed = keys.next() => match typed {
                Typed::Quit => return Ok(Exit::Good),
                Typed::Redraw => {}
            },
            _ = look.tick() => answer = ask().await,
        }
    }
}

fn unusable(why: io::Error) -> Problem {
    Problem::failed(format!("the terminal cannot be used: {why}"))
        .with_next("send the output elsewhere, such as into `| cat`".to_owned())
}

/// The second screen, as long as it is there.
struct Screen;

impl Screen {
    fn enter() -> io::Result<Self> {
        enable_raw_mode()?;
        // From here on it is left again, whatever goes wrong.
        let screen = Self;
        execute!(io::stdout(), EnterAlternateScreen, Hide)?;
        Ok(screen)
    }

    fn draw<A: Answer>(&self, answer: &Result<A, Problem>, every: Duration) -> io::Result<()> {
        let (width, height) = terminal::size()?;
        let text = rendered(answer, width)?;
        let mut frame = Vec::new();
        queue!(frame, BeginSynchronizedUpdate, MoveTo(0, 0))?;
        let room = usize::from(height.saturating_sub(FOOTER));
        for line in text.lines().take(room) {
            frame.write_all(line.as_bytes())?;
            queue!(frame, Clear(ClearType::UntilNewLine))?;
            frame.write_all(b"\r\n")?;
        }
        queue!(frame, Clear(ClearType::FromCursorDown))?;
        queue!(frame, MoveTo(0, height.saturating_sub(1)))?;
        frame.write_all(footer(text.lines().count().saturating_sub(room), every).as_bytes())?;
        queue!(frame, EndSynchronizedUpdate)?;
        // In one piece, for terminals that know nothing of synchronized updates.
        let mut stdout = io::stdout().lock();
        stdout.write_all(&frame)?;
        stdout.flush()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // Who has lost the terminal has nothing to restore.
        let _ = execute!(io::stdout(), Show, LeaveAlternateScreen);
        let _ = disable_raw_mode();
    }
}

/// The answer, or what is wrong, with colours if this terminal is to have them.
fn rendered<A: Answer>(answer: &Result<A, Problem>, width: u16) -> io::Result<String> {
    let mut text = Vec::new();
    match answer {
        Ok(answer) => answer.tell(&mut text)?,
        Err(problem) => write!(text, "{}", problem.shown(usize::from(width)))?,
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
    let _ = write!(page, "{DIM}{more}looks every {every}, q quits{DIM:#}");
    String::from_utf8_lossy(&page.into_inner()).into_owned()
}
