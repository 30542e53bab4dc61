//! Text out of bytes that others wrote, so that a store can keep it.
//!
//! An answer's body or a program's output may be anything. What a store keeps is JSON of a
//! bounded length without U+0000, and it refuses the rest: a call that succeeded must not end as
//! one whose result could not be written down.

/// As much of the bytes as text as fits into `limit` bytes of JSON, and whether that is all.
pub(super) fn of_bytes(bytes: &[u8], limit: usize) -> (String, bool) {
    let text = String::from_utf8_lossy(bytes);
    let mut kept = String::with_capacity(text.len().min(limit));
    let mut room = limit;
    for letter in text.chars().map(storable) {
        let size = json_size(letter);
        if size > room {
            return (kept, false);
        }
        room -= size;
        kept.push(letter);
    }
    (kept, true)
}

fn storable(letter: char) -> char {
    if letter == '\0' { char::REPLACEMENT_CHARACTER } else { letter }
}

/// How many bytes of JSON a character becomes.
fn json_size(letter: char) -> usize {
    match letter {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..'\u{20}' => 6,
        _ => letter.len_utf8(),
    }
}

/// A text as one line, for a message.
pub(super) fn one_line(text: &str) -> String {
    let lines = text.split(char::is_control).map(str::trim);
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K4: whatever the bytes, what is kept fits, and a store can keep it.
    #[test]
    fn any_bytes_become_text_that_fits() {
        let all: Vec<u8> = (0..=255).cycle().take(10_000).collect();
        for bytes in [&all[..], "é\u{1}\"\\\n".repeat(1_000).as_bytes(), &[0; 10_000]] {
            let (text, whole) = of_bytes(bytes, 1_000);
            let json = serde_json::to_string(&text).unwrap();
            assert!(!whole && json.len() <= 1_002 && json.len() > 990, "{}", json.len());
            assert!(!json.contains("\\u0000"));
        }
        assert_eq!(of_bytes(b"abc", 3), ("abc".to_owned(), true));
        assert_eq!(of_bytes(b"abcd", 3), ("abc".to_owned(), false));
    }

    #[test]
    fn lines_become_one() {
        assert_eq!(one_line(" one\r\n\ttwo\0\n"), "one two");
    }
}
