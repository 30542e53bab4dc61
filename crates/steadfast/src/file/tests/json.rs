//! JSON.

use serde_json::json;

use super::super::Format::Json;
use super::{plain, problem_lines, rest, tree};

/// F1: JSON has types.
#[test]
fn values_have_json_types() {
    let text = r#"{"a": [null, true, false, 1, -2.5e3, 0], "b": "\u00e9\n\ud83d\ude00", "": {}}"#;
    assert_eq!(
        plain(&tree(text, Json)),
        json!({"a": [null, true, false, 1.0, -2500.0, 0.0], "b": "é\n😀", "": {}})
    );
}

/// F2: duplicates do not hide each other.
#[test]
fn duplicate_key_is_reported_with_both_positions() {
    let text = "{\"a\": {\"b\": 1,\n \"b\": 2, \"\\u0062\": 3},\n \"a\": 4}";
    assert_eq!(
        problem_lines(text, Json),
        [
            "f:2:2: a.b: duplicate key b, first at line 1, column 8; remove one of the two",
            "f:2:10: a.b: duplicate key b, first at line 1, column 8; remove one of the two",
            "f:3:2: a: duplicate key a, first at line 1, column 2; remove one of the two",
        ]
    );
    assert_eq!(rest(text, Json), json!({"a": {"b": 1.0}}));
}

/// F2: what people write who are used to other notations.
#[test]
fn syntax_outside_json_is_rejected_with_help() {
    for (text, problem) in [
        (
            "{\"a\": 1} // why\n",
            "f:1:10: comments are not allowed in JSON; remove it, or use YAML or TOML",
        ),
        (
            "{\"a\": /* why */ 1}",
            "f:1:7: a: comments are not allowed in JSON; remove it, or use YAML or TOML",
        ),
        ("{\"a\": 1,}", "f:1:8: a: trailing commas are not allowed in JSON; remove the comma"),
        (
            "{\"a\": [1,]}",
            "f:1:9: a[0]: trailing commas are not allowed in JSON; remove the \
                           comma",
        ),
        ("{a: 1}", "f:1:2: unquoted key; put double quotes around it"),
        ("{\"a\": 'b'}", "f:1:7: a: single quotes are not allowed in JSON; use double quotes"),
        ("{\"a\": 1 \"b\": 2}", "f:1:8: a: missing comma; add one here"),
        ("{\"a\" 1}", "f:1:6: a: missing colon after the key; write \"key\": value"),
        ("[yes]", "f:1:2: [0]: not a JSON value; put double quotes around a string"),
        ("{\"a\": [1", "f:1:7: a: unclosed list; add ]"),
        ("{\"a\": 1", "f:1:1: unclosed object; add }"),
        (
            "{} {}",
            "f:1:4: unexpected content after the end of the document; check the brackets \
                   above",
        ),
        ("\"a", "f:1:1: unterminated string literal; check the quotes and the backslashes"),
        (
            "{\"a\": \"b\n}, \"c\": \"d\"}",
            "f:1:7: a: unterminated string; close its quote, or write \\n for a line break",
        ),
        (
            "[\"a\tb\"]",
            "f:1:2: [0]: control character in a string; write it as an escape, such as \\t",
        ),
        ("[1,\u{a0}2]", "f:1:4: [1]: \\u{a0} is not JSON white space; replace it with a space"),
        (
            "[1, \0]",
            "f:1:5: [1]: unexpected token; check the brackets, commas and colons before it",
        ),
        ("[1]\u{c}", "f:1:4: \\u{c} is not JSON white space; replace it with a space"),
    ] {
        assert_eq!(problem_lines(text, Json), [problem], "{text:?}");
    }
}

/// F2: numbers have the grammar of JSON.
#[test]
fn non_json_number_is_rejected() {
    for number in ["08", "+1", ".5", "1.", "0x10", "1e", "-", "NaN", "-Infinity", "1_000", "１"] {
        let problem_lines = problem_lines(&format!("[{number}]"), Json);
        assert_eq!(problem_lines.len(), 1, "{number}: {problem_lines:?}");
    }
}

/// F2: a number that cannot be kept is not kept.
#[test]
fn number_out_of_range_is_rejected() {
    assert_eq!(
        problem_lines("{\"a\": [0, -1e999]}", Json),
        ["f:1:11: a[1]: -1e999 is too large for a number; use a smaller one"]
    );
    assert_eq!(rest("{\"a\": 1e999, \"b\": [2e999]}", Json), json!({"b": []}));
}
