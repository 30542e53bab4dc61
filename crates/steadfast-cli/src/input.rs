//! What is read from a file or, as `-`, from stdin. Never more than can be meant for us.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use steadfast::file::{Problem, Source};

/// More than a [`Source`] takes; it says so itself.
const LARGEST: u64 = 16 * 1024 * 1024;

/// Whether stdin is meant.
pub(crate) fn is_stdin(file: &Path) -> bool {
    file == Path::new("-")
}

/// What people call it.
pub(crate) fn name_of(file: &Path) -> String {
    if is_stdin(file) { "stdin".to_owned() } else { file.display().to_string() }
}

/// At most so many bytes of it.
pub(crate) fn bytes_of(file: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if is_stdin(file) {
        io::stdin().lock().take(most).read_to_end(&mut bytes)?;
    } else {
        File::open(file)?.take(most).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Its text.
pub(crate) fn source_of(file: &Path) -> Result<Source, Problem> {
    if !is_stdin(file) {
        return Source::read(file);
    }
    // Stdin that cannot be read is as good as empty, and that is a problem of its own.
    let bytes = bytes_of(file, LARGEST).unwrap_or_default();
    Source::from_bytes(name_of(file), bytes)
}
