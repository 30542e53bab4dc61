//! The facts of a failure from a file or from stdin, as JSON.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use steadfast::Fault;

use crate::near_miss;
use crate::problem::Problem;

/// Facts are short. What is longer is not meant for us.
const LARGEST: u64 = 1024 * 1024;

/// A wider line is not shown: it would hide what is said about it.
const WIDEST: usize = 200;

/// Reads a fault; `-` is stdin.
pub(super) fn read(file: &Path) -> Result<Fault, Problem> {
    let name = name_of(file);
    let bytes = bytes_of(file).map_err(|why| {
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
    serde_json::from_str(&text).map_err(|why| unreadable(&name, text, &why))
}

fn name_of(file: &Path) -> String {
    if file == Path::new("-") { "stdin".to_owned() } else { file.display().to_string() }
}

fn bytes_of(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if file == Path::new("-") {
        io::stdin().lock().take(LARGEST + 1).read_to_end(&mut bytes)?;
    } else {
        File::open(file)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

fn unreadable(name: &str, text: String, why: &serde_json::Error) -> Problem {
    let message = why.to_string();
    let (what, _) = message.rsplit_once(" at line ").unwrap_or((&message, ""));
    let next = match near_miss::in_refusal(what) {
        Some(meant) => format!("did you mean {meant}?"),
        None => "write it like {\"http_status\": 503, \"message\": \"busy\"}".to_owned(),
    };
    let (line, column) = (why.line(), why.column());
    if text.lines().any(|line| line.len() > WIDEST) {
        let place = format!("line {line}, column {column} of the fault from {name}");
        return Problem::usage(format!("{place} is not understood: {what}")).with_next(next);
    }
    Problem::usage(format!("the fault from {name} is not understood: {what}"))
        .with_next(next)
        .at(name, text, line, column)
}
