//! TOML.

use serde_json::json;

use super::super::Format::Toml;
use super::super::tree::Content;
use super::{plain, problem_lines, problems, rest, tree};

/// F1: TOML has types; dates are read as text.
#[test]
fn values_have_toml_types() {
    let text =
        "a = [true, 1, 0x10, -2.5, '08', 1979-05-27T07:32:00Z]\nb.c = \"é\"\n[d.e]\nf = {}\n";
    assert_eq!(
        plain(&tree(text, Toml)),
        json!({
            "a": [true, 1.0, 16.0, -2.5, "08", "1979-05-27T07:32:00Z"],
            "b": {"c": "é"},
            "d": {"e": {"f": {}}},
        })
    );
}

/// F1: arrays of tables are lists of maps.
#[test]
fn array_of_tables_is_a_list() {
    let text = "[[a]]\nb = 1\n[[a]]\n[a.c]\nd = 2\n";
    assert_eq!(plain(&tree(text, Toml)), json!({"a": [{"b": 1.0}, {"c": {"d": 2.0}}]}));
}

/// F1: keys are in the order of the text.
#[test]
fn key_order_is_preserved() {
    let Content::Map(entries) = tree("z = 1\na = 2\nm.b = 3\n[c]\n", Toml).content else {
        panic!("a map");
    };
    let keys: Vec<_> = entries.iter().map(|entry| entry.key.as_str()).collect();
    assert_eq!(keys, ["z", "a", "m", "c"]);
}

/// F2: the parser continues after an error.
#[test]
fn several_errors_are_reported_together() {
    let text = "[policies.a]\nmax_attempts = four\nbase_delay = '1s\n";
    let problems = problems(text, Toml);
    let places: Vec<_> = problems.iter().map(|it| (it.line, it.column, it.path.as_str())).collect();
    assert_eq!(
        places,
        [
            (Some(2), Some(16), "policies.a.max_attempts"),
            (Some(3), Some(17), "policies.a.base_delay"),
        ]
    );
}

/// F2: a missing and an unquoted value are named as such.
#[test]
fn missing_or_unquoted_value_has_a_suggestion() {
    for (value, expected) in [
        ("", "missing value; write a value after the ="),
        (" # none", "missing value; write a value after the ="),
        (" fixed", "unquoted text; put the text in double quotes"),
        (" exponential", "unquoted text; put the text in double quotes"),
    ] {
        let lines = problem_lines(&format!("[a]\nb ={value}\n"), Toml);
        assert!(lines.iter().any(|line| line.ends_with(expected)), "{value}: {lines:?}");
    }
}

/// F2: duplicates do not hide each other.
#[test]
fn duplicate_key_is_reported_with_both_positions() {
    let text = "[a]\nb = 1\nb = 2\n\"b\" = 3\nc = {d = 1, d = 2}\n[a.x]\n[a]\n";
    assert_eq!(
        problem_lines(text, Toml),
        [
            "f:3:1: a.b: duplicate key b, first at line 2, column 1; remove one of the two",
            "f:4:1: a.b: duplicate key \"b\", first at line 2, column 1; remove one of the two",
            "f:5:13: a.c.d: duplicate key d, first at line 5, column 6; remove one of the two",
            "f:7:2: a: duplicate key a, first at line 1, column 2; remove one of the two",
        ]
    );
    let expected = json!({"a": {"b": 1.0, "c": {"d": 1.0}, "x": {}}});
    assert_eq!(rest(text, Toml), expected);
}

/// F2: the position of the first occurrence is that of the same item.
#[test]
fn duplicate_in_an_array_of_tables_is_per_table() {
    let text = "[[a]]\nb = 1\n[[a]]\nb = 1\nb = 2\n";
    assert_eq!(
        problem_lines(text, Toml),
        ["f:5:1: a[1].b: duplicate key b, first at line 4, column 1; remove one of the two"]
    );
}

/// F2: `a` is named on line 1 and defined on line 2.
#[test]
fn duplicate_table_names_its_first_position() {
    let text = "[a.b]\n[a]\n[a]\n";
    assert_eq!(
        problem_lines(text, Toml),
        ["f:3:2: a: duplicate key a, first at line 2, column 2; remove one of the two"]
    );
}

/// F2
#[test]
fn non_finite_number_is_rejected() {
    let text = "a = [inf, nan, 1e999]\nb = 99999999999999999999\n";
    let what = "is not a finite number; write a finite decimal number";
    assert_eq!(
        problem_lines(text, Toml),
        [
            format!("f:1:6: a[0]: inf {what}"),
            format!("f:1:11: a[1]: nan {what}"),
            format!("f:1:16: a[2]: 1e999 {what}"),
            format!("f:2:5: b: 99999999999999999999 {what}"),
        ]
    );
    assert_eq!(rest(text, Toml), json!({"a": []}));
}

/// F2: the position of a problem, in each kind of nesting.
#[test]
fn problem_path_leads_to_the_value() {
    for (text, path) in [
        ("a = [1, {b = x}]", "a[1].b"),
        ("[[a]]\n[[a]]\nb = x", "a[1].b"),
        ("[a]\n[b]\n\nc = [1,\n x]", "b.c[1]"),
        ("a.b = 1\nx\n", "x"),
    ] {
        assert_eq!(problems(text, Toml)[0].path, path, "{text:?}");
    }
}

/// F2: a NUL is invalid in every format.
#[test]
fn nul_character_is_rejected_with_its_position() {
    let problem = &problems("[a]\nb = '\0'\n", Toml)[0];
    assert_eq!((problem.line, problem.column, problem.path.as_str()), (Some(2), Some(6), "a.b"));
}
