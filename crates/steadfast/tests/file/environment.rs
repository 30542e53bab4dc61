//! F3: the environment's layer.

use steadfast::registry::{Loader, Registry};
use tempfile::TempDir;

const TEXT: &str = r#"
version: "1.1.0"
policies:
  a: {max_attempts: 2}
  a__b: {max_attempts: 2}
  with-dashes.and.dots: {max_attempts: 2}
  off: {enabled: false}
"#;

fn load(variables: &[(&str, &str)]) -> Result<(Registry, TempDir), Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("steadfast.yaml");
    std::fs::write(&path, TEXT).unwrap();
    let variables = variables.iter().map(|(name, value)| (*name, *value));
    match Loader::file(path).variables(variables).unwatched().load() {
        Ok(registry) => Ok((registry, folder)),
        Err(problems) => Err(problems.iter().map(ToString::to_string).collect()),
    }
}

fn messages(variables: &[(&str, &str)]) -> Vec<String> {
    load(variables).unwrap_err()
}

/// F3: the id in capitals, what a variable cannot spell as `_`.
#[test]
fn variable_sets_a_policy_field() {
    let (registry, _folder) = load(&[
        ("STEADFAST_POLICIES__A__MAX_ATTEMPTS", "5"),
        ("STEADFAST_POLICIES__A__B__MAX_ATTEMPTS", "6"),
        ("STEADFAST_POLICIES__WITH_DASHES_AND_DOTS__MAX_RETRIES", "6"),
        ("STEADFAST_POLICIES__A__RETRY_ON", "5xx, 08"),
        ("STEADFAST_POLICIES__A__ON__RATE_LIMITED__BASE_DELAY", "5s"),
        ("STEADFAST_POLICIES__SQL__MAX_ATTEMPTS", "9"),
        ("STEADFAST_CONFIG", "elsewhere.yaml"),
        ("PATH", "/bin"),
    ])
    .unwrap();
    let attempts = |id: &str| registry.policy(id).max_attempts();
    let found = ["a", "a__b", "with-dashes.and.dots", "sql"].map(attempts);
    assert_eq!(found, [5, 6, 7, 9]);
    let policy = registry.policy("a");
    let rules: Vec<_> =
        policy.rules().retry_on().unwrap().iter().map(|rule| rule.as_str()).collect();
    assert_eq!(rules, ["5xx", "08"]);
    let explained = registry.explain("a");
    let origin = &explained.value("on.rate_limited.base_delay").unwrap().origin;
    let variable = "env STEADFAST_POLICIES__A__ON__RATE_LIMITED__BASE_DELAY";
    assert_eq!(origin.to_string(), variable);
}

/// F3: one variable turns all retrying off, presets and the default included.
#[test]
fn variable_disables_all_retries() {
    let (registry, _folder) = load(&[("STEADFAST_ENABLED", "false")]).unwrap();
    for name in ["a", "sql", "no.such.name"] {
        assert!(!registry.policy(name).is_enabled(), "{name}");
    }
    let origin = registry.explain("a").value("enabled").unwrap().origin.to_string();
    assert_eq!(origin, "env STEADFAST_ENABLED");

    let (registry, _folder) = load(&[("STEADFAST_ENABLED", "true")]).unwrap();
    assert!(registry.policy("a").is_enabled() && !registry.policy("off").is_enabled());
}

/// F3: all means all: a variable for one policy does not turn it on again.
#[test]
fn disabling_all_retries_overrides_a_policy_variable() {
    let both = [("STEADFAST_ENABLED", "false"), ("STEADFAST_POLICIES__A__ENABLED", "true")];
    let (registry, _folder) = load(&both).unwrap();
    assert!(!registry.policy("a").is_enabled());
    let origin = registry.explain("a").value("enabled").unwrap().origin.to_string();
    assert_eq!(origin, "env STEADFAST_ENABLED");
}

/// F2: a variable without effect is an error.
#[test]
fn unknown_variable_is_reported() {
    assert_eq!(
        messages(&[("STEADFAST_POLICIES__AB__MAX_ATTEMPTS", "5")]),
        ["env STEADFAST_POLICIES__AB__MAX_ATTEMPTS: unknown policy ab; did you mean \
          `STEADFAST_POLICIES__A__MAX_ATTEMPTS`?"]
    );
    assert_eq!(
        messages(&[("STEADFAST_POLICIES__A__MAX_ATEMPTS", "5")]),
        ["env STEADFAST_POLICIES__A__MAX_ATEMPTS: policies.a.max_atempts: no such field; did you \
          mean `max_attempts`?"]
    );
    assert_eq!(
        messages(&[("STEADFAST_POLICIES__A__MAX_ATTEMPTS", "0")]),
        ["env STEADFAST_POLICIES__A__MAX_ATTEMPTS: policies.a.max_attempts: must be \
          at least 1, not 0"]
    );
    for without_a_field in ["STEADFAST_POLICIES__A", "STEADFAST_POLICIES__"] {
        let found = messages(&[(without_a_field, "5")]);
        assert!(
            found.len() == 1 && found[0].contains("does not name a field of a policy"),
            "{found:?}"
        );
    }
}

/// F2: a switch that is neither on nor off is an error, and said once.
#[test]
fn boolean_variable_is_parsed() {
    assert_eq!(
        messages(&[("STEADFAST_ENABLED", "off")]),
        ["env STEADFAST_ENABLED: expected true or false, not `off`; false turns off all retries"]
    );
}

/// O5, F2: a variable's name cannot command a terminal.
#[test]
fn variable_name_is_escaped_in_problems() {
    let [problem] = &messages(&[("STEADFAST_POLICIES__A__RETRY\u{1b}[2J", "1")])[..] else {
        panic!("one problem");
    };
    assert!(!problem.contains(char::is_control), "{problem:?}");
}
