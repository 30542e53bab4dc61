//! Files that mean harm.

use std::fmt::Write as _;
use std::thread;
use std::time::{Duration, Instant};

use super::super::Format::{self, Json, Toml, Yaml};
use super::super::limits::{MAX_BYTES, MAX_DEPTH, MAX_NODES};
use super::super::tree::parse;
use super::super::{Problem, Source};
use super::{plain, problems, tree};

/// Far more than any of these takes, and far less than what they ask for.
const PATIENCE: Duration = Duration::from_secs(20);

/// The one problem of a text, found on a small stack and soon.
#[track_caller]
fn problem(text: String, format: Format) -> Problem {
    let began = Instant::now();
    let (tree, mut problems) = on_small_stack(move || parse(&Source::new("f", &text), format));
    assert_eq!(tree, None);
    assert_eq!(problems.len(), 1, "{}", problems[0]);
    assert!(began.elapsed() < PATIENCE);
    problems.remove(0)
}

fn on_small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = thread::Builder::new().stack_size(256 * 1024);
    thread.spawn(work).unwrap().join().unwrap()
}

/// F2: brackets, indentation and dots do not exhaust the stack.
#[test]
fn file_over_the_depth_limit_is_rejected() {
    let deep = 100_000;
    let indented: String = (0..2_000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    let dots = vec!["a"; deep].join(".");
    for (format, text) in [
        (Yaml, "[".repeat(deep)),
        (Yaml, "{a: ".repeat(deep)),
        (Yaml, "- ".repeat(deep)),
        (Yaml, "? ".repeat(deep)),
        (Yaml, indented),
        (Yaml, "[".repeat(deep) + &"]".repeat(deep)),
        (Json, "[".repeat(deep)),
        (Json, "{\"a\":".repeat(deep)),
        (Json, "[".repeat(deep) + &"]".repeat(deep)),
        (Toml, format!("{dots} = 1")),
        (Toml, format!("[{dots}]")),
        (Toml, format!("[[{dots}]]")),
        (Toml, format!("a = {{ {dots} = 1 }}")),
        (Toml, format!("[[a]]\n[a.{dots}]\n[a]\n")),
        (Toml, format!("[]\n{dots} = 1\n")),
        (Toml, format!("a = {}", "[".repeat(deep))),
        (Toml, format!("a = {}{}", "[".repeat(deep), "]".repeat(deep))),
        (Toml, format!("a = {}", "{a = ".repeat(deep))),
    ] {
        let beginning: String = text.chars().take(20).collect();
        let problem = problem(text, format);
        assert_eq!(problem.message, TOO_DEEP, "{beginning}");
        assert!(problem.line.is_some(), "{beginning}");
    }
}

/// F2: the bound is the same in all three, and what is within it is safe.
#[test]
fn file_at_the_depth_limit_is_read() {
    let texts = |depth| {
        let list = |depth| "[".repeat(depth) + &"]".repeat(depth);
        let dots = vec!["a"; depth - 1].join(".");
        [
            (Yaml, list(depth)),
            (Yaml, "{a: ".repeat(depth) + &"}".repeat(depth)),
            (Json, list(depth)),
            (Json, "{\"a\":".repeat(depth - 1) + "{}" + &"}".repeat(depth - 1)),
            (Toml, format!("a = {}", list(depth - 1))),
            (Toml, format!("{dots} = {{}}")),
            (Toml, format!("[{dots}]")),
            (Toml, "a={".repeat(depth - 1) + &"}".repeat(depth - 1)),
        ]
    };
    for (format, text) in texts(MAX_DEPTH) {
        on_small_stack(move || drop(tree(&text, format)));
    }
    for (format, text) in texts(MAX_DEPTH + 1) {
        let problem = problem(text, format);
        assert_eq!(problem.message, TOO_DEEP);
    }
}

/// F2
#[test]
fn file_over_the_value_limit_is_rejected() {
    let items = "1,".repeat(MAX_NODES);
    let keys: String = (0..=MAX_NODES).fold(String::new(), |mut text, key| {
        writeln!(text, "k{key} = 1").unwrap();
        text
    });
    for (format, text) in [
        (Yaml, format!("[{items}1]")),
        (Json, format!("[{items}1]")),
        (Toml, format!("a = [{items}1]")),
        (Toml, keys),
        (Toml, "[]\n".repeat(MAX_NODES + 1)),
        (Toml, ".\n".repeat(MAX_BYTES / 2)),
    ] {
        let problem = problem(text, format);
        assert_eq!(problem.message, "the file has more than 100000 values");
    }
    let items = "1,".repeat(MAX_NODES - 2);
    tree(&format!("[{items}1]"), Yaml);
    tree(&format!("[{items}1]"), Json);
}

/// F2: a text that did not come from a file is bounded, too.
#[test]
fn text_over_the_size_limit_is_rejected() {
    for format in [Yaml, Json, Toml] {
        let problem = problem(" ".repeat(MAX_BYTES + 1), format);
        assert_eq!(problem.message, "the file is larger than 8 MiB");
    }
}

const TOO_DEEP: &str = "nesting is deeper than 32 levels";

const TOO_FAR: &str = "this alias expands beyond the limit of 100000 values and 8 MiB of text";

/// F2: nine lists of nine aliases to the list before: a kilobyte that means a billion values.
#[test]
fn alias_expansion_over_the_limit_is_rejected() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..10 {
        let before = vec![format!("*a{}", level - 1); 9].join(", ");
        writeln!(text, "a{level}: &a{level} [{before}]").unwrap();
    }
    let problem = problem(text, Yaml);
    assert_eq!(problem.message, TOO_FAR);
    // The first five lines make 74 733 values, and the list before makes 66 430.
    assert_eq!((problem.line, problem.column), (Some(6), Some(10)));
    assert_eq!(problem.path, "a5[0]");
}

