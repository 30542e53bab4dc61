//! The lines around a place in a text, as miette shows them.
//!
//! A file may have megabytes and a thousand problems, and miette looks for each from the first
//! byte. So each problem takes the three lines that are shown, and no more. Whatever in them
//! could command a terminal is taken out.

use std::ops::Range;

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};
use steadfast::file::{Place, Source};

use crate::output::sanitize;

/// A wider line is not shown: it would hide what is said about it.
const WIDEST: usize = 200;

/// Three such lines, of the longest letters.
const WIDEST_BYTES: usize = 3 * (4 * WIDEST + 1);

/// A line with one before and one after it.
#[derive(Debug)]
pub(super) struct Excerpt {
    name: String,
    text: String,
    /// How many lines of the whole stand before it.
    lines_before: usize,
    place: Place,
    /// What is pointed at, within the excerpt.
    span: Range<usize>,
}

impl Excerpt {
    /// The lines around these bytes, unless they are too wide to be read.
    pub(super) fn of(source: &Source, span: &Range<usize>) -> Option<Self> {
        let place = source.position(span.start);
        let text = source.text();
        let start = text.floor_char_boundary(span.start);
        let line = line_around(text, start);
        let before = line.start.checked_sub(1).map(|end| line_around(text, end));
        let after = text.get(line.end + 1..).map(|_| line_around(text, line.end + 1));

        let first = before.as_ref().unwrap_or(&line).start;
        let last = after.filter(|after| !after.is_empty()).unwrap_or_else(|| line.clone()).end;
        // Not even looked at: it may have megabytes, for each of a thousand problems.
        if last - first > WIDEST_BYTES {
            return None;
        }
        let mut shown: String = text.get(first..last)?.chars().map(sanitize::letter).collect();
        if shown.lines().any(|line| line.chars().count() > WIDEST) {
            return None;
        }
        if shown.is_empty() || shown.ends_with('\n') {
            // The end of the text: something has to be there to be pointed at.
            shown.push(' ');
        }
        // What goes on for pages is pointed at where it begins.
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

    /// What is pointed at.
    pub(super) fn label(&self) -> SourceSpan {
        self.span.clone().into()
    }
}

/// The line that a byte is on, without its end.
fn line_around(text: &str, offset: usize) -> Range<usize> {
    let (before, after) = text.split_at_checked(offset).unwrap_or((text, ""));
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    start..offset + after.find('\n').unwrap_or(after.len())
}

impl SourceCode for Excerpt {
    /// Miette asks for the lines with context, and for the place without.
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

    /// F2: the line that is wrong, with its neighbours, whatever stands before it.
    #[test]
    fn a_line_is_shown_with_its_neighbours() {
        let text = "one\ntwo\nthréé\nfour\nfive\n";
        let three = excerpt(text, 13..15);
        assert_eq!(three.text, "two\nthréé\nfour");
        assert_eq!((three.lines_before, three.place.line, three.place.column), (1, 3, 5));
        assert_eq!(three.text.get(three.span), Some("é"));
    }

    #[test]
    fn the_ends_of_a_text_have_one_neighbour() {
        assert_eq!(excerpt("one\ntwo\n", 0..3).text, "one\ntwo");
        assert_eq!(excerpt("one\ntwo\n", 4..7).text, "one\ntwo");
        assert_eq!(excerpt("one\n", 4..4).text, "one\n ");
        assert_eq!(excerpt("", 0..0).text, " ");
        assert_eq!(excerpt("one", 9..12).text, "one");
    }

    #[test]
    fn what_goes_on_for_pages_is_pointed_at_where_it_begins() {
        let long = excerpt("a: [\n1,\n2]\n", 3..10);
        assert_eq!(long.text.get(long.span), Some("["));
    }

    /// K4: a file cannot command the terminal that shows it.
    #[test]
    fn control_characters_are_not_shown() {
        let hostile = excerpt("a: \u{1b}[2J\u{9b}x\n", 6..7);
        assert_eq!(hostile.text, "a: ?[2J¿x");
        assert_eq!(hostile.text.get(hostile.span), Some("J"));
    }

    /// Lines that end as on Windows are shown, and counted, as any other.
    #[test]
    fn a_carriage_return_is_not_shown() {
        let second = excerpt("one\r\ntwo\r\nthree\r\n", 5..8);
        assert_eq!((second.text.as_str(), second.lines_before), ("one \ntwo \nthree ", 0));
        assert_eq!(second.text.get(second.span), Some("two"));
    }

    #[test]
    fn a_line_that_is_too_wide_is_not_shown() {
        let wide = Source::new("a.json", &"x".repeat(201));
        assert!(Excerpt::of(&wide, &(0..1)).is_none());
    }
}
