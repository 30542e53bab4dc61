//! gRPC's service config (proposal A6).

use std::time::Duration;

use steadfast::guard::BudgetSettings;
use steadfast_import::ImportFormat::GrpcServiceConfig;

use super::{bands, delays, file, policy, problems_of, read, read_fixture, rules, unsupported};

/// F5: `initialBackoff`, then times `backoffMultiplier`, up to `maxBackoff`; A6's jitter is a
/// fifth up or down.
#[test]
fn delays_are_those_of_grpc() {
    let imported = read_fixture("grpc.json");
    assert_eq!(delays(&imported, "default"), [1000, 1600]);
    assert_eq!(bands(&imported, "default"), [(800, 1200), (1280, 1920)]);
    assert_eq!(delays(&imported, "Greeter"), [100, 200, 400, 800]);
}

/// F5: gRPC makes five attempts at most, whatever is written.
#[test]
fn max_attempts_are_capped_as_in_grpc() {
    let imported = read_fixture("grpc.json");
    assert_eq!(policy(&imported, "Greeter").max_attempts(), 5);
    assert_eq!(policy(&imported, "default").max_attempts(), 3);
}

/// F5, J10: status codes by name, in any letters, or by number.
#[test]
fn status_codes_become_rules() {
    let (retry_on, _) = rules(&read_fixture("grpc.json"), "Greeter");
    assert_eq!(retry_on, ["grpc:UNAVAILABLE", "grpc:RESOURCE_EXHAUSTED", "grpc:DEADLINE_EXCEEDED"]);
}

/// F5, G3: the deadline spans all attempts, and the throttle is a budget of tokens.
#[test]
fn deadline_and_throttle_are_imported() {
    let imported = read_fixture("grpc.json");
    let default = policy(&imported, "default");
    assert_eq!(default.max_duration(), Some(Duration::from_secs(10)));
    let tokens = BudgetSettings::Tokens { max_tokens: 10, token_ratio: 0.1 };
    assert_eq!(default.budget(), Some(&tokens));
}

/// F5, F6: a method is found before its service, and both before what is for all.
#[test]
fn names_resolve_to_policies_as_in_grpc() {
    let policies = file(&read_fixture("grpc.json"));
    let found = |name| policies.find(name).id().unwrap().to_owned();
    assert_eq!(found("grpc.helloworld/Greeter.SayHello"), "Greeter");
    assert_eq!(found("grpc.helloworld/Greeter.Race"), "Greeter-Race");
    assert_eq!(found("grpc.helloworld/Farewell.SayBye"), "Greeter");
    assert_eq!(found("grpc.helloworld/Farewell.SayHello"), "default");
    let race = policies.find("grpc.helloworld/Greeter.Race");
    assert!(!race.is_enabled(), "a method configured without a retryPolicy is not retried");
}

/// F5: everything else is listed with its line.
#[test]
fn unsupported_settings_are_listed() {
    assert_eq!(
        unsupported(&read_fixture("grpc.json")),
        [
            "2:3: loadBalancingConfig: load balancing is not related to retries".to_owned(),
            "17:7: methodConfig[1].waitForReady: a policy does not wait for a connection; \
             configure the client"
                .to_owned(),
            "19:9: methodConfig[1].retryPolicy.maxAttempts: gRPC caps maxAttempts at 5; imported \
             as 5"
                .to_owned(),
            "28:7: methodConfig[2].hedgingPolicy: hedging is not supported; use a retryPolicy"
                .to_owned(),
            "31:3: retryThrottling: a shared budget: each policy has its own budget; gRPC has \
             one for all methods of a server"
                .to_owned(),
        ]
    );
}

/// F5: gRPC's jitter passes the cap, a policy's does not.
#[test]
fn jitter_above_the_cap_is_listed() {
    let text = r#"{"methodConfig": [{"name": [{}], "retryPolicy": {"maxAttempts": 4,
"initialBackoff": "1s", "maxBackoff": "4s", "backoffMultiplier": 2,
"retryableStatusCodes": ["ABORTED"]}}]}"#;
    let imported = read(GrpcServiceConfig, text);
    assert_eq!(bands(&imported, "default"), [(800, 1200), (1600, 2400), (3200, 4000)]);
    assert_eq!(
        unsupported(&imported),
        ["2:25: methodConfig[0].retryPolicy.maxBackoff: jitter above the cap: gRPC waits up to \
             1.2 times maxBackoff, a policy up to its max_delay"]
    );
}

