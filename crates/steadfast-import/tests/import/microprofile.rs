//! MicroProfile and SmallRye (seed S0).

use std::time::Duration;

use steadfast::policy::Draft;
use steadfast_import::ImportFormat::MicroProfile;

use super::{bands, delays, file, policy, problems_of, read, read_fixture, rules, unsupported};

/// P6: S0's own file waits 500, 1000 and 2000 ms, each up to 100 ms longer, 30 s in all: the
/// preset `sql`.
#[test]
fn file_of_s0_equals_the_preset_sql() {
    let imported = read_fixture("s0.properties");
    let sql = Draft::preset("sql").unwrap().build().unwrap();
    let own = policy(&imported, "default");
    assert_eq!(own.timing(), sql.timing());
    assert_eq!(own.max_attempts(), sql.max_attempts());
    assert_eq!(own.max_duration(), sql.max_duration());
    assert_eq!(own.rules(), sql.rules());
    assert_eq!(bands(&imported, "default"), [(500, 600), (1000, 1100), (2000, 2100)]);
}

/// F5: a class has its own number and inherits the rest.
#[test]
fn class_setting_overrides_the_global_one() {
    let imported = read_fixture("s0.properties");
    assert_eq!(delays(&imported, "AgeGraphStorage"), [500, 1000, 2000, 4000, 8000]);
    let [mapping] = &imported.mappings[..] else { panic!("{:?}", imported.mappings) };
    assert_eq!(mapping.operation, "br/edu/ifba/lightrag/storage/impl/AgeGraphStorage");
    assert_eq!((mapping.case.as_str(), mapping.policy.as_str()), ("default", "AgeGraphStorage"));
}

/// F5: what S0 says of SmallRye is not what SmallRye says, and what an annotation says is not
/// in the file.
#[test]
fn assumptions_are_listed() {
    assert_eq!(
        unsupported(&read_fixture("s0.properties")),
        [
            "6:1: smallrye.faulttolerance.global.retry.max-retries: the retried exceptions: \
             retryOn is not set and annotations are not available: the default rules apply; set \
             retry_on: [any] to retry every exception",
            "7:1: smallrye.faulttolerance.global.retry.delay: the growth of delays: read as \
             doubling; set backoff_type: fixed if no annotation is @ExponentialBackoff",
        ]
    );
}

/// F5: MicroProfile's own spelling has MicroProfile's own meaning: the same delay every time.
#[test]
fn delay_unit_of_the_specification_is_accepted() {
    let imported = read_fixture("microprofile.properties");
    assert_eq!(bands(&imported, "default"), [(1000, 1200); 4]);
    assert_eq!(policy(&imported, "default").max_duration(), Some(Duration::from_secs(180)));
    assert!(!policy(&imported, "Mail").is_enabled());
}

/// F5: a method's settings lie over the global ones; exponential and Fibonacci delays are
/// SmallRye's.
#[test]
fn backoffs_are_imported() {
    let imported = read_fixture("microprofile.properties");
    assert_eq!(bands(&imported, "Orders-ship"), [(200, 200), (600, 600)]);
    assert_eq!(delays(&imported, "Stock"), [1000, 2000, 3000, 4000, 4000, 4000]);
    assert_eq!(policy(&imported, "Stock").max_duration(), None, "0 is no limit");
}

/// F5: classes of exceptions become rules by type.
#[test]
fn classes_become_rules() {
    let imported = read_fixture("microprofile.properties");
    let orders = policy(&imported, "Orders");
    assert_eq!(orders.max_attempts(), u32::MAX);
    assert_eq!(orders.attempt_timeout(), Some(Duration::from_millis(2500)));
    let (retry_on, abort_on) = rules(&imported, "Orders");
    assert_eq!(retry_on, ["java.io.IOException", "java.util.concurrent.TimeoutException"]);
    assert_eq!(abort_on, ["com.example.OrderRejected"]);
    let all = read(MicroProfile, "Retry/retryOn=java.lang.Exception\nRetry/abortOn=Bad,a.B$C\n");
    assert_eq!(rules(&all, "default"), (vec!["any".into()], vec!["Bad".into(), "a.B.C".into()]));
}

/// G1, F5: a circuit breaker's window must be full before it opens.
#[test]
fn circuit_breaker_is_imported() {
    let imported = read_fixture("microprofile.properties");
    let stock = policy(&imported, "Stock");
    let breaker = stock.breaker().unwrap();
    assert_eq!((breaker.window_calls, breaker.minimum_volume), (Some(10), Some(10)));
    assert_eq!((breaker.failure_rate, breaker.timeout), (Some(0.75), Duration::from_secs(1)));
    assert_eq!((breaker.probes, breaker.success_threshold), (2, 2));
    assert!(breaker.count_final, "every exception counts");
}

