//! Output patterns that make a failure retryable.
//!
//! Output is searched line by line, as by `grep`; only the incomplete last line is buffered.

use std::sync::Arc;

use regex::bytes::{RegexSet, RegexSetBuilder};

/// The part of an overlong line that is kept. A longer match may be missed.
const MAX_PARTIAL_BYTES: usize = 4 << 10;
/// Longer lines are searched in parts.
const MAX_LINE_BYTES: usize = 64 << 10;

/// A set of patterns; any match counts.
#[derive(Clone, Debug)]
pub(super) struct Patterns(Arc<RegexSet>);

impl Patterns {
    /// Returns `None` without patterns.
    pub(super) fn of(texts: &[String]) -> Result<Option<Self>, regex::Error> {
        if texts.is_empty() {
            return Ok(None);
        }
        let set = RegexSetBuilder::new(texts).multi_line(true).crlf(true).build()?;
        Ok(Some(Self(Arc::new(set))))
    }

    pub(super) fn text(&self, number: usize) -> Option<&String> {
        self.0.patterns().get(number)
    }

    /// The index of the first match.
    fn matched(&self, text: &[u8]) -> Option<usize> {
        // `is_match` is cheaper than `matches`.
        self.0.is_match(text).then(|| self.0.matches(text).iter().next()).flatten()
    }
}

/// The search in one output stream.
pub(super) struct Search {
    patterns: Patterns,
    /// The incomplete last line.
    line: Vec<u8>,
    found: Option<usize>,
}

impl Search {
    pub(super) fn new(patterns: Patterns) -> Self {
        Self { patterns, line: Vec::new(), found: None }
    }

    /// Searches the next part. Returns the index of the pattern once one was found.
    pub(super) fn search(&mut self, part: &[u8]) -> Option<usize> {
        if self.found.is_some() {
            return self.found;
        }
        let Some(last) = part.iter().rposition(|byte| *byte == b'\n') else {
            self.append(part);
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
        self.append(rest);
        self.found
    }

    /// Searches the last line at the end of the stream.
    pub(super) fn end(&mut self) -> Option<usize> {
        self.found = self.found.or_else(|| self.patterns.matched(&self.line));
        self.found
    }

    fn append(&mut self, part: &[u8]) {
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
    fn match_is_found_across_parts() {
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
    fn line_may_end_with_lf_or_crlf() {
        assert!(found(&[b"busy\r\nmore"], "busy$"));
        assert!(found(&[b"10%\r90%\rbusy"], "^busy"));
    }

    #[test]
    fn invalid_utf8_is_searched() {
        assert!(found(&[b"\xff\xfe busy \xff\n"], "busy"));
    }

    #[test]
    fn endless_line_has_bounded_buffer() {
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
