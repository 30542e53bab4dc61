//! Messages for JSON syntax errors.

use jsonc_parser::errors::{ParseError, ParseErrorKind};

use super::walk;
use crate::file::Source;
use crate::file::problem::Problem;

/// The problem for a syntax error.
pub(super) fn error(source: &Source, error: &ParseError) -> Problem {
    let at = super::span(error.range());
    let is_word = source.slice(at).starts_with(char::is_alphabetic);
    let kind = match error.kind() {
        ParseErrorKind::UnexpectedToken if is_word => &ParseErrorKind::UnexpectedWord,
        kind => kind,
    };
    let (message, suggestion) = describe(kind);
    let message = message.map_or_else(|| lowercase(&error.kind().to_string()), str::to_owned);
    let path = walk::path_to(source, at.range().start);
    Problem::at(source, at, message).path(&path).suggest(suggestion)
}

/// A message, if it is better than the parser's, and what to do.
fn describe(kind: &ParseErrorKind) -> (Option<&'static str>, &'static str) {
    match kind {
        ParseErrorKind::CommentsNotAllowed | ParseErrorKind::UnterminatedCommentBlock => {
            (Some("comments are not allowed in JSON"), "remove it, or use YAML or TOML")
        }
        ParseErrorKind::TrailingCommasNotAllowed => {
            (Some("trailing commas are not allowed in JSON"), "remove the comma")
        }
        ParseErrorKind::ExpectedComma => (Some("missing comma"), "add one here"),
        ParseErrorKind::ExpectedColonAfterObjectKey => {
            (Some("missing colon after the key"), "write \"key\": value")
        }
        ParseErrorKind::ExpectedObjectValue => {
            (Some("missing value after the key"), "write \"key\": value")
        }
        ParseErrorKind::ExpectedStringObjectProperty => {
            (Some("unquoted key"), "put double quotes around it")
        }
        ParseErrorKind::SingleQuotedStringsNotAllowed => {
            (Some("single quotes are not allowed in JSON"), "use double quotes")
        }
        ParseErrorKind::UnexpectedWord => {
            (Some("not a JSON value"), "put double quotes around a string")
        }
        ParseErrorKind::UnterminatedArray => (Some("unclosed list"), "close it with ]"),
        ParseErrorKind::UnterminatedObject => (Some("unclosed map"), "close it with }"),
        ParseErrorKind::MultipleRootJsonValues => {
            (Some("unexpected content after the end of the document"), "check the brackets above")
        }
        ParseErrorKind::String(_) => (None, "check the quotes and the backslashes"),
        ParseErrorKind::BareDecimalPointNumbersNotAllowed
        | ParseErrorKind::ExpectedDigit
        | ParseErrorKind::ExpectedDigitFollowingNegativeSign
        | ParseErrorKind::ExpectedPlusMinusOrDigitInNumberLiteral
        | ParseErrorKind::HexadecimalNumbersNotAllowed
        | ParseErrorKind::NonFiniteNumbersNotAllowed
        | ParseErrorKind::UnaryPlusNumbersNotAllowed => {
            (None, "write a decimal number, such as 12 or 0.5")
        }
        _ => (None, "check the brackets, commas and colons before it"),
    }
}

fn lowercase(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map(char::to_lowercase).into_iter().flatten().chain(letters).collect()
}
