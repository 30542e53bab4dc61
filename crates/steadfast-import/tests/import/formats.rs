//! The systems that are known, and how a text is known to be of one.

use serde_json::json;
use steadfast::file::Source;
use steadfast_import::ImportFormat;

use super::{FIXTURES, fixture, read};

/// F5: people name a format in a command.
#[test]
fn format_is_found_by_its_name() {
    for format in ImportFormat::ALL {
        assert_eq!(format.name().parse(), Ok(format));
        assert!(!format.about().is_empty());
    }
    let error = "step-function".parse::<ImportFormat>().unwrap_err();
    assert!(error.to_string().ends_with("did you mean `step-functions`?"), "{error}");
}

/// F5: people have a file, not the name of its format.
#[test]
fn format_of_every_fixture_is_detected() {
    for (name, format) in FIXTURES {
        let source = Source::new(name, &fixture(name));
        assert_eq!(ImportFormat::detect(&source), Some(format), "{name}");
    }
}

#[test]
fn format_of_unrelated_text_is_not_detected() {
    assert_eq!(ImportFormat::detect(&Source::new("a", "name: a\nport: 80\n")), None);
    assert_eq!(ImportFormat::detect(&Source::new("a", "")), None);
}

/// F5: machines get the same facts as people.
#[test]
fn import_serializes_to_json() {
    let text = r#"[{"ErrorEquals": ["States.ALL"], "Comment": "all"}]"#;
    let imported = read(ImportFormat::StepFunctions, text);
    assert_eq!(
        serde_json::to_value(&imported).unwrap(),
        json!({
            "format": "step-functions",
            "file": "settings",
            "policies": [{"id": "retry", "fields": {
                "max_retries": 3, "backoff_type": "exponential", "base_delay": "1s",
                "multiplier": 2, "max_delay": "4s", "jitter": "none", "retry_on": ["any"],
            }}],
            "mappings": [],
            "unsupported": [{"line": 1, "column": 34, "path": "[0].Comment", "what": "Comment",
                      "reason": "not related to retries"}],
        })
    );
}
