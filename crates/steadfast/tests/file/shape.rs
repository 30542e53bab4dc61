//! F1: what a file is made of.

use steadfast::file::{Format, Policies, Source};

use super::{good, messages};

/// F1: both versions of the format are read, and no other.
#[test]
fn unsupported_version_is_rejected() {
    let version = |version: &str| format!("version: {version}\npolicies: {{}}\n");
    for supported in ["1.0.0", "\"1.0.0\"", "'1.1.0'", "1.0.7"] {
        good(&version(supported));
    }
    for (unsupported, shown) in [
        ("1.0", "1.0"),
        ("1", "1"),
        ("\"1.2.0\"", "1.2.0"),
        ("2.0.0", "2.0.0"),
        ("one", "one"),
        ("[1]", "a list"),
        ("~", "null"),
    ] {
        let message = format!(
            "steadfast.yaml:1:10: version: unsupported version {shown}; write \"1.0.0\" or \
             \"1.1.0\", in quotes"
        );
        assert_eq!(messages(&version(unsupported)), [message]);
    }
}

/// F2: what a file cannot be without.
#[test]
fn missing_key_is_named() {
    assert_eq!(
        messages("global_defaults: {}\n"),
        [
            "steadfast.yaml:1:1: missing field `version`; start the file with version: \
             \"1.1.0\"",
            "steadfast.yaml:1:1: missing field `policies`; define the policies under \
             policies:",
        ]
    );
}

/// F2: keys at the top, with what was meant; those of the writer's own begin with x-.
#[test]
fn unknown_key_is_rejected() {
    assert_eq!(
        messages("version: '1.1.0'\npolicys: {}\npolicies: {}\ncolour: red\n"),
        [
            "steadfast.yaml:2:1: policys: unknown key; did you mean `policies`?",
            "steadfast.yaml:4:1: colour: unknown key; use version, global_defaults, policies, \
             subsystem_mappings; your own keys must start with x-",
        ]
    );
    good("version: '1.1.0'\nx-common: &c {max_attempts: 4}\npolicies: {a: *c, b: {<<: *c}}\n");
}

/// F1: a policy may say its id, but not another.
#[test]
fn policy_id_is_its_key() {
    good("version: '1.1.0'\npolicies: {a: {id: a}, b: }\n");
    assert_eq!(
        messages("version: '1.1.0'\npolicies: {a: {id: b}}\n"),
        ["steadfast.yaml:2:20: policies.a.id: the id differs from the policy's key; remove it: \
          the id is a"]
    );
    assert_eq!(messages("version: '1.1.0'\npolicies: {'': {}}\n").len(), 1);
}

/// F1: mappings are three levels deep, no more and no less.
#[test]
fn mapping_of_another_depth_is_rejected() {
    let mappings = |text: &str| {
        format!("version: '1.1.0'\npolicies: {{p: {{}}}}\nsubsystem_mappings: {text}\n")
    };
    good(&mappings("{s: {o: {c: p, d: sql}}, empty: , t: {o: }}"));
    for (text, path, message) in [
        ("p", "subsystem_mappings", "expected a map of subsystems, not `p`"),
        ("{s: p}", "subsystem_mappings.s", "expected a map of operations, not `p`"),
        (
            "{s: {o: p}}",
            "subsystem_mappings.s.o",
            "expected a map from cases to policy names, not `p`",
        ),
        ("{s: {o: {c: {d: p}}}}", "subsystem_mappings.s.o.c", "expected a policy name, not a map"),
        ("{s: {o: {c: ~}}}", "subsystem_mappings.s.o.c", "expected a policy name, not null"),
        (
            "{s: {a.b: {c: p}}}",
            "subsystem_mappings.s.a.b",
            "names cannot contain a dot; write a: {b: …}",
        ),
    ] {
        let problems = messages(&mappings(text));
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].ends_with(&format!("{path}: {message}")), "{}", problems[0]);
    }
}

/// F2: a field of a part is nested in it, not written with a dot: so it cannot be there twice.
#[test]
fn field_name_with_a_dot_is_rejected() {
    assert_eq!(
        messages(&super::policy("breaker.threshold: 3, breaker: {threshold: 4, a.b: 5}")),
        [
            "steadfast.yaml:3:7: policies.p.breaker.threshold: names cannot contain a dot; write \
             breaker: {threshold: …}",
            "steadfast.yaml:3:53: policies.p.breaker.a.b: names cannot contain a dot; write a: {b: …}",
        ]
    );
}

/// F1: a rule keeps its letters, whatever YAML could take it for.
#[test]
fn rule_keeps_its_case() {
    let text = super::policy("retry_on: [08, 08003, 2E000, 5xx, 503], abort_on: 22012");
    let policies = good(&text);
    let rules: Vec<_> =
        policies.find("p").rules().retry_on().unwrap().iter().map(|rule| rule.as_str()).collect();
    assert_eq!(rules, ["08", "08003", "2E000", "5xx", "503"]);
}

/// F1: what is not a map at all.
#[test]
fn file_that_is_not_a_map_is_rejected() {
    for text in ["just words", "- a\n- list\n", "42"] {
        let problems = messages(text);
        assert!(
            problems[0].contains("expected a map with version and policies, not "),
            "{problems:?}"
        );
    }
    assert_eq!(messages("").len(), 1);
    let json = Policies::parse(&Source::new("a.json", "[]"), Format::Json).unwrap_err();
    assert!(
        json.to_string()
            .starts_with("a.json:1:1: expected a map with version and policies, not a list"),
        "{json}"
    );
}

/// F1: the file that the guide shows is a good one.
#[test]
fn example_in_the_guide_is_valid() {
    let guide = include_str!("../../../../docs/policy-file.md");
    let (_, from) = guide.split_once("```yaml\n").unwrap();
    let (shown, _) = from.split_once("```").unwrap();
    assert_eq!(good(shown).find("billing.invoice.timeout").max_attempts(), 5);
}
