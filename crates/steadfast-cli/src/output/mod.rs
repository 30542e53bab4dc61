//! Command output as text or JSON.
//!
//! A command produces one value that implements [`Printable`], and both formats are derived from
//! it. Where output goes, how wide it is and whether it is coloured is decided here.

pub(crate) mod colour;
pub(crate) mod file;
pub(crate) mod human_duration;
pub(crate) mod relative_time;
pub(crate) mod sanitize;
pub(crate) mod seconds;
pub(crate) mod table;
pub(crate) mod truncate;
pub(crate) mod width;

use std::io::{self, BufWriter, Write};

use jiff::Timestamp;
use serde::Serialize;
use steadfast_store::Cursor;

use crate::error::CliError;

/// The result of a command. `--json` prints its serialized form.
pub(crate) trait Printable: Serialize {
    /// Writes the text form.
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()>;

    /// The cursor of the next page of a list, noted below the result.
    fn next_page(&self) -> Option<&Cursor> {
        None
    }
}

/// A result, and the store's time that its text refers to.
#[derive(Serialize)]
#[serde(transparent)]
pub(crate) struct AsOf<T> {
    pub(crate) value: T,
    #[serde(skip)]
    pub(crate) now: Timestamp,
}

/// Prints a result on stdout, as text or JSON.
pub(crate) fn print_result(result: &impl Printable, json: bool) -> Result<(), CliError> {
    print(|page| write(page, result, json))?;
    if let Some(next) = result.next_page() {
        note(&format!("more entries: continue with --after {}", next.0));
    }
    Ok(())
}

/// Prints one of a series of results, separated by blank lines in text. Returns whether stdout is
/// still open.
pub(crate) fn print_while_read(
    result: &impl Printable,
    json: bool,
    is_another: bool,
) -> Result<bool, CliError> {
    print(|page| {
        if is_another && !json {
            writeln!(page)?;
        }
        write(page, result, json)
    })
}

fn write(page: &mut dyn Write, result: &impl Printable, json: bool) -> io::Result<()> {
    if !json {
        return result.write_text(page);
    }
    serde_json::to_writer(&mut *page, result)?;
    writeln!(page)
}

pub(crate) fn note(text: &str) {
    let dim = colour::DIM;
    // A closed stderr is not an error.
    let _ = writeln!(anstream::stderr(), "{dim}note: {text}{dim:#}");
}

/// Prints on stdout. Returns whether it is still open; `| head` may have closed it.
pub(crate) fn print(
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<bool, CliError> {
    let mut page = BufWriter::new(anstream::stdout().lock());
    is_open(write(&mut page).and_then(|()| page.flush()))
}

/// Prints binary data on stdout, bypassing the colour filter.
pub(crate) fn print_raw(bytes: &[u8]) -> Result<(), CliError> {
    let mut page = io::stdout().lock();
    is_open(page.write_all(bytes).and_then(|()| page.flush())).map(drop)
}

fn is_open(written: io::Result<()>) -> Result<bool, CliError> {
    match written {
        Ok(()) => Ok(true),
        Err(why) if why.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(why) => Err(CliError::failed(format!("cannot write the output: {why}"))
            .with_help("free disk space, or redirect the output elsewhere")),
    }
}

/// `1 problem`, `2 problems`.
pub(crate) fn counted(count: usize, one: &str, more: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {more}") }
}
