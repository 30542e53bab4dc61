//! F5: the schema for editors says what the reader does.

use serde_json::{Value, json};
use steadfast::file::{Format, Policies, Source, schema};

fn validator() -> jsonschema::Validator {
    jsonschema::validator_for(&schema()).unwrap()
}

fn file(policy: Value) -> Value {
    json!({"version": "1.1.0", "policies": {"p": policy}})
}

/// F5: S4's file is valid.
#[test]
fn example_matches_the_schema() {
    let example: Value = serde_json::from_str(include_str!("data/s4_completed.json")).unwrap();
    let errors: Vec<_> = validator().iter_errors(&example).map(|error| error.to_string()).collect();
    assert_eq!(errors, [""; 0]);
}

/// F5: what the reader accepts the schema accepts, and the other way round, for each field.
#[test]
fn schema_and_parser_accept_the_same_files() {
    let values = [
        json!(null),
        json!(true),
        json!(0),
        json!(1),
        json!(0.5),
        json!(-1),
        json!("full"),
        json!("fixed"),
        json!("5xx"),
        json!(["5xx", 503]),
        json!([]),
        json!({}),
        json!({"rate_limited": {"base_delay": 1}}),
        json!({"threshold": 1}),
        json!({"ratio": 0.5}),
        json!({"max_attempts": 2}),
        json!({"unheard": 1}),
    ];
    let validator = validator();
    for field in steadfast::policy::FIELDS {
        for value in &values {
            let document = file(json!({field.name: value}));
            let source = Source::new("steadfast.json", &document.to_string());
            let problems = Policies::parse(&source, Format::Json).err();
            let fits = validator.is_valid(&document);
            // What a schema cannot say: the grammar of durations and rules, two fields together,
            // an id that is the key.
            let beyond = problems.as_ref().is_some_and(|problems| {
                let text = problems.to_string();
                [
                    "a duration",
                    "not a rule",
                    "schedule",
                    "one kind of budget",
                    "the id differs",
                    "base_delay 1s",
                ]
                .iter()
                .any(|words| text.contains(words))
            });
            assert!(
                fits == problems.is_none() || beyond,
                "{document}: fits {fits}, but {problems:?}"
            );
        }
    }
}

/// F5: a misspelt field is marked.
#[test]
fn schema_rejects_unknown_keys() {
    let validator = validator();
    assert!(validator.is_valid(&file(json!({}))));
    assert!(!validator.is_valid(&file(json!({"max_atempts": 1}))));
    assert!(!validator.is_valid(&json!({"version": "2.0.0", "policies": {}})));
    assert!(!validator.is_valid(&json!({"policies": {}})));
    assert!(validator.is_valid(&json!({"version": "1.0.0", "policies": {}, "x-mine": 1})));
}

/// F5: a key with nothing under it is what a file begins as, in all three places.
#[test]
fn empty_key_matches_the_schema() {
    let document = json!({"version": "1.1.0", "global_defaults": null, "policies": null,
        "subsystem_mappings": null});
    let source = Source::new("steadfast.json", &document.to_string());
    assert!(Policies::parse(&source, Format::Json).is_ok() && validator().is_valid(&document));
}
