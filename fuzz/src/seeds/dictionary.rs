//! The dictionary of libFuzzer.

use std::collections::BTreeSet;
use std::fmt::Write;

/// The lengths of the words. libFuzzer finds shorter ones without help, and longer ones are prose.
const WORD_LENGTHS: std::ops::RangeInclusive<usize> = 3..=40;

/// The words of an input, such as names and numbers with a unit.
pub(super) fn words(input: &[u8]) -> impl Iterator<Item = String> {
    let is_word_byte = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let words = input.split(move |byte| !is_word_byte(byte));
    let words = words.filter(|word| WORD_LENGTHS.contains(&word.len()));
    words.map(|word| String::from_utf8_lossy(word).into_owned())
}

/// The text of the dictionary file: one quoted word per line.
pub(super) fn format(words: &BTreeSet<String>) -> String {
    words.iter().fold(String::new(), |mut file, word| {
        let _ = writeln!(file, "\"{word}\"");
        file
    })
}
