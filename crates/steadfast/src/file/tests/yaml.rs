//! YAML.

use serde_json::json;

use super::super::Format::Yaml;
use super::super::tree::Content;
use super::{plain, problem_lines, problems, rest, tree};

/// F1: what a word means is for the reader of its field to say.
#[test]
fn plain_scalar_keeps_its_case_and_quoted_scalar_is_text() {
    let text = "a: [08, 2E000, true, 1.0, 500ms, 1_000, yes]\nb: ['08', \"x\"]\nc: |\n  08\n";
    assert_eq!(
        plain(&tree(text, Yaml)),
        json!({
            "a": ["08·", "2E000·", "true·", "1.0·", "500ms·", "1_000·", "yes·"],
            "b": ["08", "x"],
            "c": "08\n",
        })
    );
}

/// F1: nothing has four spellings, and quotes make each a text.
#[test]
fn empty_value_is_null() {
    let text = "[~, null, Null, NULL, '', 'null', nULL]";
    assert_eq!(plain(&tree(text, Yaml)), json!([null, null, null, null, "", "null", "nULL·"]));
    assert_eq!(plain(&tree("a:\nb: 1", Yaml)), json!({"a": null, "b": "1·"}));
}

/// F1: keys are in the order of the text.
#[test]
fn key_order_is_preserved() {
    let Content::Map(entries) = tree("z: 1\na: 2\nm: 3\n", Yaml).content else {
        panic!("a map");
    };
    let keys: Vec<_> = entries.iter().map(|entry| entry.key.as_str()).collect();
    assert_eq!(keys, ["z", "a", "m"]);
}

/// F2: duplicates do not hide each other.
#[test]
fn duplicate_key_is_reported_with_both_positions() {
    let text = "a: 1\nb:\n  c: 1\n  'c': 2\n  c: {d: 1, d: 2}\na: 2\n";
    assert_eq!(
        problem_lines(text, Yaml),
        [
            "f:4:3: b.c: duplicate key c, first at line 3, column 3; remove one of the two",
            "f:5:3: b.c: duplicate key c, first at line 3, column 3; remove one of the two",
            "f:5:13: b.c.d: duplicate key d, first at line 5, column 7; remove one of the two",
            "f:6:1: a: duplicate key a, first at line 1, column 1; remove one of the two",
        ]
    );
    assert_eq!(rest(text, Yaml), json!({"a": "1·", "b": {"c": "1·"}}));
}

/// F2: a problem in a list says in which item.
#[test]
fn problem_path_has_item_indices() {
    let problems = problems("policies:\n- a: 1\n- b: 1\n  b: 2\n", Yaml);
    assert_eq!(problems[0].path, "policies[1].b");
}

/// F2
#[test]
fn second_document_is_rejected() {
    let text = "a: 1\n---\nb: 2\n";
    assert_eq!(
        problem_lines(text, Yaml),
        ["f:2:1: the file must be a single document; move the second one to another file"]
    );
    assert_eq!(rest(text, Yaml), json!({"a": "1·"}));
    assert_eq!(plain(&tree("%YAML 1.2\n---\na: 1\n...\n", Yaml)), json!({"a": "1·"}));
}

/// F2
#[test]
fn non_scalar_key_is_rejected_and_skipped() {
    let text = "a: 1\n[b]: 2\n{c: 1}: 3\n: 4\n";
    let what = "a key must be a scalar; write key: value";
    assert_eq!(
        problem_lines(text, Yaml),
        [format!("f:2:1: {what}"), format!("f:3:1: {what}"), format!("f:4:1: {what}")]
    );
    assert_eq!(rest(text, Yaml), json!({"a": "1·"}));
}

/// F1: a key has no type.
#[test]
fn key_keeps_its_case() {
    let text = "08: 1\ntrue: 2\nnull: 3\n'q': 4\n? long\n: 5\n";
    let expected = json!({"08": "1·", "true": "2·", "null": "3·", "q": "4·", "long": "5·"});
    assert_eq!(plain(&tree(text, Yaml)), expected);
}

/// F1: tags of the core schema say what a scalar is.
#[test]
fn core_tags_are_applied() {
    let text =
        "a: !!str 08\nb: !!int '8'\nc: !!str\nd: !!null\ne: !!seq [1]\nf: !!map {}\ng: ! x\n";
    assert_eq!(
        plain(&tree(text, Yaml)),
        json!({"a": "08", "b": "8·", "c": "", "d": null, "e": ["1·"], "f": {}, "g": "x"})
    );
}

/// F2: a tag that is not understood is not passed over.
#[test]
fn other_tags_are_rejected() {
    let text = "a: !env HOME\nb: !!seq {}\nc: !<x:y> [1]\nd: !!null 1\n";
    assert_eq!(
        problem_lines(text, Yaml),
        [
            "f:1:4: a: unsupported tag !env; remove it",
            "f:2:4: b: unsupported tag !!seq; remove it",
            "f:3:4: c: unsupported tag !<x:y>; remove it",
            "f:4:4: d: unsupported tag !!null; remove it",
        ]
    );
    assert_eq!(rest(text, Yaml), json!({"a": "HOME·", "b": {}, "c": ["1·"], "d": "1·"}));
}

/// F2: what a typo in the notation looks like.
#[test]
fn invalid_yaml_is_rejected_with_its_position() {
    for (text, problem) in [
        ("a:\n\tb: 1\n", "f:2:2: a: tabs are not allowed in YAML indentation; indent with spaces"),
        ("a: 'b\nc: 1\n", "f:2:1: a: unterminated quoted string; close its quote"),
        (
            "a: b: c\n",
            "f:1:5: a key is not allowed here; quote a string that contains a colon, or check \
             the indentation",
        ),
        ("a: [1, 2\n", "f:1:4: a[1]: unclosed bracket; add ]"),
        ("a: @b\n", "f:1:4: a: a plain string cannot start with this character; quote the string"),
        ("a: b\0c\n", "f:1:5: a: unexpected character \\0; remove it, or quote the string"),
        (
            "a: 'b' c\n",
            "f:1:8: a: invalid trailing content after single-quoted scalar; check the syntax of \
             this line and the one above",
        ),
        (
            "a: \"\\d\"\n",
            "f:1:4: a: unknown escape; write \\\\ for a backslash, or use single quotes",
        ),
    ] {
        assert_eq!(problem_lines(text, Yaml), [problem], "{text:?}");
    }
}
