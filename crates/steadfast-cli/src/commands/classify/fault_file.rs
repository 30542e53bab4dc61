//! Failure facts as JSON, from a file or stdin.

use std::path::Path;

use steadfast::Fault;
use steadfast::file::{JsonError, Source};
use steadfast_api::nearest_in_serde_error;

use crate::error::CliError;
use crate::input::{bytes_of, name_of};

const MAX_FAULT_BYTES: u64 = 1024 * 1024;

/// Reads a fault; `-` is stdin.
pub(super) fn read(file: &Path) -> Result<Fault, CliError> {
    let name = name_of(file);
    let bytes = bytes_of(file, MAX_FAULT_BYTES + 1).map_err(|why| {
        CliError::usage(format!("cannot read the fault from {name}: {why}"))
            .with_help("pass an existing file with --fault, or - for stdin")
    })?;
    if bytes.len() as u64 > MAX_FAULT_BYTES {
        return Err(CliError::usage(format!("the fault from {name} is larger than 1 MiB"))
            .with_help("pass the facts of one failure, such as {\"http_status\": 503}"));
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    serde_json::from_str(&text).map_err(|why| parse_error(&Source::new(name, &text), &why))
}

fn parse_error(source: &Source, why: &serde_json::Error) -> CliError {
    let what = JsonError::of(why).message;
    let next = match nearest_in_serde_error(&what) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "use JSON such as {\"http_status\": 503, \"message\": \"busy\"}".to_owned(),
    };
    let at = offset(source.text(), why.line(), why.column());
    CliError::usage(format!("invalid fault in {}: {what}", source.name()))
        .with_help(next)
        .at(source, &(at..at))
}

fn offset(text: &str, line: usize, column: usize) -> usize {
    let before = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len);
    before.sum::<usize>() + column.saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offset_counts_lines_and_wide_characters() {
        let text = "{\n \"é\": 1}\n";
        assert_eq!(text.get(offset(text, 2, 8)..), Some("1}\n"));
        assert_eq!(offset(text, 9, 9), text.len() + 8);
        assert_eq!(offset("", 0, 0), 0);
    }
}
