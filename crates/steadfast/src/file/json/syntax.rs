//! What the parser of JSON refuses, in words for people who did not write the parser.

use jsonc_parser::errors::{ParseError, ParseErrorKind};

use super::walk;
use crate::file::Source;
use crate::file::problem::Problem;

/// A text that is not JSON.
pub(super) fn refused(source: &Source, error: &ParseError) -> Problem {
    let at = super::span(error.range());
    let word = source.slice(at).starts_with(char::is_alphabetic);
    let kind = match error.kind() {
        ParseErrorKind::UnexpectedToken if word => &ParseErrorKind::UnexpectedWord,
        kind => kind,
    };
    let (message, suggestion) = words(kind);
    let message = message.map_or_else(|| lowercase(&error.kind().to_string()), str::to_owned);
    let path = walk::path_to(source, at.range().start);
    Problem::at(source, at, message).path(&path).suggest(suggestion)
}

/// Our words where we have better ones, and what to do.
fn words(kind: &ParseErrorKind) -> (Option<&'static str>, &'static str) {
    match kind {
        ParseErrorKind::CommentsNotAllowed | ParseErrorKind::UnterminatedCommentBlock => {
            (Some("JSON has no comments"), "remove it, or write the file in YAML or TOML")
        }
        ParseErrorKind::TrailingCommasNotAllowed => {
            (Some("JSON has no comma after the last one"), "remove the comma")
        }
        ParseErrorKind::ExpectedComma => (Some("a comma is missing"), "put one here"),
        ParseErrorKind::ExpectedColonAfterObjectKey => {
            (Some("a colon is missing after the key"), "write \"key\": value")
        }
        ParseErrorKind::ExpectedObjectValue => {
            (Some("a value is missing after the key"), "write \"key\": value")
        }
        ParseErrorKind::ExpectedStringObjectProperty => {
            (Some("this key has no quotes"), "put double quotes around it")
        }
        ParseErrorKind::SingleQuotedStringsNotAllowed => {
            (Some("JSON has no single quotes"), "use double quotes")
        }
        ParseErrorKind::UnexpectedWord => {
            (Some("this word is no value of JSON"), "put double quotes around a text")
        }
        ParseErrorKind::UnterminatedArray => {
            (Some("this list has no end"), "close it with a bracket: ]")
        }
        ParseErrorKind::UnterminatedObject => {
            (Some("this map has no end"), "close it with a brace: }")
        }
        ParseErrorKind::MultipleRootJsonValues => {
            (Some("the file goes on after its value has ended"), "check the brackets above")
        }
        ParseErrorKind::String(_) => (None, "check the quotes and the backslashes"),
        ParseErrorKind::BareDecimalPointNumbersNotAllowed
        | ParseErrorKind::ExpectedDigit
        | ParseErrorKind::ExpectedDigitFollowingNegativeSign
        | ParseErrorKind::ExpectedPlusMinusOrDigitInNumberLiteral
        | ParseErrorKind::HexadecimalNumbersNotAllowed
        | ParseErrorKind::NonFiniteNumbersNotAllowed
        | ParseErrorKind::UnaryPlusNumbersNotAllowed => {
            (None, "write a plain number, such as 12 or 0.5")
        }
        _ => (None, "check the brackets, commas and colons before it"),
    }
}

fn lowercase(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map(char::to_lowercase).into_iter().flatten().chain(letters).collect()
}
