//! Conversion of arbitrary bytes to text that a store accepts.
//!
//! A response body or a program's output may be anything. A store accepts JSON of bounded length
//! without U+0000: a call that succeeded must not fail because its result cannot be stored.

/// Converts as many bytes as fit into `limit` bytes of JSON. Also returns whether that is all.
pub(super) fn of_bytes(bytes: &[u8], limit: usize) -> (String, bool) {
    let text = String::from_utf8_lossy(bytes);
    let mut fitting = String::with_capacity(text.len().min(limit));
    let mut remaining = limit;
    for character in text.chars().map(storable) {
        let size = json_size(character);
        if size > remaining {
            return (fitting, false);
        }
        remaining -= size;
        fitting.push(character);
    }
    (fitting, true)
}

fn storable(character: char) -> char {
    if character == '\0' { char::REPLACEMENT_CHARACTER } else { character }
}

/// The size of a character in JSON, in bytes.
fn json_size(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..'\u{20}' => 6,
        _ => character.len_utf8(),
    }
}

/// Joins a text into one line, for a message.
pub(super) fn one_line(text: &str) -> String {
    let lines = text.split(char::is_control).map(str::trim);
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K4: whatever the bytes, the text fits the limit and a store accepts it.
    #[test]
    fn arbitrary_bytes_become_storable_text_within_the_limit() {
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
    fn lines_are_joined_into_one() {
        assert_eq!(one_line(" one\r\n\ttwo\0\n"), "one two");
    }
}
