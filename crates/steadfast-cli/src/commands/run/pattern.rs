//! Texts that make a failure worth another try.
//!
//! A command's output has no end that could be waited for, so it is looked at line by line, as
//! `grep` does, and only the line that is not complete yet is kept.

use std::sync::Arc;

use regex::bytes::{RegexSet, RegexSetBuilder};

/// How much of a line that does not end is kept. A text longer than this may be missed in it.
const MAX_PARTIAL_BYTES: usize = 4 << 10;
/// From here on a line does not end.
const MAX_LINE_BYTES: usize = 64 << 10;

/// What is looked for. Any of them will do.
#[derive(Clone, Debug)]
pub(super) struct Patterns(Arc<RegexSet>);

impl Patterns {
    /// None if there are none.
    pub(super) fn of(texts: &[String]) -> Result<Option<Self>, regex::Error> {
        if texts.is_empty() {
            return Ok(None);
        }
        let set = RegexSetBuilder::new(texts).multi_line(true).crlf(true).build()?;
        Ok(Some(Self(Arc::new(set))))
    }

    /// The pattern with this number, as it was written.
    pub(super) fn text(&self, number: usize) -> Option<&String> {
        self.0.patterns().get(number)
    }

    /// The number of the first that matches.
    fn matched(&self, text: &[u8]) -> Option<usize> {
        // To know whether is cheaper than to know which.
        self.0.is_match(text).then(|| self.0.matches(text).iter().next()).flatten()
    }
}

/// One stream of output, and what was looked for in it.
pub(super) struct Search {
    patterns: Patterns,
    /// The line that is not complete yet.
    line: Vec<u8>,
    found: Option<usize>,
}

impl Search {
    pub(super) fn new(patterns: Patterns) -> Self {
        Self { patterns, line: Vec::new(), found: None }
    }

    /// Looks at what comes next. Answers with the number of a pattern, once one was found.
    pub(super) fn search(&mut self, part: &[u8]) -> Option<usize> {
        if self.found.is_some() {
            return self.found;
        }
        let Some(last) = part.iter().rposition(|byte| *byte == b'\n') else {
            self.lengthen(part);
            return self.found;
        };
        let (lines, rest) = part.split_at(last + 1);
        self.found = if self.line.is_empty() {
            self.patterns.matched(lines)
        } else {
            self.line.extend_from_slice(lines);
            self.patterns.matched(&self.line)
        };
        self.line.clear();
        self.lengthen(rest);
        self.found
    }

    /// There is nothing more: the last line is complete, too.
    pub(super) fn end(&mut self) -> Option<usize> {
        self.found = self.found.or_else(|| self.patterns.matched(&self.line));
        self.found
    }

    fn lengthen(&mut self, part: &[u8]) {
        self.line.extend_from_slice(part);
        if self.line.len() > MAX_LINE_BYTES {
            self.found = self.found.or_else(|| self.patterns.matched(&self.line));
            self.line.drain(..self.line.len().saturating_sub(MAX_PARTIAL_BYTES));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(parts: &[&[u8]], pattern: &str) -> bool {
        let patterns = Patterns::of(&[pattern.to_owned()]).unwrap().unwrap();
        let mut search = Search::new(patterns);
        parts.iter().for_each(|part| _ = search.search(part));
        search.end().is_some()
    }

    #[test]
    fn a_text_is_found_wherever_the_parts_meet() {
        let text = b"first\nconnection timed out\nlast";
        for cut in 0..text.len() {
            let (one, two) = text.split_at(cut);
            assert!(found(&[one, two], "timed.out"), "cut at {cut}");
            assert!(found(&[one, two], "^connection .* out$"), "cut at {cut}");
            assert!(found(&[one, two], "^last$"), "cut at {cut}");
            assert!(!found(&[one, two], "^timed"), "cut at {cut}");
        }
    }

    #[test]
    fn a_line_may_end_in_either_way() {
        assert!(found(&[b"busy\r\nmore"], "busy$"));
        assert!(found(&[b"10%\r90%\rbusy"], "^busy"));
    }

    #[test]
    fn bytes_that_are_no_text_are_no_obstacle() {
        assert!(found(&[b"\xff\xfe busy \xff\n"], "busy"));
    }

    #[test]
    fn a_line_that_never_ends_takes_no_more_room() {
        let patterns = Patterns::of(&["here".to_owned()]).unwrap().unwrap();
        let mut search = Search::new(patterns);
        (0..10_000).for_each(|_| _ = search.search(&[b'.'; 1000]));
        assert!(search.line.capacity() < 4 * MAX_LINE_BYTES);
        assert!(search.end().is_none());
        search.search(b"he");
        search.search(b"re");
        assert_eq!(search.end(), Some(0));
    }
}
