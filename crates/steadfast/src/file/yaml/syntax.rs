//! What the parser of YAML refuses, in words for people who did not write the parser.

use std::borrow::Cow;

use granit_parser::{ErrorKind, ScanError};

use crate::file::bounds::too_deep;
use crate::file::problem::Problem;
use crate::file::tree::Span;
use crate::file::{Path, Source};

/// A text that is not YAML.
pub(super) fn refused(source: &Source, error: &ScanError, path: &Path) -> Problem {
    let offset = error.marker().byte_offset().unwrap_or(source.text().len());
    let at = letter(source, offset);
    if *error.kind() == ErrorKind::RecursionLimitExceeded {
        return too_deep(source, at, path);
    }
    let (message, suggestion) = words(error.kind());
    let message = message.map_or_else(|| error.info(), Cow::into_owned);
    Problem::at(source, at, message).path(path).suggest(suggestion)
}

/// The letter at an offset.
fn letter(source: &Source, offset: usize) -> Span {
    let start = source.text().floor_char_boundary(offset);
    let letter = source.text().get(start..).and_then(|rest| rest.chars().next());
    Span::new(start, start + letter.map_or(0, char::len_utf8))
}

/// Our words where we have better ones, and what to do.
fn words(kind: &ErrorKind) -> (Option<Cow<'static, str>>, &'static str) {
    let (message, suggestion) = match kind {
        ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabNotAllowed
        | ErrorKind::TabAtBlockScalarStart => {
            ("a tab stands where YAML takes spaces alone", "indent with spaces")
        }
        ErrorKind::UnclosedQuotedScalar
        | ErrorKind::InvalidQuotedScalarIndent
        | ErrorKind::DocumentIndicatorInQuotedScalar => {
            ("a quoted text above has no end", "close its quote")
        }
        ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidColonPlacement => (
            "a key cannot stand here",
            "put quotes around a text that contains a colon, or check the indentation",
        ),
        ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey => {
            ("a key needs a colon after it", "write key: value")
        }
        ErrorKind::UnclosedFlowCollection { .. } => ("this bracket is not closed", "close it"),
        ErrorKind::UnexpectedEofFlowSequence
        | ErrorKind::UnexpectedEofFlowMapping
        | ErrorKind::UnexpectedEofImplicitFlowMapping => {
            ("a bracket above is not closed", "close it")
        }
        ErrorKind::ExpectedBlockMappingKey | ErrorKind::InvalidIndentation => {
            ("this line belongs to nothing above it", "indent it as far as its neighbours")
        }
        ErrorKind::UnexpectedCharacter { character: '@' | '`' | '%' } => {
            ("no text begins with this letter", "put quotes around the text")
        }
        ErrorKind::UnknownQuotedScalarEscape => {
            ("no such escape", "write \\\\ for a backslash, or put the text in single quotes")
        }
        ErrorKind::UnexpectedCharacter { character } => {
            let message = format!("the letter {} cannot stand here", character.escape_debug());
            return (Some(message.into()), "remove it, or put quotes around the text");
        }
        _ => return (None, "check the notation of this line and the one above"),
    };
    (Some(message.into()), suggestion)
}
