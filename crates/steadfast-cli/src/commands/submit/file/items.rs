//! Streaming split of an input into task texts.
//!
//! An input may be larger than memory, so tasks are read one at a time. In a file of lines, each
//! line is a task, so an invalid line does not affect others. In an array, brackets, commas and
//! quotes delimit tasks; validity is checked by the parser.

use std::io::{self, BufRead};

/// Larger than any valid task: payload and names are limited.
pub(super) const MAX_TASK_BYTES: usize = 2 << 20;

/// A task's text and the line it starts on, from 1.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) line: u64,
    pub(super) text: Vec<u8>,
}

#[derive(Debug)]
pub(super) enum InputError {
    Io(io::Error),
    /// A task exceeds the size limit, with the line it starts on.
    TooLong(u64),
    NotClosed(u64),
    More(u64),
}

impl From<io::Error> for InputError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

#[derive(Debug)]
pub(super) struct Items<R> {
    input: R,
    /// Whether the input is an array, once known, and not one task per line.
    is_array: Option<bool>,
    line: u64,
    bytes: u64,
    ended: bool,
}

impl<R: BufRead> Items<R> {
    pub(super) const fn of(input: R) -> Self {
        Self { input, is_array: None, line: 1, bytes: 0, ended: false }
    }

    pub(super) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the next task, or `None` after the last.
    pub(super) fn next(&mut self) -> Result<Option<Item>, InputError> {
        if self.ended {
            return Ok(None);
        }
        let is_array = match self.is_array {
            Some(is_array) => is_array,
            None => self.begin()?,
        };
        let next = if is_array { self.next_element()? } else { self.next_line()? };
        self.ended |= next.is_none();
        Ok(next)
    }

    /// Skips leading whitespace, and returns whether an array starts.
    fn begin(&mut self) -> Result<bool, InputError> {
        self.skip(|byte| byte.is_ascii_whitespace() || BYTE_ORDER_MARK.contains(&byte))?;
        let is_array = self.input.fill_buf()?.first() == Some(&b'[');
        self.step(usize::from(is_array));
        self.is_array = Some(is_array);
        Ok(is_array)
    }

    fn next_line(&mut self) -> Result<Option<Item>, InputError> {
        loop {
            let (line, mut text) = (self.line, Vec::new());
            let is_last = !self.read_line(&mut text)?;
            trim(&mut text);
            if !text.is_empty() {
                return Ok(Some(Item { line, text }));
            }
            if is_last {
                return Ok(None);
            }
        }
    }

    /// Reads to the end of the line; returns whether it has a newline.
    fn read_line(&mut self, text: &mut Vec<u8>) -> Result<bool, InputError> {
        loop {
            let buffer = self.input.fill_buf()?;
            if buffer.is_empty() {
                return Ok(false);
            }
            let end = memchr::memchr(b'\n', buffer);
            let taken = end.unwrap_or(buffer.len());
            text.extend_from_slice(buffer.get(..taken).unwrap_or_default());
            if text.len() > MAX_TASK_BYTES {
                return Err(InputError::TooLong(self.line));
            }
            self.step(taken + usize::from(end.is_some()));
            if end.is_some() {
                self.line += 1;
                return Ok(true);
            }
        }
    }

    fn next_element(&mut self) -> Result<Option<Item>, InputError> {
        self.skip_space()?;
        let (line, mut text) = (self.line, Vec::new());
        let mut scanner = ElementScanner::default();
        loop {
            let buffer = self.input.fill_buf()?;
            if buffer.is_empty() {
                return Err(InputError::NotClosed(self.line));
            }
            let end = buffer.iter().position(|byte| scanner.ends_at(*byte));
            let taken = end.unwrap_or(buffer.len());
            let end = end.and_then(|at| buffer.get(at).copied());
            let piece = buffer.get(..taken).unwrap_or_default();
            text.extend_from_slice(piece);
            self.line += memchr::memchr_iter(b'\n', piece).count() as u64;
            if text.len() > MAX_TASK_BYTES {
                return Err(InputError::TooLong(line));
            }
            self.step(taken + usize::from(end.is_some()));
            let Some(end) = end else { continue };
            trim(&mut text);
            if end == b']' {
                self.ends_here()?;
                self.ended = true;
                return Ok((!text.is_empty()).then_some(Item { line, text }));
            }
            return Ok(Some(Item { line, text }));
        }
    }

    fn ends_here(&mut self) -> Result<(), InputError> {
        self.skip_space()?;
        match self.input.fill_buf()? {
            [] => Ok(()),
            _ => Err(InputError::More(self.line)),
        }
    }

    fn skip_space(&mut self) -> io::Result<()> {
        self.skip(|byte| byte.is_ascii_whitespace())
    }

    fn skip(&mut self, is_space: impl Fn(u8) -> bool) -> io::Result<()> {
        loop {
            let buffer = self.input.fill_buf()?;
            let space = buffer.iter().take_while(|byte| is_space(**byte)).count();
            let is_all = space > 0 && space == buffer.len();
            let skipped = buffer.get(..space).unwrap_or_default();
            self.line += memchr::memchr_iter(b'\n', skipped).count() as u64;
            self.step(space);
            if !is_all {
                return Ok(());
            }
        }
    }

