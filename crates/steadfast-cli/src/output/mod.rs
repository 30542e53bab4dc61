//! Command output as text or JSON.
//!
//! A command produces one value that implements [`Printable`], and both formats are derived from
//! it. Where output goes, how wide it is and whether it is coloured is decided here.

pub(crate) mod colour;
pub(crate) mod file;
pub(crate) mod human_duration;
pub(crate) mod queues;
pub(crate) mod relative_time;
pub(crate) mod sanitize;
pub(crate) mod seconds;
pub(crate) mod stacked_row;
pub(crate) mod table;
pub(crate) mod truncate;
pub(crate) mod width;

use std::io::{self, BufWriter, Write};

use serde::Serialize;

use crate::error::CliError;

/// The result of a command. `--json` prints its serialized form.
pub(crate) trait Printable: Serialize {
    /// Writes the text form.
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()>;
}

/// The output format of a command.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    json: bool,
}

impl Output {
    pub(crate) const fn new(json: bool) -> Self {
        Self { json }
    }

    /// Whether `--json` was given.
    pub(crate) const fn is_json(self) -> bool {
        self.json
    }

    /// Prints a result on stdout.
    pub(crate) fn print(self, result: &impl Printable) -> Result<(), CliError> {
        print(|page| self.write(page, result))
    }

    /// Prints one of a series of results, separated by blank lines in text. Returns whether stdout is
    /// still open.
    pub(crate) fn print_while_read(
        self,
        result: &impl Printable,
        is_another: bool,
    ) -> Result<bool, CliError> {
        let mut page = BufWriter::new(anstream::stdout().lock());
        let separator = if is_another && !self.json { "\n" } else { "" };
        let written = write!(page, "{separator}")
            .and_then(|()| self.write(&mut page, result))
            .and_then(|()| page.flush());
        let is_closed = matches!(&written, Err(why) if why.kind() == io::ErrorKind::BrokenPipe);
        write_result(written)?;
        Ok(!is_closed)
    }

    fn write(self, page: &mut dyn Write, result: &impl Printable) -> io::Result<()> {
        if !self.json {
            return result.write_text(page);
        }
        serde_json::to_writer(&mut *page, result)?;
        writeln!(page)
    }
}

/// Prints a note on stderr.
pub(crate) fn note(text: &str) {
    let dim = colour::DIM;
    // A closed stderr is not an error.
    let _ = writeln!(anstream::stderr(), "{dim}note: {text}{dim:#}");
}

/// Prints on stdout.
pub(crate) fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), CliError> {
    let mut page = BufWriter::new(anstream::stdout().lock());
    write_result(write(&mut page).and_then(|()| page.flush()))
}

/// Prints binary data on stdout, bypassing the colour filter.
pub(crate) fn print_raw(bytes: &[u8]) -> Result<(), CliError> {
    let mut page = io::stdout().lock();
    write_result(page.write_all(bytes).and_then(|()| page.flush()))
}

/// Treats a closed stdout (`| head`) as success.
fn write_result(result: io::Result<()>) -> Result<(), CliError> {
    match result {
        Err(why) if why.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(why) => Err(CliError::failed(format!("cannot write the output: {why}"))
            .with_help("free disk space, or redirect the output elsewhere")),
        Ok(()) => Ok(()),
    }
}

/// `1 problem`, `2 problems`.
pub(crate) fn counted(count: usize, one: &str, more: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {more}") }
}
