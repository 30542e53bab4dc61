//! Writing policies for another system: exactly, or not at all.

use steadfast::file::{Format, Policies, Source};
use steadfast_import::ImportFormat::{self, GrpcServiceConfig, Resilience4j};
use steadfast_import::{ImportReport, export};

use super::{file, read, read_fixture};

fn written(format: ImportFormat, policies: &Policies) -> String {
    export(format, policies).unwrap_or_else(|items| panic!("{items:?}"))
}

fn refused(format: ImportFormat, fields: &str) -> Vec<String> {
    let text = format!("version: \"1.1.0\"\npolicies:\n  default: {{{fields}}}\n");
    let policies = Policies::parse(&Source::new("p", &text), Format::Yaml).unwrap();
    let items = export(format, &policies).unwrap_err();
    items.iter().map(ToString::to_string).collect()
}

/// Exports and imports again: the same policies and names.
fn assert_round_trip(format: ImportFormat, imported: &ImportReport) {
    let again = read(format, &written(format, &file(imported)));
    let meanings = |imported: &ImportReport| {
        let policies = imported.policies.iter();
        policies.map(|policy| policy.draft().unwrap().build().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(meanings(&again), meanings(imported));
    assert_eq!(again.mappings, imported.mappings);
}

/// F5: a service config comes back as it was.
#[test]
fn service_config_round_trips() {
    assert_round_trip(GrpcServiceConfig, &read_fixture("grpc.json"));
}

/// F5: Resilience4j's instances come back as they were, with what they inherit written out.
#[test]
fn resilience4j_config_round_trips() {
    assert_round_trip(Resilience4j, &read_fixture("resilience4j.yaml"));
    let text = "resilience4j:\n  retry:\n    instances:\n      \"[a.b]\": {waitDuration: 1s, \
                enableExponentialBackoff: true, exponentialBackoffMultiplier: 1.7, maxAttempts: 8}\n";
    assert_round_trip(Resilience4j, &read(Resilience4j, text));
}

/// F5: what is written is in the other system's own shape.
#[test]
fn service_config_is_exported_as_grpc_reads_it() {
    let text = r#"{"methodConfig": [{"name": [{"service": "a.B", "method": "C"}], "timeout": "1.5s",
        "retryPolicy": {"maxAttempts": 4, "initialBackoff": "0.1s", "maxBackoff": "1s",
        "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}}]}"#;
    let written = written(GrpcServiceConfig, &file(&read(GrpcServiceConfig, text)));
    let mut expected: serde_json::Value = serde_json::from_str(text).unwrap();
    expected["methodConfig"][0]["retryPolicy"]["backoffMultiplier"] = 2.0.into();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&written).unwrap(), expected);
}

/// F5: every reason at once, each with the field that it is about.
#[test]
fn policy_beyond_grpc_is_rejected() {
    let fields = "max_attempts: 9, base_delay: 1s, backoff_type: linear, jitter: full, \
                  abort_on: [4xx], retry_on: [5xx], idempotent: false, budget: {ratio: 0.2}, \
                  breaker: {threshold: 3}, on: {rate_limited: {base_delay: 5s}}";
    let codes = "cannot be exported: only gRPC status codes can be, such as grpc:UNAVAILABLE";
    assert_eq!(
        refused(GrpcServiceConfig, fields),
        [
            "policies.default.on: delays by class: not supported by a service config".to_owned(),
            "policies.default.idempotent: false: not supported by a service config".to_owned(),
            "policies.default.breaker: a breaker: not supported by a service config".to_owned(),
            "policies.default.max_attempts: 9 attempts: gRPC makes at most 5".to_owned(),
            "policies.default.jitter: unsupported jitter: gRPC requires jitter_type \
             proportional with jitter_amount 0.2"
                .to_owned(),
            "policies.default.backoff_type: unsupported backoff: gRPC only supports exponential backoff".to_owned(),
            format!("policies.default.abort_on: 4xx {codes}"),
            format!("policies.default.retry_on: 5xx {codes}"),
            "policies.default.budget: unsupported budget: a service config only supports tokens: \
             max_tokens and token_ratio"
                .to_owned(),
        ]
    );
}

/// F5: every reason at once, each with the field that it is about.
#[test]
fn policy_beyond_resilience4j_is_rejected() {
    let fields = "max_duration: 30s, attempt_timeout: 1s, base_delay: 1500us, jitter: equal, \
                  abort_on: [TimeoutError], budget: {ratio: 0.2}, breaker: {threshold: 3}";
    let module = "not supported by Resilience4j's retry module";
    let none = "not supported by Resilience4j";
    assert_eq!(
        refused(Resilience4j, fields),
        [
            format!("policies.default.max_duration: a session deadline: {module}"),
            format!("policies.default.attempt_timeout: an attempt timeout: {module}"),
            format!("policies.default.budget: a budget: {module}"),
            "policies.default.base_delay: a fraction of a millisecond: Resilience4j uses whole \
             milliseconds"
                .to_owned(),
            "policies.default.jitter: unsupported jitter: Resilience4j only supports proportional \
             jitter"
                .to_owned(),
            "policies.default.retry_on: the default rules cannot be exported; set retry_on to \
             exception classes, or to `any`"
                .to_owned(),
            "policies.default.abort_on: TimeoutError cannot be exported: only exception classes can be"
                .to_owned(),
            format!(
                "policies.default.breaker.threshold: opening after consecutive failures: {none}"
            ),
            format!(
                "policies.default.breaker.failure_rate: a breaker without a failure rate: \
                     {none}"
            ),
            format!(
                "policies.default.breaker.count_final: excluding final errors from the count: \
                     {none}"
            ),
            "policies.default.breaker: excluding slow calls from the count: Resilience4j always \
             counts slow calls; set slow_call_threshold and slow_call_rate"
                .to_owned(),
        ]
    );
}

/// F5: the other five can only be read.
#[test]
fn export_to_other_systems_is_rejected() {
    for format in ImportFormat::ALL {
        if !matches!(format, GrpcServiceConfig | Resilience4j) {
            assert_eq!(refused(format, "").len(), 1);
        }
    }
}