    fn step(&mut self, bytes: usize) {
        self.input.consume(bytes);
        self.bytes += bytes as u64;
    }
}

/// A byte order mark at the start is skipped; no task starts with these bytes.
const BYTE_ORDER_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

fn trim(text: &mut Vec<u8>) {
    text.truncate(text.trim_ascii_end().len());
    text.drain(..text.len() - text.trim_ascii_start().len());
}

/// Tracks nesting and quotes within an array element.
#[derive(Debug, Default)]
struct ElementScanner {
    depth: usize,
    quoted: bool,
    escaped: bool,
}

impl ElementScanner {
    /// Consumes a byte; returns whether the element ends before it.
    fn ends_at(&mut self, byte: u8) -> bool {
        if self.quoted {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.quoted = false,
                _ => {}
            }
            return false;
        }
        match byte {
            b'"' => self.quoted = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' if self.depth > 0 => self.depth -= 1,
            b',' | b']' => return self.depth == 0,
            _ => {}
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read};

    use super::*;

    /// An input that arrives one byte at a time, as from a pipe.
    fn trickle(text: &str) -> impl BufRead {
        struct Trickle<'t>(&'t [u8]);
        impl Read for Trickle<'_> {
            fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
                let length = into.len().min(1);
                self.0.read(into.get_mut(..length).unwrap())
            }
        }
        BufReader::new(Trickle(text.as_bytes()))
    }

    fn all(input: impl BufRead) -> Result<Vec<(u64, String)>, InputError> {
        let (mut items, mut found) = (Items::of(input), Vec::new());
        while let Some(Item { line, text }) = items.next()? {
            found.push((line, String::from_utf8(text).unwrap()));
        }
        Ok(found)
    }

    fn read(text: &str) -> Vec<(u64, String)> {
        let whole = all(text.as_bytes()).unwrap();
        assert_eq!(all(trickle(text)).unwrap(), whole, "byte by byte gives the same");
        whole
    }

    fn items(texts: &[(u64, &str)]) -> Vec<(u64, String)> {
        texts.iter().map(|(line, text)| (*line, (*text).to_owned())).collect()
    }

    /// H1: one task per line; blank lines, line endings and a byte order mark are ignored.
    #[test]
    fn every_non_blank_line_is_a_task() {
        assert_eq!(read("{1}\n{2}\n"), items(&[(1, "{1}"), (2, "{2}")]));
        assert_eq!(
            read("\u{feff}\r\n {1} \r\n\n\n{2}\t\n  \n{3}"),
            items(&[(2, "{1}"), (5, "{2}"), (7, "{3}")])
        );
        for nothing in ["", "\n", " \r\n\n"] {
            assert_eq!(read(nothing), []);
        }
    }

    /// An unclosed bracket invalidates only its own line.
    #[test]
    fn invalid_line_does_not_affect_others() {
        assert_eq!(read("{\n{\"[\n{2}\n"), items(&[(1, "{"), (2, "{\"["), (3, "{2}")]));
    }

    /// H1: an array of tasks in any layout.
    #[test]
    fn array_is_split_at_top_level_commas() {
        assert_eq!(read("[]"), []);
        assert_eq!(read(" [ {1} , {2} ] \n"), items(&[(1, "{1}"), (1, "{2}")]));
        let pretty = "[\n  {\n    \"a\": [1, {\"b\": 2}]\n  },\n  {\"c\": \"x,]\\\"}\"}\n]\n";
        assert_eq!(
            read(pretty),
            items(&[(2, "{\n    \"a\": [1, {\"b\": 2}]\n  }"), (5, "{\"c\": \"x,]\\\"}\"}")])
        );
        assert_eq!(read("[{1},,]"), items(&[(1, "{1}"), (1, "")]));
    }

    #[test]
    fn unclosed_or_trailing_data_is_an_error() {
        assert!(matches!(all("[{1},\n{2}".as_bytes()), Err(InputError::NotClosed(2))));
        assert!(matches!(all("[{1}]\n\n{2}".as_bytes()), Err(InputError::More(3))));
    }

    /// K4: an oversized task is not read to its end.
    #[test]
    fn oversized_task_is_an_error() {
        struct Endless;
        impl Read for Endless {
            fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
                into.fill(b'x');
                Ok(into.len())
            }
        }
        let array = b"[\n\"".chain(Endless);
        for (input, line) in [(b"a\n".chain(Endless), 2), (array, 2)] {
            let result = all(BufReader::new(input));
            assert!(matches!(result, Err(InputError::TooLong(at)) if at == line), "{result:?}");
        }
    }

    #[test]
    fn bytes_counts_consumed_input() {
        let mut items = Items::of("{1}\n\n{22}\n".as_bytes());
        for (text, bytes) in [("{1}", 4), ("{22}", 10)] {
            assert_eq!(items.next().unwrap().unwrap().text, text.as_bytes());
            assert_eq!(items.bytes(), bytes);
        }
    }
}
