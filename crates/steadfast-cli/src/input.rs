//! Bounded reads from a file or, as `-`, from stdin.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use steadfast::file::{Problem, Source};

/// Larger than a [`Source`] accepts, which then reports the size itself.
const MAX_SOURCE_BYTES: u64 = 16 * 1024 * 1024;

/// Whether the path is `-`, which means stdin.
pub(crate) fn is_stdin(file: &Path) -> bool {
    file == Path::new("-")
}

pub(crate) fn name_of(file: &Path) -> String {
    if is_stdin(file) { "stdin".to_owned() } else { file.display().to_string() }
}

pub(crate) fn bytes_of(file: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if is_stdin(file) {
        io::stdin().lock().take(max_bytes).read_to_end(&mut bytes)?;
    } else {
        File::open(file)?.take(max_bytes).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

pub(crate) fn source_of(file: &Path) -> Result<Source, Problem> {
    if !is_stdin(file) {
        return Source::read(file);
    }
    // An unreadable stdin is treated as empty, which the caller reports.
    let bytes = bytes_of(file, MAX_SOURCE_BYTES).unwrap_or_default();
    Source::from_bytes(name_of(file), bytes)
}
