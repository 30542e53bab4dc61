//! Lines and columns.

use super::super::tree::{Content, Node, parse};
use super::super::{Format, Source, SourcePosition};
use super::FORMATS;

/// F2: columns are characters, as editors count them.
#[test]
fn column_counts_characters() {
    let source = Source::new("f", "ä😀b\n\tc\r\nd");
    let place = |of: &str| source.position(source.text().find(of).unwrap());
    assert_eq!(place("b"), SourcePosition { line: 1, column: 3 });
    assert_eq!(place("c"), SourcePosition { line: 2, column: 2 });
    assert_eq!(place("d"), SourcePosition { line: 3, column: 1 });
}

/// F2: an offset inside a character, or beyond the text, has a place all the same.
#[test]
fn every_offset_has_a_position() {
    let source = Source::new("f", "ä\n");
    assert_eq!(source.position(1), SourcePosition { line: 1, column: 1 });
    assert_eq!(source.position(3), SourcePosition { line: 2, column: 1 });
    assert_eq!(source.position(usize::MAX), SourcePosition { line: 2, column: 1 });
    assert_eq!(Source::new("f", "").position(7), SourcePosition { line: 1, column: 1 });
}

/// F2: a byte order mark is no letter of the first line.
#[test]
fn byte_order_mark_is_skipped() {
    let source = Source::from_bytes("f", b"\xef\xbb\xbfa: @".to_vec()).unwrap();
    assert_eq!(source.text(), "a: @");
    let (_, problems) = parse(&source, Format::Yaml);
    assert_eq!((problems[0].line, problems[0].column), (Some(1), Some(4)));
}

/// F2: the same place in all three, with Windows' line ends and letters of several bytes.
#[test]
fn every_format_has_positions_of_keys_and_values() {
    for (format, text, value) in [
        (Format::Yaml, "ä: 1\r\nö:\r\n  ü: \"é\"\r\n", "\"é\""),
        (Format::Json, "{\"ä\": 1,\r\n\"ö\":\r\n  {\"ü\": \"é\"}}\r\n", "\"é\""),
        (Format::Toml, "\"ä\" = 1\r\n[\"ö\"]\r\n  \"ü\" = \"é\"\r\n", "\"é\""),
    ] {
        let source = Source::new("f", text);
        let (tree, problems) = parse(&source, format);
        assert!(problems.is_empty(), "{problems:?}");
        let tree = tree.unwrap();
        let (first, second) = (entry(&tree, 0), entry(&tree, 1));
        let inner = entry(&second.value, 0);
        assert_eq!((first.key.as_str(), inner.key.as_str()), ("ä", "ü"), "{format:?}");
        assert_eq!(source.slice(first.value.span), "1", "{format:?}");
        assert_eq!(source.slice(inner.value.span), value, "{format:?}");
        assert_eq!(source.position(inner.key_span.range().start).line, 3, "{format:?}");
        assert_eq!(source.slice(second.key_span).trim_matches('"'), "ö", "{format:?}");
    }
}

fn entry(node: &Node, place: usize) -> &super::super::tree::Entry {
    match &node.content {
        Content::Map(entries) => &entries[place],
        other => panic!("{other:?} is no map"),
    }
}

/// F2: a map or list reaches from its beginning to its end, not to the next line.
#[test]
fn nested_value_ends_with_its_last_item() {
    let source = Source::new("f", "a:\n  b: 1\n  c: [2, 3]\n\n\nd:\n- e\n\n");
    let (tree, _) = parse(&source, Format::Yaml);
    let tree = tree.unwrap();
    assert_eq!(source.slice(entry(&tree, 0).value.span), "b: 1\n  c: [2, 3]");
    assert_eq!(source.slice(entry(&tree, 1).value.span), "e");
    let source = Source::new("f", "{\"a\": [1, 2] }");
    let (tree, _) = parse(&source, Format::Json);
    assert_eq!(source.slice(entry(&tree.unwrap(), 0).value.span), "[1, 2]");
}

/// F2: nothing where something should be.
#[test]
fn empty_file_is_rejected() {
    for format in FORMATS {
        for text in ["", " \n\n", "\u{feff}"] {
            let (tree, problems) = parse(&Source::new("f", text), format);
            assert_eq!(tree, None);
            let problems: Vec<_> = problems.iter().map(ToString::to_string).collect();
            let problem = "f: the file is empty; add version and policies, or delete it";
            assert_eq!(problems, [problem], "{format:?} {text:?}");
        }
    }
    for (format, text) in
        [(Format::Yaml, "# nothing\n"), (Format::Yaml, "---\n"), (Format::Toml, "# nothing\n")]
    {
        let (tree, problems) = parse(&Source::new("f", text), format);
        assert_eq!((tree, problems.len()), (None, 1), "{text:?}");
    }
}
