//! Messages for YAML syntax errors.

use std::borrow::Cow;

use granit_parser::{ErrorKind, ScanError};

use crate::file::limits::too_deep;
use crate::file::problem::Problem;
use crate::file::source::floor_char_boundary;
use crate::file::tree::Span;
use crate::file::{Path, Source};

/// The problem for a syntax error.
pub(super) fn error(source: &Source, error: &ScanError, path: &Path) -> Problem {
    let offset = error.marker().byte_offset().unwrap_or(source.text().len());
    let at = character(source, offset);
    if *error.kind() == ErrorKind::RecursionLimitExceeded {
        return too_deep(source, at, path);
    }
    let (message, suggestion) = describe(error.kind());
    let message = message.map_or_else(|| error.info(), Cow::into_owned);
    Problem::at(source, at, message).path(path).suggest(suggestion)
}

/// The span of the character at an offset.
fn character(source: &Source, offset: usize) -> Span {
    let start = floor_char_boundary(source.text(), offset);
    let character = source.text().get(start..).and_then(|rest| rest.chars().next());
    Span::new(start, start + character.map_or(0, char::len_utf8))
}

/// A message, if it is better than the parser's, and what to do.
fn describe(kind: &ErrorKind) -> (Option<Cow<'static, str>>, &'static str) {
    let (message, suggestion) = match kind {
        ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabNotAllowed
        | ErrorKind::TabAtBlockScalarStart => {
            ("tabs are not allowed in YAML indentation", "indent with spaces")
        }
        ErrorKind::UnclosedQuotedScalar
        | ErrorKind::InvalidQuotedScalarIndent
        | ErrorKind::DocumentIndicatorInQuotedScalar => {
            ("unterminated quoted string", "close its quote")
        }
        ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidColonPlacement => (
            "a key is not allowed here",
            "quote a string that contains a colon, or check the indentation",
        ),
        ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey => {
            ("missing colon after a key", "write key: value")
        }
        ErrorKind::UnclosedFlowCollection { open: '{' } => ("unclosed bracket", "add }"),
        ErrorKind::UnclosedFlowCollection { .. } => ("unclosed bracket", "add ]"),
        ErrorKind::UnexpectedEofFlowSequence => ("unclosed bracket above", "add ]"),
        ErrorKind::UnexpectedEofFlowMapping | ErrorKind::UnexpectedEofImplicitFlowMapping => {
            ("unclosed bracket above", "add }")
        }
        ErrorKind::ExpectedBlockMappingKey | ErrorKind::InvalidIndentation => {
            ("wrong indentation", "align this line with its neighbours")
        }
        ErrorKind::UnexpectedCharacter { character: '@' | '`' | '%' } => {
            ("a plain string cannot start with this character", "quote the string")
        }
        ErrorKind::UnknownQuotedScalarEscape => {
            ("unknown escape", "write \\\\ for a backslash, or use single quotes")
        }
        ErrorKind::UnexpectedCharacter { character } => {
            let message = format!("unexpected character {}", character.escape_debug());
            return (Some(message.into()), "remove it, or quote the string");
        }
        _ => return (None, "check the syntax of this line and the one above"),
    };
    (Some(message.into()), suggestion)
}
