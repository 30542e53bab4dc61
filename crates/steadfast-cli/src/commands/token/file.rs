//! The tokens file: read with all that is wrong in it, and added to without a half of it ever
//! being there.

use std::io::{self, Write};
use std::path::Path;

use steadfast::file::Source;
use steadfast_server::{TokenProblems, Tokens};
use tempfile::NamedTempFile;

use crate::problem::Problem;

/// Reads a tokens file.
pub(super) fn read(file: &Path) -> Result<Tokens, Problem> {
    Tokens::read(file).map_err(|problems| wrong(&problems))
}

/// Adds an entry at the end of a file, which is made if it is not there.
pub(super) fn add(file: &Path, entry: &str) -> Result<(), Problem> {
    let before = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(why) if why.kind() == io::ErrorKind::NotFound => String::new(),
        Err(why) => return Err(unwritten(file, &why)),
    };
    let gap = if before.is_empty() { "" } else { "\n" };
    let after = format!("{before}{gap}{entry}");
    let source = Source::new(file.display().to_string(), &after);
    Tokens::parse(&source).map_err(|problems| wrong(&problems))?;
    replace(file, &after).map_err(|why| unwritten(file, &why))
}

/// Puts a file in its place whole. A new one is for its owner alone.
fn replace(file: &Path, text: &str) -> io::Result<()> {
    // A link stays one.
    let file = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut beside = NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
    beside.write_all(text.as_bytes())?;
    if let Ok(metadata) = std::fs::metadata(&file) {
        beside.as_file().set_permissions(metadata.permissions())?;
    }
    beside.as_file().sync_all()?;
    beside.persist(&file)?;
    Ok(())
}

fn wrong(problems: &TokenProblems) -> Problem {
    let each = problems.as_slice().iter().map(|problem| {
        let place = match (problem.line, problem.column) {
            (Some(line), Some(column)) => format!("{}:{line}:{column}", problem.file),
            _ => problem.file.clone(),
        };
        let what = format!("{place}: {}", problem.message);
        Problem::configuration(what).with_next(problem.suggestion.clone())
    });
    Problem::all(each).unwrap_or_else(|| Problem::configuration(problems.to_string()))
}

fn unwritten(file: &Path, why: &io::Error) -> Problem {
    Problem::failed(format!("{} cannot be written: {why}", file.display()))
        .with_next("name a file that you may write with --into".to_owned())
}