/// F5, O5: every line is understood or listed, and a secret is not shown.
#[test]
fn unrelated_lines_are_listed() {
    let imported = read_fixture("microprofile.properties");
    let jitter = "downward jitter: a policy adds jitter; MicroProfile also subtracts it";
    let classes = "subclasses: a rule matches one type only; add the subclasses that matter";
    assert_eq!(
        unsupported(&imported),
        [
            "2:1: quarkus.datasource.password: not a setting of an annotation".to_owned(),
            "3:1: Retry/maxRetries: the retried exceptions: retryOn is not set and annotations \
             are not available: the default rules apply; set retry_on: [any] to retry every \
             exception"
                .to_owned(),
            format!("3:1: Retry/maxRetries: {jitter}"),
            "6:1: com.example.Orders/Retry/maxRetries: unlimited retries: a policy has an \
             attempt limit; it gets the largest"
                .to_owned(),
            format!("6:1: com.example.Orders/Retry/maxRetries: {jitter}"),
            format!("7:1: com.example.Orders/Retry/retryOn: {classes}"),
            format!("9:1: com.example.Orders/Retry/abortOn: {classes}"),
            format!("17:1: com.example.Stock/Retry/maxRetries: {jitter}"),
            "25:1: com.example.Stock/CircuitBreaker/skipOn: a breaker counts every failure; \
             classify exceptions in code"
                .to_owned(),
            format!("26:1: com.example.Mail/Retry/enabled: {jitter}"),
            "27:1: com.example.Mail/Bulkhead/value: a policy does not limit concurrency".to_owned(),
            "28:1: com.example.Mail/Retry/maxRetrys: unknown member; did you mean `maxRetries`?"
                .to_owned(),
        ]
    );
    assert!(!imported.to_yaml().contains("hunter2"));
}

/// F5: of two spellings SmallRye's wins, and the most specific target wins over both.
#[test]
fn most_specific_setting_takes_precedence() {
    let text = "Retry/maxRetries=1\nsmallrye.faulttolerance.global.retry.max-retries=2\n\
                smallrye.faulttolerance.\"a.B/c\".retry.max-retries=7\n\
                smallrye.faulttolerance.\"a.B/c\".retry.jitter=1\n\
                smallrye.faulttolerance.\"a.B/c\".retry.jitter-unit=SECONDS\n";
    let imported = read(MicroProfile, text);
    assert_eq!(policy(&imported, "default").max_attempts(), 3);
    assert_eq!(policy(&imported, "B-c").max_attempts(), 8);
    assert_eq!(bands(&imported, "B-c")[0], (0, 1000));
}

/// F5: one switch turns everything off.
#[test]
fn disabled_fault_tolerance_stays_disabled() {
    let text = "MP_Fault_Tolerance_NonFallback_Enabled=false\nRetry/maxRetries=5\n";
    assert!(!policy(&read(MicroProfile, text), "default").is_enabled());
}

/// F5: a key without a class in it still leads to a file that is accepted.
#[test]
fn target_without_a_name_is_called_unnamed() {
    let imported = read(MicroProfile, "/Retry/maxRetries=1\n//Retry/maxRetries=2\n");
    let names: Vec<_> = file(&imported).mapped().iter().map(|m| m.name.clone()).collect();
    assert_eq!(names, ["microprofile.unnamed.default", "microprofile.unnamed.unnamed"]);
}

/// F2, F5: what cannot be read is refused where it stands.
#[test]
fn invalid_values_are_reported_with_their_positions() {
    let text = "Retry/maxRetries = many\nRetry/delay=-5\nRetry/delayUnit=MILIS\n\
                Retry/jitter=soon\nRetry/enabled=yes\nRetry/jitter=1\n";
    assert_eq!(
        problems_of(MicroProfile, text),
        [
            "f:6:1: Retry/jitter: duplicate key, first at line 4, column 1; remove one of the \
             two",
            "f:5:15: Retry/enabled: expected true or false, not `yes`",
            "f:1:20: Retry/maxRetries: expected a number, not `many`",
            "f:3:17: Retry/delayUnit: `MILIS` is not one of NANOS, MICROS, MILLIS, SECONDS, \
             MINUTES, HOURS, HALF_DAYS, DAYS; did you mean `MILLIS`?",
            "f:4:14: Retry/jitter: `soon` is not an integer; write milliseconds, like 500",
        ]
    );
    assert_eq!(
        problems_of(MicroProfile, "Retry/delay=5000\nRetry/maxDuration=1000\n"),
        ["f:2:19: Retry/maxDuration: invalid policy: max_duration 1s is shorter than base_delay \
          5s; change it here, or in the policy file after the import"]
    );
}
