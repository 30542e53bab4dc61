//! Report of settings that an import or export cannot express.

use std::io::{self, Write};

use steadfast_import::Unsupported;

use crate::output::colour::HEADING;
use crate::output::table::write_stacked;
use crate::output::{counted, width};

/// Prints the list on stderr. `file` is the file its lines refer to.
pub(super) fn report(lost: &[Unsupported], file: &str, headline: &str) {
    // A closed stderr is not an error.
    let _ = write(&mut anstream::stderr().lock(), lost, file, headline);
}

fn write(page: &mut dyn Write, lost: &[Unsupported], file: &str, headline: &str) -> io::Result<()> {
    let settings = counted(lost.len(), "setting", "settings");
    writeln!(page, "{HEADING}{settings} {headline}:{HEADING:#}")?;
    let width = u16::try_from(width::of_stderr()).unwrap_or(u16::MAX);
    for each in lost {
        let (name, rest) = entry_of(each, file);
        write_stacked(page, width, &format!("- {name}"), &rest)?;
    }
    Ok(())
}

fn entry_of(lost: &Unsupported, file: &str) -> (String, String) {
    let Unsupported { line, column, path, what, reason, .. } = lost;
    if path.is_empty() {
        return (what.clone(), reason.clone());
    }
    let name = match (line, column) {
        (Some(line), Some(column)) => format!("{file}:{line}:{column} {path}"),
        _ => path.clone(),
    };
    (name, lost.sentence())
}
