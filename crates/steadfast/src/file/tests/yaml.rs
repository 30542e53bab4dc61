//! YAML.

use serde_json::json;

use super::super::Format::Yaml;
use super::{plain, refusals, tree};

/// F1: what a word means is for the reader of its field to say.
#[test]
fn a_word_keeps_its_letters_and_a_quoted_text_is_one() {
    let text = "a: [08, 2E000, true, 1.0, 500ms, 1_000, yes]\nb: ['08', \"x\"]\nc: [~, null, ]\n";
    assert_eq!(
        plain(&tree(text, Yaml)),
        json!({
            "a": ["08·", "2E000·", "true·", "1.0·", "500ms·", "1_000·", "yes·"],
            "b": ["08", "x"],
            "c": [null, null],
        })
    );
}

/// F2: duplicates do not hide each other.
#[test]
fn every_duplicate_key_is_reported_with_both_places() {
    let text = "a: 1\nb:\n  c: 1\n  c: 2\n  c: 3\na: 2\n";
    assert_eq!(
        refusals(text, Yaml),
        [
            "f:4:3: b.c: c is written twice, first in line 3, column 3; remove one of the two",
            "f:5:3: b.c: c is written twice, first in line 3, column 3; remove one of the two",
            "f:6:1: a: a is written twice, first in line 1, column 1; remove one of the two",
        ]
    );
}
