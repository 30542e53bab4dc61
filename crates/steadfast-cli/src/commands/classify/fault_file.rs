//! The facts of a failure from a file or from stdin, as JSON.

use std::path::Path;

use steadfast::Fault;
use steadfast::file::Source;

use crate::input::{bytes_of, name_of};
use crate::near_miss;
use crate::problem::Problem;

/// Facts are short. What is longer is not meant for us.
const LARGEST: u64 = 1024 * 1024;

/// Reads a fault; `-` is stdin.
pub(super) fn read(file: &Path) -> Result<Fault, Problem> {
    let name = name_of(file);
    let bytes = bytes_of(file, LARGEST + 1).map_err(|why| {
        Problem::usage(format!("the fault from {name} cannot be read: {why}"))
            .with_next("name a file that is there with --fault, or - for stdin".to_owned())
    })?;
    if bytes.len() as u64 > LARGEST {
        return Err(Problem::usage(format!("the fault from {name} is larger than 1 MiB"))
            .with_next(
                "give the facts of one failure, such as {\"http_status\": 503}".to_owned(),
            ));
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    serde_json::from_str(&text).map_err(|why| unreadable(&Source::new(name, &text), &why))
}

fn unreadable(source: &Source, why: &serde_json::Error) -> Problem {
    let message = why.to_string();
    let (what, _) = message.rsplit_once(" at line ").unwrap_or((&message, ""));
    let next = match near_miss::in_refusal(what) {
        Some(meant) => format!("did you mean {meant}?"),
        None => "write it like {\"http_status\": 503, \"message\": \"busy\"}".to_owned(),
    };
    let at = offset(source.text(), why.line(), why.column());
    Problem::usage(format!("the fault from {} is not understood: {what}", source.name()))
        .with_next(next)
        .at(source, &(at..at))
}

/// Where a line and a column, in bytes, are in the whole text.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let before = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len);
    before.sum::<usize>() + column.saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_found_after_other_lines_and_wide_characters() {
        let text = "{\n \"é\": 1}\n";
        assert_eq!(text.get(offset(text, 2, 8)..), Some("1}\n"));
        assert_eq!(offset(text, 9, 9), text.len() + 8);
        assert_eq!(offset("", 0, 0), 0);
    }
}
