//! Sanitizing and measuring of labels.
//!
//! Titles and names are untrusted: a control character could break an XML document or control a
//! terminal, so they are sanitized on input. Widths in pixels are estimates, because the font of an
//! SVG is unknown.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The text with invisible characters replaced.
pub(crate) fn clean(text: &str) -> String {
    text.chars().map(|c| if is_shown(c) { c } else { ' ' }).collect()
}

fn is_shown(c: char) -> bool {
    let turns_text_around = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let not_in_xml = matches!(c, '\u{fffe}' | '\u{ffff}');
    !(c.is_control() || turns_text_around || not_in_xml)
}

/// The nearest ASCII text.
pub(crate) fn ascii(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            'µ' => 'u',
            '–' | '—' | '−' => '-',
            '…' => '~',
            '‘' | '’' => '\'',
            '“' | '”' => '"',
            c if c.is_ascii() => c,
            _ => '?',
        })
        .collect()
}

/// The width in terminal columns.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// The width in pixels in the usual sans-serif fonts, estimated high.
pub(crate) fn pixels(text: &str, size: f64) -> f64 {
    text.chars().map(ems).sum::<f64>() * size
}

fn ems(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' => 0.31,
        'f' | 't' | 'r' | '(' | ')' | '-' | '/' => 0.42,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.92,
        'A'..='Z' => 0.72,
        c if c.is_ascii() => 0.6,
        c => match c.width() {
            None | Some(0) => 0.0,
            Some(1) => 0.7,
            Some(_) => 1.05,
        },
    }
}

/// The text, shortened to `room` by `measure`.
pub(crate) fn shorten(text: &str, room: f64, measure: impl Fn(&str) -> f64) -> String {
    if measure(text) <= room {
        return text.to_owned();
    }
    let mut kept = text.to_owned();
    while kept.pop().is_some() {
        let short = format!("{}…", kept.trim_end());
        if measure(&short) <= room {
            return short;
        }
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name from a file cannot send escape sequences to a terminal.
    #[test]
    fn control_characters_become_spaces() {
        assert_eq!(clean("a\u{1b}[31mred\nline\u{202e}x\u{0}"), "a [31mred line x ");
    }

    #[test]
    fn wide_character_takes_two_columns() {
        assert_eq!(columns("重試"), 4);
        assert_eq!(shorten("重試延遲", 5.0, |t| columns(t) as f64), "重試…");
    }

    #[test]
    fn text_that_fits_is_unchanged() {
        assert_eq!(shorten("delay", 5.0, |t| columns(t) as f64), "delay");
        assert_eq!(shorten("delay", 0.0, |t| columns(t) as f64), "");
    }

    #[test]
    fn ascii_keeps_units_readable() {
        assert_eq!(ascii("5µs – naïve…"), "5us - na?ve~");
    }
}
