//! Progress display: a bar on a terminal, periodic lines elsewhere.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use steadfast::observe::Redactor;

use crate::output::human_duration;

const LINE_INTERVAL: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(super) struct Progress {
    display: Display,
    /// The input's size in bytes, if known.
    total: Option<u64>,
    began: Instant,
    /// Tasks and bytes processed by earlier runs.
    tasks_before: u64,
    bytes_before: u64,
    is_unavailable: bool,
}

#[derive(Debug)]
enum Display {
    Nothing,
    Bar(ProgressBar),
    /// Lines, and the time of the last one.
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

    pub(super) fn resume_from(&mut self, tasks: u64, bytes: u64) {
        (self.tasks_before, self.bytes_before) = (tasks, bytes);
        if let Display::Bar(bar) = &self.display {
            bar.set_position(bytes);
            bar.reset_eta();
        }
    }

    pub(super) fn reached(&mut self, tasks: u64, bytes: u64) {
        let rate = (tasks - self.tasks_before) as f64 / self.began.elapsed().as_secs_f64();
        let text = format!("{} tasks, {}/s", HumanCount(tasks), HumanCount(rate as u64));
        self.is_unavailable = false;
        match &mut self.display {
            Display::Nothing => {}
            Display::Bar(bar) => {
                bar.set_message(text);
                bar.set_position(bytes);
            }
            Display::Lines(last) if last.elapsed() < LINE_INTERVAL => {}
            Display::Lines(last) => {
                *last = Instant::now();
                let left = self.left(bytes);
                print_line(&format!("{text}{left}"));
            }
        }
    }

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

    /// Reports that the store is unreachable and when it is retried.
    pub(super) fn store_unavailable(&mut self, why: &str, delay: Duration) {
        let why = Redactor::installed().text(why);
        let delay = human_duration::format(Duration::from_millis(delay.as_millis() as u64));
        let text = format!("store unreachable, retrying in {delay}: {why}");
        let is_first = !std::mem::replace(&mut self.is_unavailable, true);
        match &self.display {
            Display::Bar(bar) => bar.set_message(text),
            Display::Lines(_) if is_first => print_line(&text),
            _ => {}
        }
    }

    /// Prints a note, even with `--quiet`.
    pub(super) fn note(&self, text: &str) {
        match &self.display {
            Display::Bar(bar) => bar.suspend(|| crate::output::note(text)),
            _ => crate::output::note(text),
        }
    }

    pub(super) fn end(&self) {
        if let Display::Bar(bar) = &self.display {
            bar.finish_and_clear();
        }
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }
}

fn bar(total: Option<u64>) -> ProgressBar {
    let (bar, style) = match total {
        Some(total) => (ProgressBar::new(total), "{bar:30.cyan} {percent:>3}%  {msg}  {eta} left"),
        None => (ProgressBar::new_spinner(), "{spinner} {msg}"),
    };
    // The template is constant; an error would only change the look.
    if let Ok(style) = ProgressStyle::with_template(style) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

fn print_line(text: &str) {
    // A closed stderr is not an error.
    let _ = writeln!(anstream::stderr(), "{text}");
}
