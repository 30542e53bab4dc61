//! Texts that are of no system, or broken, or too much: refused, each with a reason.

use steadfast::file::Source;
use steadfast_import::{ImportFormat, import};

use super::{FIXTURES, fixture, problems_of};

/// F2, F5: an empty text is rejected.
#[test]
fn empty_text_is_rejected() {
    for format in ImportFormat::ALL {
        for text in ["", " \n", "# nothing\n"] {
            assert!(!problems_of(format, text).is_empty(), "{format}: {text:?}");
        }
    }
}

/// F5: a file of another system says so.
#[test]
fn text_without_settings_is_rejected() {
    for format in ImportFormat::ALL {
        assert_eq!(problems_of(format, "\n"), problems_of(format, "name: shop\nport: 80\n"));
        let problems = problems_of(format, "name: shop\nport: 80\n");
        let [problem] = &problems[..] else { panic!("{format}: {problems:?}") };
        let message = format!("no settings of format {format} found");
        assert!(problem.contains(&message), "{format}: {problem}");
        assert!(problem.ends_with("check the format and the file"), "{problem}");
    }
}

/// K4: more than 8 MiB are not read.
#[test]
fn text_over_the_size_limit_is_rejected() {
    let text = "config.max_retries = 3\n".repeat(400_000);
    for format in ImportFormat::ALL {
        let problems = problems_of(format, &text);
        assert_eq!(
            problems,
            ["f: the file is larger than 8 MiB; check that it is the right file, or split it"],
            "{format}"
        );
    }
}

/// K4: brackets do not exhaust the stack.
#[test]
fn text_over_the_depth_limit_is_rejected() {
    for deep in ["[".repeat(100_000), "{\"retry\":".repeat(100_000), "a: {".repeat(100_000)] {
        for format in ImportFormat::ALL {
            assert!(!problems_of(format, &deep).is_empty(), "{format}");
        }
    }
}

/// K4: many settings cost their number, not its square.
#[test]
fn many_classes_are_imported_quickly() {
    let lines = (0..20_000).map(|n| format!("a.b.C{}/m{n}/Retry/maxRetries=1\n", n % 3));
    let imported = super::read(ImportFormat::MicroProfile, &lines.collect::<String>());
    assert_eq!(imported.policies.len(), 20_000);
}

/// F2, F5: a file that ends too early is refused, or read without what is missing; it is never
/// a panic.
#[test]
fn every_prefix_of_a_fixture_parses_or_is_rejected() {
    for (name, format) in FIXTURES {
        let text = fixture(name);
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            let part = Source::new(name, &text[..end]);
            if let Err(problems) = import(format, &part) {
                assert!(problems.iter().all(|problem| !problem.message.is_empty()));
            }
        }
    }
}
