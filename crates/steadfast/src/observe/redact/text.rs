//! The boundaries of values in a text.
//!
//! All separators are ASCII, so a text can be scanned by bytes and cut at any separator.

#[derive(Clone, Copy)]
pub(super) struct Text<'t>(pub(super) &'t str);

impl<'t> Text<'t> {
    pub(super) fn byte(self, at: usize) -> Option<u8> {
        self.0.as_bytes().get(at).copied()
    }

    pub(super) fn slice(self, from: usize, to: usize) -> &'t str {
        self.0.get(from..to).unwrap_or_default()
    }

    pub(super) fn starts_with(self, at: usize, what: &str) -> bool {
        self.0.as_bytes().get(at..).is_some_and(|rest| rest.starts_with(what.as_bytes()))
    }

    /// The first offset whose byte does not match.
    pub(super) fn skip(self, from: usize, like: impl Fn(u8) -> bool) -> usize {
        let rest = self.0.as_bytes().get(from..).unwrap_or_default();
        from + rest.iter().take_while(|byte| like(**byte)).count()
    }

    pub(super) fn skip_blanks(self, from: usize) -> usize {
        self.skip(from, is_blank)
    }

    /// The quote that opens here, if there is one.
    pub(super) fn quote(self, at: usize) -> Option<Quote> {
        let escapes = self.skip(at, |byte| byte == b'\\') - at;
        let mark = self.byte(at + escapes).filter(|byte| is_quote(*byte))?;
        Some(Quote { mark, escapes, inside: at + escapes + 1 })
    }

    /// The end of a quoted text: before its closing mark, or the end of the text.
    pub(super) fn quote_end(self, quote: Quote) -> usize {
        let mut at = quote.inside;
        let mut escapes = 0;
        while let Some(byte) = self.byte(at) {
            if byte == quote.mark && quote.closes_after(escapes) {
                // Of the escapes before the mark, its own are not part of what it quotes.
                return at - escapes.min(quote.escapes);
            }
            escapes = if byte == b'\\' { escapes + 1 } else { 0 };
            at += 1;
        }
        at
    }

    /// The end of an unquoted value.
    ///
    /// A blank, a line break or `&` always ends it. Other punctuation ends it only if no further
    /// part of the value can follow: a password may contain a comma. Bracketed text belongs to it.
    pub(super) fn value_end(self, from: usize) -> usize {
        let mut at = self.prefixed_quote_end(from);
        let mut depth = 0_usize;
        while let Some(byte) = self.byte(at) {
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' if depth > 0 => depth -= 1,
                _ if depth > 0 => {
                    if let Some(quote) = self.quote(at) {
                        at = self.quote_end(quote) + quote.escapes;
                    } else if byte == b'\\' {
                        at = self.skip(at, |byte| byte == b'\\') - 1;
                    }
                }
                b'&' => break,
                _ if is_space(byte) => break,
                b'<' if self.byte(at + 1) == Some(b'/') => break,
                b',' | b';' if self.is_name_of_next(at + 1) => break,
                _ if is_soft(byte) && !self.byte(at + 1).is_some_and(is_solid) => break,
                _ => {}
            }
            at += 1;
        }
        at.min(self.0.len())
    }

    /// Past the quote of a literal such as `b"bytes"`, if one begins here.
    fn prefixed_quote_end(self, at: usize) -> usize {
        let prefix = self.skip(at, |byte| matches!(byte, b'b' | b'r' | b'u' | b'f' | b'L'));
        match self.quote(prefix) {
            Some(quote) if prefix > at && prefix - at <= 2 => {
                (self.quote_end(quote) + quote.escapes + 1).min(self.0.len())
            }
            _ => at,
        }
    }

    /// Whether `name=` follows, which ends the value before it.
    fn is_name_of_next(self, at: usize) -> bool {
        let end = self.skip(at, is_word);
        end > at && self.byte(end) == Some(b'=')
    }
}

/// A quotation mark, possibly escaped.
#[derive(Clone, Copy)]
pub(super) struct Quote {
    pub(super) mark: u8,
    escapes: usize,
    /// The start of the quoted text.
    pub(super) inside: usize,
}

impl Quote {
    /// Whether a mark after this many escapes closes the quote.
    fn closes_after(self, escapes: usize) -> bool {
        match self.escapes {
            0 => escapes.is_multiple_of(2),
            own => escapes <= own,
        }
    }
}

/// Part of a name.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

pub(super) fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte.is_ascii_control()
}

pub(super) fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// Ends a value unless more of it follows.
fn is_soft(byte: u8) -> bool {
    is_quote(byte)
        || matches!(byte, b',' | b';' | b')' | b']' | b'}' | b'<' | b'>' | b'|' | b'\\' | b':')
}

/// Always part of a value.
fn is_solid(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii() || b"_-+/=%~$!*#@^.:?".contains(&byte)
}
