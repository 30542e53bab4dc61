//! Answers, for people and for machines.
//!
//! A command makes one value of what it found out, and that value knows both of its forms
//! ([`Answer`]). So the table and the JSON cannot tell different stories, and no command
//! decides by itself where its output goes, how wide it is or whether it has colours.

pub(crate) mod colour;
pub(crate) mod entry;
pub(crate) mod file;
pub(crate) mod moment;
pub(crate) mod queues;
pub(crate) mod sanitize;
pub(crate) mod seconds;
pub(crate) mod short;
pub(crate) mod table;
pub(crate) mod time;
pub(crate) mod width;

use std::io::{self, BufWriter, Write};

use serde::Serialize;

use crate::problem::Problem;

/// What a command found out. Serialized, it is what `--json` prints.
pub(crate) trait Answer: Serialize {
    /// The same for people.
    fn tell(&self, page: &mut dyn Write) -> io::Result<()>;
}

/// Where answers go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    json: bool,
}

impl Output {
    pub(crate) const fn new(json: bool) -> Self {
        Self { json }
    }

    /// Whether machines read it.
    pub(crate) const fn is_json(self) -> bool {
        self.json
    }

    /// Prints an answer on stdout.
    pub(crate) fn answer(self, answer: &impl Answer) -> Result<(), Problem> {
        print(|page| self.write(page, answer))
    }

    /// Prints one of many answers, and says whether anybody still reads them. People get a line
    /// between two of them.
    pub(crate) fn answer_while_read(
        self,
        answer: &impl Answer,
        is_another: bool,
    ) -> Result<bool, Problem> {
        let mut page = BufWriter::new(anstream::stdout().lock());
        let between = if is_another && !self.json { "\n" } else { "" };
        let written = write!(page, "{between}")
            .and_then(|()| self.write(&mut page, answer))
            .and_then(|()| page.flush());
        let is_closed = matches!(&written, Err(why) if why.kind() == io::ErrorKind::BrokenPipe);
        self::written(written)?;
        Ok(!is_closed)
    }

    fn write(self, page: &mut dyn Write, answer: &impl Answer) -> io::Result<()> {
        if !self.json {
            return answer.tell(page);
        }
        serde_json::to_writer(&mut *page, answer)?;
        writeln!(page)
    }
}

/// Says something beside the answer, on stderr.
pub(crate) fn note(text: &str) {
    let dim = colour::DIM;
    // Who has closed stderr does not want to know.
    let _ = writeln!(anstream::stderr(), "{dim}note: {text}{dim:#}");
}

/// Prints on stdout.
pub(crate) fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Problem> {
    let mut page = BufWriter::new(anstream::stdout().lock());
    written(write(&mut page).and_then(|()| page.flush()))
}

/// Prints bytes on stdout that are no text, so that no colour is looked for in them.
pub(crate) fn print_raw(bytes: &[u8]) -> Result<(), Problem> {
    let mut page = io::stdout().lock();
    written(page.write_all(bytes).and_then(|()| page.flush()))
}

/// Who has closed stdout (`| head`) has read enough, which is no problem.
fn written(ended: io::Result<()>) -> Result<(), Problem> {
    match ended {
        Err(why) if why.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(why) => Err(Problem::failed(format!("the output could not be written: {why}"))
            .with_next("make room for it, or send it elsewhere".to_owned())),
        Ok(()) => Ok(()),
    }
}

/// `1 problem`, `2 problems`.
pub(crate) fn counted(count: usize, one: &str, more: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {more}") }
}
