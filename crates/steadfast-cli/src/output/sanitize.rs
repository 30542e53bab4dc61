//! Removal of terminal control characters from untrusted text.
//!
//! Replacements have the same length in bytes, so that offsets into the text stay valid.

/// Returns the character, or its replacement.
pub(crate) fn letter(letter: char) -> char {
    match letter {
        '\n' | '\t' => letter,
        // Within a line it would overwrite the line.
        '\r' => ' ',
        // Bidirectional overrides reorder the text that follows.
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        _ if !letter.is_control() => letter,
        _ if letter.is_ascii() => '?',
        _ => '\u{bf}',
    }
}

/// Returns the text on one line.
pub(crate) fn line(text: &str) -> String {
    text.chars().map(|each| if each.is_whitespace() { ' ' } else { letter(each) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K4: a file cannot command the terminal that shows it.
    #[test]
    fn control_characters_are_replaced() {
        assert_eq!(line("a\u{1b}[2Jb\u{9b}c\nd é"), "a?[2Jb¿c d é");
        assert_eq!(letter('\r'), ' ');
        assert_eq!(line("a\u{202e}b"), "a\u{fffd}b");
    }
}
