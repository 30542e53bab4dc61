//! libFuzzer's dictionary.

use std::collections::BTreeSet;
use std::fmt::Write;

/// Shorter ones are found without help, longer ones are prose.
const LENGTHS: std::ops::RangeInclusive<usize> = 3..=40;

/// The words of an input: names, numbers with a unit, and the like.
pub(super) fn words(input: &[u8]) -> impl Iterator<Item = String> {
    let inside = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let words = input.split(move |byte| !inside(byte));
    let words = words.filter(|word| LENGTHS.contains(&word.len()));
    words.map(|word| String::from_utf8_lossy(word).into_owned())
}

/// The file: one word a line, in quotes.
pub(super) fn written(words: &BTreeSet<String>) -> String {
    words.iter().fold(String::new(), |mut file, word| {
        let _ = writeln!(file, "\"{word}\"");
        file
    })
}
