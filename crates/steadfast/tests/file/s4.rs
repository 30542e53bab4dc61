//! S4's example file: as printed, and completed with the policies that its mappings name.

use std::time::Duration;

use steadfast::file::{Format, Policies, Route, Source};
use steadfast::policy::BackoffType;
use steadfast::{Class, Fault, Jitter, judge};

use super::wrong;

const AS_PRINTED: &str = include_str!("data/s4_as_printed.yaml");
const COMPLETED: &str = include_str!("data/s4_completed.yaml");

fn completed() -> Policies {
    super::good(COMPLETED)
}

/// F2: each mapping that leads nowhere is reported, and with its own place.
#[test]
fn dangling_mappings_of_the_printed_example_are_reported() {
    let problems = wrong(AS_PRINTED);
    let dangling: Vec<_> =
        problems.iter().map(|problem| (problem.line.unwrap(), problem.path.as_str())).collect();
    assert_eq!(
        dangling,
        [
            (59, "subsystem_mappings.browser.state_operations.disk_full"),
            (61, "subsystem_mappings.browser.monitoring_operations.timeout"),
            (62, "subsystem_mappings.browser.monitoring_operations.access_denied"),
            (63, "subsystem_mappings.browser.monitoring_operations.psutil_error"),
            (65, "subsystem_mappings.browser.session_operations.default"),
            (75, "subsystem_mappings.telemetry.batch_processing.default"),
            (77, "subsystem_mappings.telemetry.alerting.notification"),
            (79, "subsystem_mappings.telemetry.simple_retries.default"),
        ]
    );
    assert_eq!(problems[0].message, "unknown policy browser_disk_full");
    assert_eq!(problems[0].column, Some(18));
}

/// F1: the four policies of the example mean what S4 says of them.
#[test]
fn example_policies_have_the_documented_values() {
    let policies = completed();
    for (id, name, attempts, base, cap) in [
        ("browser_state_timeout", "Browser State Timeout Retry", 3, 1, 10),
        ("browser_network_error", "Browser Network Error Retry", 5, 2, 30),
        ("navigation_retry_with_delay", "Navigation Retry With Delay", 3, 2, 30),
        ("telemetry_error_handling", "Telemetry Error Handling Retry", 3, 1, 60),
    ] {
        let policy = policies.by_id(id).unwrap();
        assert_eq!((policy.name(), policy.max_attempts()), (Some(name), attempts));
        assert!(policy.is_enabled() && policy.breaker().is_none());
        let delays: Vec<_> = policy.plan().skip(1).map(|planned| planned.delay).collect();
        let doubled = (0..attempts - 1).map(|retry| Duration::from_secs((base << retry).min(cap)));
        assert_eq!(delays, doubled.collect::<Vec<_>>(), "{id}");
    }
}

/// F1: global defaults reach every policy that does not write its own. A tenth of full jitter
/// takes away at most a tenth of the delay (P4).
#[test]
fn global_defaults_apply_to_every_policy() {
    let policies = completed();
    let explained = policies.explain("browser_state_timeout");
    assert_eq!(explained.value("jitter_type").unwrap().value.to_string(), "`full`");
    assert_eq!(explained.value("jitter_type").unwrap().origin.to_string(), "steadfast.yaml:5");
    let second = policies.find("browser_state_timeout").plan().nth(1).unwrap();
    assert_eq!((second.min, second.max), (Duration::from_millis(900), Duration::from_secs(1)));

    let own = policies.explain("telemetry_batch_processing");
    assert_eq!(own.value("jitter_type").unwrap().value.to_string(), "`equal`");
    assert_eq!(own.value("jitter_amount").unwrap().value.to_string(), "0.5");
}

/// F1: its exceptions are rules by the type's name; where it names none, what is transient is
/// retried.
#[test]
fn listed_exceptions_are_retried() {
    let policies = completed();
    let class = |id: &str, fault: &Fault| judge::judge(policies.find(id).rules(), fault).class();
    let timeout = Fault::default().with_type("TimeoutError");
    let value = Fault::default().with_type("ValueError");
    assert_eq!(class("browser_state_timeout", &timeout), Class::Retryable);
    assert_eq!(class("browser_state_timeout", &value), Class::Final);
    assert_eq!(class("browser_network_error", &timeout), Class::Final);
    assert_eq!(class("navigation_retry_with_delay", &Fault::http(503)), Class::Retryable);
}

/// F6: every name that it maps leads to the policy that it says.
#[test]
fn mappings_resolve_to_the_example_policies() {
    let policies = completed();
    assert_eq!(policies.mapped().len(), 12);
    for mapped in policies.mapped() {
        let (policy, route) = policies.route(&mapped.name);
        assert_eq!((policy.id(), route), (Some(mapped.policy.as_str()), Route::Mapping));
    }
    let (policy, route) = policies.route("telemetry.error_handling.disk_full");
    assert_eq!((policy.id(), route), (Some("telemetry_error_handling"), Route::OperationDefault));
    let (policy, route) = policies.route("browser.state_operations.unheard_of");
    assert_eq!((policy.id(), route), (Some("default"), Route::Default));
}

/// F1: all the types and switches of its schema are read.
#[test]
fn types_and_booleans_are_parsed() {
    let policies = completed();
    let timing = |id: &str| policies.find(id).timing().clone();
    assert_eq!(timing("browser_monitoring_timeout").backoff_type(), BackoffType::Linear);
    assert_eq!(timing("telemetry_alerting_notification").backoff_type(), BackoffType::Fixed);
    assert_eq!(timing("browser_psutil_error").backoff_type(), BackoffType::Immediate);
    assert_eq!(timing("telemetry_simple_retries").jitter(), Jitter::Decorrelated);
    assert!(!policies.find("browser_access_denied").is_enabled());
    let breaker = policies.find("browser_session_default").breaker().unwrap();
    assert_eq!((breaker.threshold, breaker.timeout), (Some(5), Duration::from_secs(60)));
}

/// F1: the same file as JSON and as TOML is the same.
#[test]
fn example_is_equal_in_yaml_json_and_toml() {
    let yaml = completed();
    let json = include_str!("data/s4_completed.json");
    let toml = include_str!("data/s4_completed.toml");
    for (text, format) in [(json, Format::Json), (toml, Format::Toml)] {
        let other = Policies::parse(&Source::new("steadfast", text), format)
            .unwrap_or_else(|problems| panic!("{problems}"));
        assert!(yaml.iter().all(|policy| other.by_id(policy.id().unwrap()) == Some(policy)));
        assert_eq!(yaml.mapped(), other.mapped());
    }
}
