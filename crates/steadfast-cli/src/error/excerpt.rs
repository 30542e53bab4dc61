//! Source excerpts for error messages.
//!
//! miette scans a source from its first byte for each error. Files may have megabytes and
//! thousands of errors, so each error carries only the three lines to show, with terminal control
//! characters removed.

use std::ops::Range;

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};
use steadfast::file::{Source, SourcePosition};

use crate::output::sanitize;

/// Longer lines are not shown.
const MAX_LINE_CHARS: usize = 200;

/// Three lines of the longest UTF-8 characters.
const MAX_EXCERPT_BYTES: usize = 3 * (4 * MAX_LINE_CHARS + 1);

/// A line with its neighbours.
#[derive(Debug)]
pub(super) struct Excerpt {
    name: String,
    text: String,
    /// Number of lines before the excerpt.
    lines_before: usize,
    place: SourcePosition,
    /// The labelled range within the excerpt.
    span: Range<usize>,
}

impl Excerpt {
    /// Returns the lines around a span, or `None` if they are too long to show.
    pub(super) fn of(source: &Source, span: &Range<usize>) -> Option<Self> {
        let place = source.position(span.start);
        let text = source.text();
        let start = text.floor_char_boundary(span.start);
        let line = line_around(text, start);
        let before = line.start.checked_sub(1).map(|end| line_around(text, end));
        let after = text.get(line.end + 1..).map(|_| line_around(text, line.end + 1));

        let first = before.as_ref().unwrap_or(&line).start;
        let last = after.filter(|after| !after.is_empty()).unwrap_or_else(|| line.clone()).end;
        // Skipped early: the line may have megabytes, for each of a thousand errors.
        if last - first > MAX_EXCERPT_BYTES {
            return None;
        }
        let mut shown: String = text.get(first..last)?.chars().map(sanitize::letter).collect();
        if shown.lines().any(|line| line.chars().count() > MAX_LINE_CHARS) {
            return None;
        }
        if shown.is_empty() || shown.ends_with('\n') {
            // At the end of the text, add a character to point at.
            shown.push(' ');
        }
        // A span over several lines is labelled on its first line.
        let end = text.floor_char_boundary(span.end).clamp(start, line.end);
        let lines = usize::try_from(place.line).unwrap_or(usize::MAX);
        Some(Self {
            name: source.name().to_owned(),
            text: shown,
            lines_before: lines.saturating_sub(1 + usize::from(before.is_some())),
            place,
            span: start - first..end - first,
        })
    }

    pub(super) fn label(&self) -> SourceSpan {
        self.span.clone().into()
    }
}

/// The range of the line containing a byte, without its newline.
fn line_around(text: &str, offset: usize) -> Range<usize> {
    let (before, after) = text.split_at_checked(offset).unwrap_or((text, ""));
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    start..offset + after.find('\n').unwrap_or(after.len())
}

impl SourceCode for Excerpt {
    /// miette reads the lines with context, and the position without.
    fn read_span<'a>(
        &'a self,
        _: &SourceSpan,
        context_before: usize,
        _: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let index = |number: u32| usize::try_from(number).unwrap_or(usize::MAX).saturating_sub(1);
        let (line, column) = match context_before {
            0 => (index(self.place.line), index(self.place.column)),
            _ => (self.lines_before, 0),
        };
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            self.text.as_bytes(),
            (0..self.text.len()).into(),
            line,
            column,
            self.text.lines().count(),
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(text: &str, span: Range<usize>) -> Excerpt {
        Excerpt::of(&Source::new("a.yaml", text), &span).unwrap()
    }

    /// F2: an error shows its line with its neighbours.
    #[test]
    fn excerpt_has_line_and_neighbours() {
        let text = "one\ntwo\nthréé\nfour\nfive\n";
        let three = excerpt(text, 13..15);
        assert_eq!(three.text, "two\nthréé\nfour");
        assert_eq!((three.lines_before, three.place.line, three.place.column), (1, 3, 5));
        assert_eq!(three.text.get(three.span), Some("é"));
    }

    #[test]
    fn excerpt_at_text_ends_has_one_neighbour() {
        assert_eq!(excerpt("one\ntwo\n", 0..3).text, "one\ntwo");
        assert_eq!(excerpt("one\ntwo\n", 4..7).text, "one\ntwo");
        assert_eq!(excerpt("one\n", 4..4).text, "one\n ");
        assert_eq!(excerpt("", 0..0).text, " ");
        assert_eq!(excerpt("one", 9..12).text, "one");
    }

    #[test]
    fn multi_line_span_is_labelled_at_its_start() {
        let long = excerpt("a: [\n1,\n2]\n", 3..10);
        assert_eq!(long.text.get(long.span), Some("["));
    }

    /// K4: a file cannot command the terminal that shows it.
    #[test]
    fn control_characters_are_replaced() {
        let hostile = excerpt("a: \u{1b}[2J\u{9b}x\n", 6..7);
        assert_eq!(hostile.text, "a: ?[2J¿x");
        assert_eq!(hostile.text.get(hostile.span), Some("J"));
    }

    /// CRLF line endings are counted like LF.
    #[test]
    fn carriage_return_is_replaced_with_space() {
        let second = excerpt("one\r\ntwo\r\nthree\r\n", 5..8);
        assert_eq!((second.text.as_str(), second.lines_before), ("one \ntwo \nthree ", 0));
        assert_eq!(second.text.get(second.span), Some("two"));
    }

    #[test]
    fn excerpt_of_too_wide_line_is_none() {
        let wide = Source::new("a.json", &"x".repeat(201));
        assert!(Excerpt::of(&wide, &(0..1)).is_none());
    }
}
