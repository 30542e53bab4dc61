//! Anchors, aliases and merge keys of YAML.

use serde_json::json;

use super::super::Format::Yaml;
use super::super::Source;
use super::super::tree::{Content, Node};
use super::{plain, problem_lines, rest, tree};

/// F1: what is written once can be used in several places.
#[test]
fn alias_has_the_value_of_its_anchor() {
    let text = "a: &x {b: 1}\nc: *x\nd: [*x]\n&k e: *k\n*k : f\n";
    let problem = "f:5:1: e: duplicate key e, first at line 4, column 4; remove one of the two";
    assert_eq!(problem_lines(text, Yaml), [problem]);
    let one = json!({"b": "1·"});
    assert_eq!(rest(text, Yaml), json!({"a": one, "c": one, "d": [one], "e": "e·"}));
}

/// F3: the origin of a value is where it stands.
#[test]
fn aliased_value_has_the_position_of_its_anchor() {
    let text = "a: &x\n  b: 1\nc: *x\n";
    let Content::Map(entries) = tree(text, Yaml).content else {
        panic!("a map");
    };
    let source = Source::new("f", text);
    let Content::Map(inner) = &entries[1].value.content else {
        panic!("a map");
    };
    assert_eq!(source.position(inner[0].key_span.range().start).line, 2);
    assert_eq!(source.slice(inner[0].value.span), "1");
}

/// F1: a merge key gives way to what is written beside it, before or after.
#[test]
fn merge_key_adds_missing_keys() {
    let text = "base: &base {a: 1, b: 1}\nthis: {a: 2, <<: *base, c: 3}\n";
    let merged = json!({"a": "2·", "c": "3·", "b": "1·"});
    assert_eq!(plain(&tree(text, Yaml))["this"], merged);
    let text = "base: &base {a: 1, b: 1}\nthis:\n  <<: *base\n  a: 2\n  c: 3\n";
    assert_eq!(plain(&tree(text, Yaml))["this"], merged);
}

/// F1
#[test]
fn first_of_several_merged_maps_takes_precedence() {
    let text = "x: &x {a: 1, b: 1}\ny: &y {b: 2, c: 2}\nz: {<<: [*x, *y, {c: 3, d: 3}]}\n";
    let merged = json!({"a": "1·", "b": "1·", "c": "2·", "d": "3·"});
    assert_eq!(plain(&tree(text, Yaml))["z"], merged);
}

/// F1: what is merged may itself merge.
#[test]
fn merge_key_in_a_merged_map_is_followed() {
    let text = "x: &x {a: 1}\ny: &y {<<: *x, b: 2}\nz: {<<: *y, c: 3}\n";
    assert_eq!(plain(&tree(text, Yaml))["z"], json!({"a": "1·", "b": "2·", "c": "3·"}));
}

/// F1: quotes make it a key like others.
#[test]
fn quoted_merge_key_is_a_plain_key() {
    assert_eq!(plain(&tree("{'<<': {a: 1}}", Yaml)), json!({"<<": {"a": "1·"}}));
}

/// F2
#[test]
fn merge_of_a_non_map_is_rejected_once() {
    let text = "x: &x {<<: 5}\ny: *x\nz: {<<: [{a: 1}, b]}\n";
    let what = "<< requires a map; use the alias of a map, or quote the key";
    assert_eq!(
        problem_lines(text, Yaml),
        [format!("f:1:12: x.<<: {what}"), format!("f:3:18: z.<<: {what}")]
    );
}

/// F2
#[test]
fn second_merge_key_is_a_duplicate() {
    let text = "x: &x {a: 1}\ny:\n  <<: *x\n  <<: *x\n";
    assert_eq!(
        problem_lines(text, Yaml),
        ["f:4:3: y.<<: duplicate key <<, first at line 3, column 3; \
          merge several with <<: [*a, *b]"]
    );
}

/// F2: every alias that means nothing, with a near miss.
#[test]
fn unknown_alias_is_rejected_with_a_suggestion() {
    let text = "a: &patient 1\nb: *patint\nc: [*other]\n";
    assert_eq!(
        problem_lines(text, Yaml),
        [
            "f:2:4: b: unknown anchor &patint; did you mean *patient?",
            "f:3:5: c[0]: unknown anchor &other; define it with & before its first use",
        ]
    );
    assert_eq!(rest(text, Yaml), json!({"a": "1·", "c": []}));
}

/// F2
#[test]
fn recursive_alias_is_rejected() {
    let text = "a: &a\n  b: [*a]\n  c: 1\n";
    assert_eq!(problem_lines(text, Yaml), ["f:2:7: a.b[0]: circular alias; write out its value"]);
    assert_eq!(rest(text, Yaml), json!({"a": {"b": [], "c": "1·"}}));
}

/// F1: a later anchor of the same name is another one.
#[test]
fn alias_refers_to_the_last_anchor_above_it() {
    assert_eq!(plain(&tree("[&a 1, *a, &a 2, *a]", Yaml)), json!(["1·", "1·", "2·", "2·"]));
}

/// F1: anchors of scalars, of keys and of what was left out.
#[test]
fn anchor_in_a_skipped_value_is_still_usable() {
    let text = "a: 1\na: &x {b: 1}\nc: *x\n";
    assert_eq!(rest(text, Yaml), json!({"a": "1·", "c": {"b": "1·"}}));
    let Node { content, .. } = tree("&k key: *k", Yaml);
    assert!(matches!(content, Content::Map(entries) if entries.len() == 1));
}
