//! F6: what a name leads to.

use steadfast::file::{Policies, Route};

use super::good;

fn policies() -> Policies {
    good(
        r#"
version: "1.1.0"
policies:
  default: {max_attempts: 1}
  one: {max_attempts: 2}
  other: {max_attempts: 3}
  a.dotted.id: {max_attempts: 4}
subsystem_mappings:
  s:
    o: {c: one, default: other}
    p: {c: one}
  a: {dotted: {id: one}}
"#,
    )
}

fn found(name: &str) -> (u32, Route) {
    let policies = policies();
    let (policy, route) = policies.route(name);
    (policy.max_attempts(), route)
}

#[test]
fn name_resolves_to_a_mapped_case_first() {
    assert_eq!(found("s.o.c"), (2, Route::Mapping));
}

#[test]
fn name_without_a_case_resolves_to_the_operation_default() {
    assert_eq!(found("s.o.else"), (3, Route::OperationDefault));
    assert_eq!(found("s.o.default"), (3, Route::Mapping));
    assert_eq!(found("s.o"), (3, Route::OperationDefault));
    assert_eq!(found("s.o.c.deeper"), (3, Route::OperationDefault));
}

#[test]
fn name_without_a_mapping_resolves_to_the_policy_default() {
    for name in ["s.p.else", "s.p", "s", "x.y.z", "", ".", "...", "s.o.c2\u{0}"] {
        let expected =
            if name.starts_with("s.o") { Route::OperationDefault } else { Route::Default };
        assert_eq!(found(name).1, expected, "{name:?}");
    }
    assert_eq!(found("x.y.z"), (1, Route::Default));
}

#[test]
fn policy_id_takes_precedence_over_a_mapping() {
    assert_eq!(found("one"), (2, Route::Id));
    assert_eq!(found("a.dotted.id"), (4, Route::Id));
    assert_eq!(found("default"), (1, Route::Id));
}

/// P6: the presets are available, unless the file has its own of that name.
#[test]
fn preset_is_found_unless_the_file_redefines_it() {
    assert_eq!(found("patient"), (9, Route::Preset));
    let own = good("version: '1.1.0'\npolicies: {patient: {max_attempts: 2}}");
    assert_eq!(own.find("patient").max_attempts(), 2);
}

/// F6: without a policy `default`, the built-in values and the global defaults are it.
#[test]
fn default_policy_always_exists() {
    let none = good("version: '1.1.0'\nglobal_defaults: {max_attempts: 7}\npolicies: {}");
    assert_eq!(none.find("anything").max_attempts(), 7);
    assert_eq!(none.find("anything").id(), Some("default"));
}

/// F2: a name that was probably meant is known.
#[test]
fn unknown_name_has_a_suggestion() {
    assert_eq!(policies().nearest("s.o.d"), Some("s.o.c"));
    assert_eq!(policies().nearest("something else"), None);
}

/// F6: a policy whose id reads like an operation does not hide that operation's default.
#[test]
fn policy_id_equal_to_an_operation_keeps_the_operation_default() {
    let policies = good(
        "version: '1.1.0'\npolicies: {s.o: {max_attempts: 4}, other: {max_attempts: 7}}\n\
         subsystem_mappings: {s: {o: {default: other}}}\n",
    );
    let found = |name| (policies.find(name).max_attempts(), policies.route(name).1);
    assert_eq!(found("s.o.timeout"), (7, Route::OperationDefault));
    assert_eq!(found("s.o"), (4, Route::Id));
}