/// F5: a multiplier below one shrinks the delays; that is a schedule here.
#[test]
fn shrinking_delays_become_a_schedule() {
    let text = r#"{"methodConfig": [{"name": [{}], "retryPolicy": {"maxAttempts": 4,
        "initialBackoff": "1s", "maxBackoff": "0.8s", "backoffMultiplier": 0.5,
        "retryableStatusCodes": ["ABORTED"]}}]}"#;
    assert_eq!(delays(&read(GrpcServiceConfig, text), "default"), [800, 500, 250]);
}

/// F5: a throttle with nothing to throttle is not dropped in silence.
#[test]
fn throttle_without_retries_is_listed() {
    let text = r#"{"methodConfig": [{"name": [{}], "timeout": "1s"}],
"retryThrottling": {"maxTokens": 10, "tokenRatio": 0.1}}"#;
    let imported = read(GrpcServiceConfig, text);
    assert!(!policy(&imported, "default").is_enabled());
    assert_eq!(
        unsupported(&imported),
        ["2:1: retryThrottling: no method has a retryPolicy to throttle"]
    );
}

/// F2, F5: all problems are reported at once.
#[test]
fn invalid_configs_are_rejected() {
    let text = r#"{"methodConfig": [
{"name": [{"method": "M"}], "timeout": "10", "retryPolicy": {"maxAttempts": 1,
"initialBackoff": "100ms", "maxBackoff": 3, "backoffMultiplier": -1,
"retryableStatusCodes": ["UNAVAILBLE", 99]}},
{"name": [{}], "retryPolicy": {}}]}"#;
    let codes = "OK, CANCELLED, UNKNOWN, INVALID_ARGUMENT, DEADLINE_EXCEEDED, NOT_FOUND, \
                 ALREADY_EXISTS, PERMISSION_DENIED, RESOURCE_EXHAUSTED, FAILED_PRECONDITION, \
                 ABORTED, OUT_OF_RANGE, UNIMPLEMENTED, INTERNAL, UNAVAILABLE, DATA_LOSS, \
                 UNAUTHENTICATED";
    let path = "methodConfig[0].retryPolicy";
    let empty = "methodConfig[1].retryPolicy";
    assert_eq!(
        problems_of(GrpcServiceConfig, text),
        [
            "f:2:11: methodConfig[0].name[0]: method without a service; add the service"
                .to_owned(),
            r#"f:2:1: methodConfig[0]: missing field `name`; name its methods, like [{"service": "a.B"}], or all, like [{}]"#.to_owned(),
            format!("f:2:77: {path}.maxAttempts: must be at least 2, not 1; gRPC requires 2 or more; omit the \
                     retryPolicy for one attempt"),
            format!("f:3:19: {path}.initialBackoff: expected a duration, not `100ms`; write seconds, \
                     like 0.25s"),
            format!("f:3:42: {path}.maxBackoff: expected a duration, not 3; write seconds, like 0.25s"),
            format!("f:3:66: {path}.backoffMultiplier: must be greater than 0, not -1"),
            format!("f:4:26: {path}.retryableStatusCodes[0]: `UNAVAILBLE` is not one of {codes}; \
                     did you mean `UNAVAILABLE`?"),
            format!("f:4:40: {path}.retryableStatusCodes[1]: `99` is not one of {codes}"),
            "f:2:40: methodConfig[0].timeout: expected a duration, not `10`; write seconds, like 0.25s"
                .to_owned(),
            format!("f:5:16: {empty}: missing field `maxAttempts`; gRPC requires it"),
            format!("f:5:16: {empty}: missing field `initialBackoff`; gRPC requires it"),
            format!("f:5:16: {empty}: missing field `maxBackoff`; gRPC requires it"),
            format!("f:5:16: {empty}: missing field `backoffMultiplier`; gRPC requires it"),
            format!("f:5:16: {empty}: missing field `retryableStatusCodes`; gRPC requires it"),
        ]
    );
}

/// F5: `{}` is for every method, wherever it stands among the names.
#[test]
fn config_for_all_methods_is_the_default() {
    let text = r#"{"methodConfig": [{"name": [{"service": "a.B"}, {}], "retryPolicy": {
        "maxAttempts": 4, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2,
        "retryableStatusCodes": ["UNAVAILABLE"]}}]}"#;
    let policies = file(&read(GrpcServiceConfig, text));
    for name in ["grpc.a/B.C", "grpc.x/Y.Z"] {
        assert_eq!(policies.find(name).max_attempts(), 4, "{name}");
    }
}
