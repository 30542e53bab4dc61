//! What holds for every text.

use proptest::prelude::*;
use serde_json::{Map, Number, Value};

use super::super::tree::{Content, Node, Span, parse};
use super::super::{Format, Source};
use super::FORMATS;

proptest! {
    /// F2: bad input is normal.
    #[test]
    fn any_bytes_parse_or_fail_with_valid_positions(bytes: Vec<u8>) {
        match Source::from_bytes("f", bytes) {
            Ok(source) => check(&source)?,
            Err(problem) => {
                let text = problem.source().unwrap().text();
                prop_assert!(text.get(problem.span().unwrap()).is_some());
            }
        }
    }

    /// F2: what looks like a file goes deeper into a parser than noise does.
    #[test]
    fn any_format_parses_or_fails_with_valid_positions(
        parts in prop::collection::vec(part(), 0..60),
    ) {
        check(&Source::new("f", &parts.concat()))?;
    }

    /// F1: what is written as JSON is read back as it was, as JSON and as YAML.
    #[test]
    fn tree_round_trips_through_json(value in tree()) {
        for text in [value.to_string(), format!("{value:#}")] {
            prop_assert_eq!(read(&text, Format::Json), value.clone());
            prop_assert_eq!(read(&text, Format::Yaml), value.clone());
        }
    }

    /// F1: JSON is what everybody calls JSON.
    #[test]
    fn json_parser_agrees_with_serde_json(parts in prop::collection::vec(json_part(), 0..12)) {
        let text = parts.concat();
        let others = serde_json::from_str::<Value>(&text);
        let (tree, problems) = parse(&Source::new("f", &text), Format::Json);
        let duplicates = problems.iter().all(|it| it.message.contains("duplicate key"));
        prop_assert_eq!(others.is_ok(), tree.is_some() && duplicates, "{}: {:?}", text, problems);
    }
}

/// A piece of some notation.
fn part() -> impl Strategy<Value = String> {
    let short = [
        "a", "b", ": ", ":", "=", " = ", ".", "\n", "\n  ", "\r\n", "\t", "- ", "? ", "[", "]",
        "{", "}", ",", "\"", "'", "\"\"\"", "'''", "#", "# c\n", "//", "/*", "*/", "&a ", "*a",
        "*b", "<<: ", "!!str ", "!x ", "|\n", ">-\n", "---\n", "...\n", "\\", "\\u12", "\"a\"",
        "1", "0x1", "1e9", "null", "true", "~", "é", "😀", "\u{feff}", "\0", "\u{85}", "[[a]]\n",
        "[a.b]\n", "[a]\n",
    ];
    let long = ["%YAML 1.2\n", "1979-05-27"];
    let pieces = prop::sample::select([&short[..], &long[..]].concat());
    prop_oneof![8 => pieces.prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)]
}

/// A piece of JSON, good or almost.
fn json_part() -> impl Strategy<Value = String> {
    let short = [
        "{", "}", "[", "]", ",", ":", " ", "\n", "\t", "\u{a0}", "\u{c}", "\"a\"", "\"b\"", "\"",
        "\"\\n\"", "\"\n\"", "\\", "1", "0", "-", "+", ".", "e", "1.5", "-0", "1e5", "1E+5",
        "true", "false", "null", "nul", "NaN", "x", "_", "{}", "[]", "//", "é",
    ];
    let long = ["\"\\u00e9\"", "\"\\ud800\"", "\"\u{7f}\"", "{\"a\":1}"];
    let pieces = prop::sample::select([&short[..], &long[..]].concat());
    pieces.prop_map(str::to_owned)
}

fn tree() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_filter_map("finite", Number::from_f64).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 60, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::btree_map("[a-z:#'\" ]{0,8}|\\PC{1,8}", inner, 0..8)
                .prop_map(|map| Value::from(map.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn read(text: &str, format: Format) -> Value {
    let (tree, problems) = parse(&Source::new("f", text), format);
    assert!(problems.is_empty(), "{problems:?}");
    typed(&tree.unwrap())
}

/// Words mean what they mean in JSON.
fn typed(node: &Node) -> Value {
    match &node.content {
        Content::Null => Value::Null,
        Content::Bool(truth) => (*truth).into(),
        Content::Number(number) => (*number).into(),
        Content::Plain(word) => match serde_json::from_str(word).unwrap() {
            Value::Number(number) => number.as_f64().into(),
            word => word,
        },
        Content::Text(text) => text.as_str().into(),
        Content::List(items) => items.iter().map(typed).collect(),
        Content::Map(entries) => {
            entries.iter().map(|entry| (entry.key.clone(), typed(&entry.value))).collect()
        }
    }
}

/// Reads a text in every format, and checks every position.
fn check(source: &Source) -> Result<(), TestCaseError> {
    for format in FORMATS {
        let (tree, problems) = parse(source, format);
        prop_assert!(tree.is_some() || !problems.is_empty());
        for problem in problems {
            let Some(span) = problem.span() else { continue };
            let place = source.position(span.start);
            prop_assert!(source.text().get(span).is_some(), "{format:?} {problem}");
            prop_assert_eq!(problem.line, Some(place.line));
        }
        if let Some(tree) = tree {
            check_spans(source.text(), &tree)?;
        }
    }
    Ok(())
}

fn check_spans(text: &str, node: &Node) -> Result<(), TestCaseError> {
    let inside = |at: Span| text.get(at.range()).is_some();
    prop_assert!(inside(node.span), "{node:?}");
    match &node.content {
        Content::List(items) => items.iter().try_for_each(|item| check_spans(text, item)),
        Content::Map(entries) => entries.iter().try_for_each(|entry| {
            prop_assert!(inside(entry.key_span), "{entry:?}");
            check_spans(text, &entry.value)
        }),
        _ => Ok(()),
    }
}
