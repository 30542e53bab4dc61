//! Conversion of clap's errors to [`CliError`].
//!
//! Clap words usage errors well, but formats them differently from [`CliError`]. Help and version
//! output also arrive as clap errors.

use std::io::Write;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::error::CliError;
use crate::exit::Exit;
use crate::output;

/// Prints help or version, or converts the error.
pub(crate) fn print_or_convert(error: &clap::Error) -> Result<Exit, CliError> {
    let text = error.render();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            output::print(|page| write!(page, "{}", text.ansi()))?;
            Ok(Exit::Success)
        }
        // A bare command prints help and fails, because nothing was done.
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = write!(anstream::stderr(), "{}", text.ansi());
            Ok(Exit::Usage)
        }
        _ => Err(negative_value(error).unwrap_or_else(|| to_cli_error(error))),
    }
}

/// Clap's first paragraph is the error; the others are help.
fn to_cli_error(error: &clap::Error) -> CliError {
    let text = error.to_string();
    let mut paragraphs = text.trim().split("\n\n");
    let what = paragraphs.next().unwrap_or_default();
    let what = plain(what.strip_prefix("error: ").unwrap_or(what));
    let mut next: Vec<String> = paragraphs.map(without_tips).collect();
    if lacks_dashes(error) {
        next.insert(0, "put -- before the command to run".to_owned());
    }
    CliError::usage(what).maybe_help((!next.is_empty()).then(|| next.join("\n")))
}

/// The error of a negative value such as `--base-delay -5s`, which clap reads as a flag `-5`.
fn negative_value(error: &clap::Error) -> Option<CliError> {
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let digit = unknown.strip_prefix('-')?.chars().next()?;
    if error.kind() != ErrorKind::UnknownArgument || !digit.is_ascii_digit() {
        return None;
    }
    let words: Vec<String> =
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let given = words.windows(2).find_map(|pair| match pair {
        [flag, value] if flag.starts_with("--") && value.starts_with(unknown.as_str()) => {
            Some((flag, value))
        }
        _ => None,
    });
    let (flag, value) = given?;
    Some(CliError::usage(format!("{flag}: must not be negative: `{value}`")))
}

/// The error without the words of Rust's number parsers.
fn plain(what: &str) -> String {
    let Some((flag, problem)) = what.rsplit_once(": ") else { return what.to_owned() };
    let problem = match problem {
        "invalid digit found in string" | "cannot parse integer from empty string" => {
            "must be a whole number".to_owned()
        }
        "invalid float literal" | "cannot parse float from empty string" => {
            "must be a number".to_owned()
        }
        "number too large to fit in target type" => "is too large".to_owned(),
        _ => match problem.split_once(" is not in ").and_then(|(_, range)| range.split_once("..="))
        {
            Some((low, high)) => format!("must be a whole number from {low} to {high}"),
            None => return what.to_owned(),
        },
    };
    format!("{flag}: {problem}")
}

/// Whether an argument looks like a command without the `--` before it.
fn lacks_dashes(error: &clap::Error) -> bool {
    let (Some(ContextValue::String(word)), Some(ContextValue::StyledStr(usage))) =
        (error.get(ContextKind::InvalidArg), error.get(ContextKind::Usage))
    else {
        return false;
    };
    let takes_command = usage.to_string().contains(" -- <");
    error.kind() == ErrorKind::UnknownArgument && takes_command && !word.starts_with('-')
}

/// Removes clap's "tip:" prefix, and tips about passing a mistyped flag as a value.
fn without_tips(paragraph: &str) -> String {
    let useful = |line: &&str| !line.trim_start().starts_with("tip: to pass ");
    let bare = |line| str::strip_prefix(str::trim_start(line), "tip: ").unwrap_or(line);
    paragraph.trim().lines().filter(useful).map(bare).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_error_has_no_words_of_rust() {
        for (problem, expected) in [
            ("invalid digit found in string", "--n: must be a whole number"),
            ("invalid float literal", "--n: must be a number"),
            ("9 is not in 0..=4", "--n: must be a whole number from 0 to 4"),
            ("must be a rate", "--n: must be a rate"),
        ] {
            assert_eq!(plain(&format!("--n: {problem}")), expected);
        }
    }
}
