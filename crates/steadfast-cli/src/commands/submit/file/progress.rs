//! How far it is, while it goes on: a bar on a terminal, a line now and then elsewhere.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use steadfast::observe::Redactor;

use crate::output::human_duration;

/// How often a line is written where there is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(5);

/// Shows how far it is, on stderr.
#[derive(Debug)]
pub(super) struct Progress {
    display: Display,
    /// How many bytes there are to read, if that is known.
    total: Option<u64>,
    began: Instant,
    /// What was done before this run.
    tasks_before: u64,
    bytes_before: u64,
    is_unavailable: bool,
}

#[derive(Debug)]
enum Display {
    Nothing,
    Bar(ProgressBar),
    /// A line, and when the last one was written.
    Lines(Instant),
}

impl Progress {
    pub(super) fn new(is_quiet: bool, total: Option<u64>) -> Self {
        let display = match is_quiet {
            true => Display::Nothing,
            false if std::io::stderr().is_terminal() => Display::Bar(bar(total)),
            false => Display::Lines(Instant::now()),
        };
        let began = Instant::now();
        Self { display, total, began, tasks_before: 0, bytes_before: 0, is_unavailable: false }
    }

    /// So much was done by an earlier run.
    pub(super) fn resume_from(&mut self, tasks: u64, bytes: u64) {
        (self.tasks_before, self.bytes_before) = (tasks, bytes);
        if let Display::Bar(bar) = &self.display {
            bar.set_position(bytes);
            bar.reset_eta();
        }
    }

    /// So many tasks were dealt with, and so many bytes read.
    pub(super) fn reached(&mut self, tasks: u64, bytes: u64) {
        let rate = (tasks - self.tasks_before) as f64 / self.began.elapsed().as_secs_f64();
        let told = format!("{} tasks, {}/s", HumanCount(tasks), HumanCount(rate as u64));
        self.is_unavailable = false;
        match &mut self.display {
            Display::Nothing => {}
            Display::Bar(bar) => {
                bar.set_message(told);
                bar.set_position(bytes);
            }
            Display::Lines(last) if last.elapsed() < LINE_INTERVAL => {}
            Display::Lines(last) => {
                *last = Instant::now();
                let left = self.left(bytes);
                say(&format!("{told}{left}"));
            }
        }
    }

    /// The share that was read, and how long the rest will take.
    fn left(&self, bytes: u64) -> String {
        let Some(total) = self.total.filter(|total| *total > 0) else {
            return String::new();
        };
        let (all, read) = (total as f64, bytes as f64);
        let here = (read - self.bytes_before as f64).max(1.0);
        let seconds = self.began.elapsed().as_secs_f64() * (all - read).max(0.0) / here;
        let left = Duration::try_from_secs_f64(seconds.round()).unwrap_or_default();
        format!(", {:.0} %, {} left", 100.0 * read / all, human_duration::format(left))
    }

    /// The store did not answer, and is asked again after a while.
    pub(super) fn store_unavailable(&mut self, why: &str, delay: Duration) {
        let why = Redactor::installed().text(why);
        let delay = human_duration::format(Duration::from_millis(delay.as_millis() as u64));
        let told = format!("the store is away, asked again in {delay}: {why}");
        let is_news = !std::mem::replace(&mut self.is_unavailable, true);
        match &self.display {
            Display::Bar(bar) => bar.set_message(told),
            Display::Lines(_) if is_news => say(&told),
            _ => {}
        }
    }

    /// Says something beside it, quiet or not.
    pub(super) fn note(&self, text: &str) {
        match &self.display {
            Display::Bar(bar) => bar.suspend(|| crate::output::note(text)),
            _ => crate::output::note(text),
        }
    }

    /// Leaves nothing behind.
    pub(super) fn end(&self) {
        if let Display::Bar(bar) = &self.display {
            bar.finish_and_clear();
        }
    }

    /// How long it took so far.
    pub(super) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }
}

fn bar(total: Option<u64>) -> ProgressBar {
    let (bar, style) = match total {
        Some(total) => (ProgressBar::new(total), "{bar:30.cyan} {percent:>3}%  {msg}  {eta} left"),
        None => (ProgressBar::new_spinner(), "{spinner} {msg}"),
    };
    // The style is a constant, and without it the bar only looks different.
    if let Ok(style) = ProgressStyle::with_template(style) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

fn say(text: &str) {
    // Who has closed stderr does not want to know.
    let _ = writeln!(anstream::stderr(), "{text}");
}
