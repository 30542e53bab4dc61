//! What could not be said in another language, for people.

use std::io::{self, Write};

use steadfast_import::Unsupported;

use crate::output::colour::HEADING;
use crate::output::{counted, stacked_row, width};

/// Lists it on stderr. `file` is what the lines are of.
pub(super) fn report(lost: &[Lost], file: &str, headline: &str) {
    // Who has closed stderr does not want to know.
    let _ = write(&mut anstream::stderr().lock(), lost, file, headline);
}

fn write(page: &mut dyn Write, lost: &[Unsupported], file: &str, headline: &str) -> io::Result<()> {
    let things = counted(lost.len(), "thing", "things");
    writeln!(page, "{HEADING}{things} {headline}:{HEADING:#}")?;
    let width = u16::try_from(width::of_stderr()).unwrap_or(u16::MAX);
    for each in lost {
        let (name, rest) = entry_of(each, file);
        stacked_row::write(page, width, &format!("- {name}"), &rest)?;
    }
    Ok(())
}

/// Where it is, and what is to be said about it.
fn entry_of(lost: &Unsupported, file: &str) -> (String, String) {
    let Unsupported { line, column, path, what, reason, .. } = lost;
    if path.is_empty() {
        return (what.clone(), reason.clone());
    }
    let name = match (line, column) {
        (Some(line), Some(column)) => format!("{file}:{line}:{column} {path}"),
        _ => path.clone(),
    };
    // The end of a path is often all that there is to be said of what was lost.
    let rest = if path.ends_with(what) { reason.clone() } else { format!("{what}: {reason}") };
    (name, rest)
}
