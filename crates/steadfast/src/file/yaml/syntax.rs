//! What the parser of YAML refuses, in words for people who did not write the parser.

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
    let message = message.map_or_else(|| error.info(), str::to_owned);
    let problem = Problem::at(source, at, message).path(path);
    match suggestion {
        Some(suggestion) => problem.suggest(suggestion),
        None => problem,
    }
}

/// The letter at an offset.
fn letter(source: &Source, offset: usize) -> Span {
    let start = source.text().floor_char_boundary(offset);
    let letter = source.text().get(start..).and_then(|rest| rest.chars().next());
    Span::new(start, start + letter.map_or(0, char::len_utf8))
}

/// Our words where we have better ones, and what to do.
fn words(kind: &ErrorKind) -> (Option<&'static str>, Option<&'static str>) {
    match kind {
        ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabNotAllowed
        | ErrorKind::TabAtBlockScalarStart => {
            (Some("a tab stands where YAML takes spaces alone"), Some("indent with spaces"))
        }
        ErrorKind::UnclosedQuotedScalar
        | ErrorKind::InvalidQuotedScalarIndent
        | ErrorKind::DocumentIndicatorInQuotedScalar => {
            (Some("a quoted text above has no end"), Some("close its quote"))
        }
        ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidColonPlacement => (
            Some("a key cannot stand here"),
            Some("put quotes around a text that contains a colon, or check the indentation"),
        ),
        ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey => {
            (Some("a key needs a colon after it"), Some("write key: value"))
        }
        ErrorKind::UnclosedFlowCollection { .. } => {
            (Some("this bracket is not closed"), Some("close it"))
        }
        ErrorKind::UnexpectedEofFlowSequence
        | ErrorKind::UnexpectedEofFlowMapping
        | ErrorKind::UnexpectedEofImplicitFlowMapping => {
            (Some("a bracket above is not closed"), Some("close it"))
        }
        ErrorKind::ExpectedBlockMappingKey | ErrorKind::InvalidIndentation => (
            Some("this line belongs to nothing above it"),
            Some("indent it as far as its neighbours"),
        ),
        ErrorKind::UnexpectedCharacter { character: '@' | '`' | '%' } => {
            (Some("no text begins with this letter"), Some("put quotes around the text"))
        }
        ErrorKind::UnknownQuotedScalarEscape => (
            Some("no such escape"),
            Some("write \\\\ for a backslash, or put the text in single quotes"),
        ),
        _ => (None, None),
    }
}