/// F2: what is merged and gives way is work all the same.
#[test]
fn merge_expansion_over_the_limit_is_rejected() {
    let keys: String = (0..500).map(|key| format!("k{key}: 1, ")).collect();
    let mut text = format!("m: &m {{{keys}}}\n");
    for map in 0..300 {
        writeln!(text, "m{map}: {{<<: [*m, *m]}}").unwrap();
    }
    assert_eq!(problem(text, Yaml).message, TOO_FAR);
}

/// F1: what gave way is not merged again.
#[test]
fn merging_merged_maps_does_not_multiply() {
    let mut text = "m0: &m0 {a: 1, b: 2}\n".to_owned();
    for level in 1..20 {
        let before = vec![format!("*m{}", level - 1); 9].join(", ");
        writeln!(text, "m{level}: &m{level} {{<<: [{before}]}}").unwrap();
    }
    assert_eq!(plain(&tree(&text, Yaml))["m19"], serde_json::json!({"a": "1·", "b": "2·"}));
}

/// F2: few values can be much text.
#[test]
fn repeated_long_text_over_the_limit_is_rejected() {
    let text = format!("a: &a {}\nb: [{}]\n", "x".repeat(1024 * 1024), "*a, ".repeat(50_000));
    assert_eq!(problem(text, Yaml).message, TOO_FAR);
    let text =
        format!("a: &a\n  ? {}\n  : 1\nb: [{}]\n", "x".repeat(1024 * 1024), "*a, ".repeat(20_000));
    assert_eq!(problem(text, Yaml).message, TOO_FAR);
}

/// F2: an alias brings its depth along.
#[test]
fn aliases_over_the_depth_limit_are_rejected() {
    let mut text = "a0: &a0 [[[[[[[[[[x]]]]]]]]]]\n".to_owned();
    for level in 1..10 {
        writeln!(text, "a{level}: &a{level} [[[[[[[[[[*a{}]]]]]]]]]]", level - 1).unwrap();
    }
    let problem = problem(text, Yaml);
    assert_eq!(problem.message, TOO_DEEP);
    assert_eq!(
        (problem.line, problem.path.as_str()),
        (Some(4), "a3[0][0][0][0][0][0][0][0][0][0]")
    );
}

/// F2: a file with too many errors reports the first.
#[test]
fn file_of_errors_stores_a_bounded_number_of_problems() {
    let problem = problem("a\n".repeat(100_000), Toml);
    assert!(problem.message.ends_with("and more than 1000 errors follow"), "{problem}");
    let twice = "a: 1\n".repeat(5_000);
    assert_eq!(problems(&twice, Yaml).len(), 1001);
}

/// F2: a problem that is not listed is counted, without a search for a similar name.
#[test]
fn unlisted_problems_are_only_counted() {
    let many = 90_000;
    let anchors: String = (0..100).map(|name| format!("&anchor-number-{name} 1, ")).collect();
    for (format, text) in [
        (Json, format!("[{}1]", "1e999,".repeat(many))),
        (Yaml, format!("{{a: 1, {}}}", "a: 1, ".repeat(many))),
        (Yaml, format!("[{}]", "!t 1, ".repeat(many))),
        (Yaml, format!("[{anchors}{}]", "*another-number-x, ".repeat(many))),
    ] {
        let beginning: String = text.chars().take(20).collect();
        let began = Instant::now();
        let problems = problems(&text, format);
        assert!(began.elapsed() < PATIENCE, "{beginning}");
        assert_eq!(problems.len(), 1001, "{beginning}");
        assert_eq!(problems[1000].message, "89000 more problems are not listed");
    }
}

/// F2: the copies behind anchors are bounded, although the file itself is within its limits.
#[test]
fn anchored_values_over_the_limit_are_rejected() {
    let anchors: String = (0..20).map(|depth| format!("&a{depth} [")).collect();
    let many = format!("{anchors}{}{}", "1, ".repeat(10_000), "]".repeat(20));
    let long = format!("{anchors}{}{}", "x".repeat(MAX_BYTES / 10), "]".repeat(20));
    for text in [many, long] {
        assert_eq!(
            problem(text, Yaml).message,
            "the values behind anchors exceed the limit of 100000 values and 8 MiB of text, \
             counted once for each anchor"
        );
    }
}

/// F2: each of these is a text that one parser or another goes over more than once.
#[test]
fn any_text_is_parsed_in_bounded_time() {
    for unit in
        ["\"", "'", "a: ", "- ", "? ", "&a ", "*a ", "!t ", "{", "[", "#\n", "\n", "|\n", "\\"]
    {
        for format in [Yaml, Json, Toml] {
            let began = Instant::now();
            problems(&unit.repeat(100_000 / unit.len()), format);
            assert!(began.elapsed() < PATIENCE, "{unit:?} {format:?}");
        }
    }
}
