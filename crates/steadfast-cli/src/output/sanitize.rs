//! Texts of others, fit for a terminal.
//!
//! A policy file can hold any character, and some of them command a terminal. They are shown as
//! something else, as long in bytes, so that no place in a text moves.

/// The letter, or what is shown for it.
pub(crate) fn letter(letter: char) -> char {
    match letter {
        '\n' | '\t' => letter,
        // At the end of a line it is nothing, elsewhere it would write over the line.
        '\r' => ' ',
        // These turn what follows around, so that it reads as something else.
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        _ if !letter.is_control() => letter,
        _ if letter.is_ascii() => '?',
        _ => '\u{bf}',
    }
}

/// A text for one line.
pub(crate) fn line(text: &str) -> String {
    text.chars().map(|each| if each.is_whitespace() { ' ' } else { letter(each) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K4: a file cannot command the terminal that shows it.
    #[test]
    fn what_commands_a_terminal_is_shown_as_something_else() {
        assert_eq!(line("a\u{1b}[2Jb\u{9b}c\nd é"), "a?[2Jb¿c d é");
        assert_eq!(letter('\r'), ' ');
        assert_eq!(line("a\u{202e}b"), "a\u{fffd}b");
    }
}
