//! How a problem looks to people and machines.

use serde_json::json;

use super::super::problem::{Findings, excerpt};
use super::super::tree::Span;
use super::super::{Path, Problem, Problems, Source, Step};

fn example() -> Problem {
    let source = Source::new("a.yaml", "x: 1\nyy: 2\n");
    let path: Path =
        [Step::Key("x".into()), Step::Item(1), Step::Key("y".into())].into_iter().collect();
    Problem::at(&source, Span::new(5, 7), "it is wrong").path(&path).suggest("fix it")
}

/// F2: file, line, column, where, what, and what to do.
#[test]
fn problem_displays_as_one_line() {
    assert_eq!(example().to_string(), "a.yaml:2:1: x[1].y: it is wrong; fix it");
    let bare = Problem::of_file("a.yaml", "it is wrong");
    assert_eq!(bare.to_string(), "a.yaml: it is wrong");
}

/// F2: machines get every field, always.
#[test]
fn problem_serializes_with_six_fields() {
    assert_eq!(
        serde_json::to_string(&example()).unwrap(),
        r#"{"file":"a.yaml","line":2,"column":1,"path":"x[1].y","message":"it is wrong","suggestion":"fix it"}"#
    );
    let problems = Problems::from(Problem::of_file("a", "b"));
    let fields = json!([{
        "file": "a", "line": null, "column": null, "path": "", "message": "b", "suggestion": null,
    }]);
    assert_eq!(serde_json::to_value(problems).unwrap(), fields);
}

/// F2: a problem has its text and span.
#[test]
fn problem_has_its_source_line() {
    let problem = example();
    let source = problem.source().unwrap();
    assert_eq!(&source.text()[problem.span().unwrap()], "yy");
    assert!(Problem::of_file("a", "b").source().is_none());
}

/// F2: several are one error, a line each.
#[test]
fn problems_display_as_one_line_each() {
    assert!(Problems::into_result(Vec::new()).is_ok());
    let problems = Problems::into_result(vec![example(), Problem::of_file("b", "c")]).unwrap_err();
    assert_eq!(problems.to_string(), "a.yaml:2:1: x[1].y: it is wrong; fix it\nb: c");
    assert_eq!(problems.as_slice().len(), problems.iter().count());
    assert_eq!((&problems).into_iter().count(), problems.into_iter().count());
}

/// F2: a file with a million problems is listed of by its first.
#[test]
fn problems_over_a_thousand_are_counted() {
    let source = Source::new("f", "");
    let mut findings = Findings::new(&source);
    for number in 0..1234 {
        findings.add(|| Problem::of_file("f", number.to_string()));
    }
    let listed = findings.finish();
    assert_eq!(listed.len(), 1001);
    assert_eq!(listed[999].message, "999");
    assert_eq!(
        listed[1000].to_string(),
        "f: 234 more problems are not listed; fix the listed ones \
                                        first"
    );
}

/// F2: a file cannot send control characters to a terminal.
#[test]
fn quoted_file_text_is_short_and_escaped() {
    assert_eq!(excerpt("a\u{1b}[2J\n"), "a\\u{1b}[2J\\n");
    assert_eq!(excerpt(&"ä".repeat(100)), format!("{}…", "ä".repeat(60)));
}
