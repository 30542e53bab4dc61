//! Properties of all policies, faults and histories.

#![cfg(feature = "serde")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

#[allow(dead_code, reason = "no store is needed here")]
mod common;

use std::time::Duration;

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use steadfast::decide::{Decision, Progress, SessionLimits};
#[cfg(feature = "http")]
use steadfast::fault::RetrySignals;
use steadfast::guard::{BreakerSettings, BudgetSettings};
use steadfast::judge::{self, Judgement, Rule, Rules};
use steadfast::policy::{BackoffType, Draft, FIELDS, Nested, Setting};
use steadfast::{Class, Fault, GrpcCode, Hint, Jitter, Kind, Moment, Policy, Reason, duration};

use common::ways::{Key, Overrun, Place, Scenario};
use common::world::World;

/// From nothing to the longest there is, with the plausible ones in between well covered.
fn any_duration() -> BoxedStrategy<Duration> {
    prop_oneof![
        2 => Just(Duration::ZERO),
        8 => (0..10_000_000_u64).prop_map(Duration::from_micros),
        4 => (0..100_u64).prop_map(|days| Duration::from_secs(days * 86_400)),
        2 => any::<u64>().prop_map(Duration::from_nanos),
        1 => (any::<u64>(), 0..1_000_000_000_u32).prop_map(|(secs, nanos)| Duration::new(secs, nanos)),
        1 => Just(Duration::MAX),
    ]
    .boxed()
}

fn any_number() -> BoxedStrategy<f64> {
    prop_oneof![8 => 0.0..4.0, 2 => Just(1.0), 2 => Just(2.0), 1 => any::<f64>()].boxed()
}

fn any_count() -> impl Strategy<Value = u32> {
    prop_oneof![8 => 0..20_u32, 1 => any::<u32>(), 1 => Just(u32::MAX)]
}

fn any_jitter() -> impl Strategy<Value = Jitter> {
    prop_oneof![
        Just(Jitter::None),
        Just(Jitter::Full),
        Just(Jitter::Equal),
        Just(Jitter::Decorrelated),
        Just(Jitter::Proportional),
        any_duration().prop_map(Jitter::Additive),
    ]
}

fn any_backoff() -> impl Strategy<Value = BackoffType> {
    use BackoffType::*;
    prop::sample::select(vec![Exponential, Linear, Fibonacci, Fixed, Immediate, Custom])
}

/// The timing of a policy, as a change to a draft: absent fields, and absurd ones.
#[derive(Clone, Debug)]
struct Written {
    backoff_type: Option<BackoffType>,
    base_delay: Option<Duration>,
    multiplier: Option<f64>,
    increment: Option<Duration>,
    min_delay: Option<Duration>,
    max_delay: Option<Duration>,
    schedule: Option<Vec<Duration>>,
    jitter: Option<Jitter>,
    jitter_type: Option<Jitter>,
    jitter_amount: Option<f64>,
}

prop_compose! {
    fn any_timing()(
        backoff_type in option::of(any_backoff()),
        base_delay in option::of(any_duration()),
        multiplier in option::of(any_number()),
        increment in option::of(any_duration()),
        min_delay in option::weighted(0.2, any_duration()),
        max_delay in option::weighted(0.3, any_duration()),
        schedule in option::weighted(0.2, vec(any_duration(), 0..4)),
        jitter in option::of(any_jitter()),
        jitter_type in option::weighted(0.2, any_jitter()),
        jitter_amount in option::weighted(0.3, prop_oneof![4 => 0.0..=1.0, 1 => any_number()]),
    ) -> Written {
        Written {
            backoff_type, base_delay, multiplier, increment, min_delay, max_delay, schedule,
            jitter, jitter_type, jitter_amount,
        }
    }
}

impl Written {
    /// Settings without an effect are as welcome as in a file.
    fn into(self, draft: Draft) -> Draft {
        let mut draft = draft.allow_ineffective();
        macro_rules! write {
            ($($field:ident)*) => {
                $(if let Some(value) = self.$field {
                    draft = draft.$field(value);
                })*
            };
        }
        write!(backoff_type base_delay multiplier increment min_delay max_delay schedule);
        write!(jitter jitter_type jitter_amount);
        draft
    }

    /// The same with the faults taken out, so that most of it is valid.
    fn sound(mut self) -> Self {
        self.multiplier =
            self.multiplier.map(|number| number.abs().max(1.0)).filter(|n| n.is_finite());
        self.jitter_amount = self.jitter_amount.filter(|amount| (0.0..=1.0).contains(amount));
        self.schedule = self.schedule.filter(|delays| !delays.is_empty());
        if self.schedule.is_some() || self.backoff_type == Some(BackoffType::Custom) {
            self.backoff_type = self.schedule.is_some().then_some(BackoffType::Custom);
        }
        if self.jitter.is_some() {
            self.jitter_type = None;
        }
        let base = self.base_delay.unwrap_or(Duration::from_secs(1));
        self.max_delay = self.max_delay.map(|cap| cap.max(base));
        let longest = self.longest().0.unwrap_or(Duration::MAX);
        self.min_delay = self.min_delay.map(|floor| floor.min(longest));
        self
    }

    /// The longest delay before additive jitter, and the most that jitter adds.
    fn longest(&self) -> (Option<Duration>, Duration) {
        let base = self.base_delay.unwrap_or(Duration::from_secs(1));
        let uncapped = self.schedule.is_some() || self.backoff_type == Some(BackoffType::Fixed);
        let default = (!uncapped).then(|| base.max(Duration::from_secs(60)));
        let added = match (self.jitter, self.jitter_type) {
            (Some(Jitter::Additive(most)), _) | (None, Some(Jitter::Additive(most))) => most,
            _ => Duration::ZERO,
        };
        (self.max_delay.or(default), added)
    }
}

fn any_rule() -> impl Strategy<Value = String> {
    let known = [
        "5xx",
        "4xx",
        "503",
        "429",
        "http:404",
        "08",
        "40P01",
        "sqlstate:40",
        "timeout",
        "connection",
        "pool",
        "tls",
        "request",
        "io:connection_reset",
        "kind:pool_timeout",
        "grpc:UNAVAILABLE",
        "grpc:RESOURCE_EXHAUSTED",
        "exit:75",
        "TimeoutError",
        "sqlx::Error",
        "type:Error",
        "message:slow",
        "any",
    ];
    prop::sample::select(known.map(str::to_owned).to_vec())
}

fn any_class() -> impl Strategy<Value = Class> {
    prop::sample::select(Class::ALL.to_vec())
}

fn any_breaker() -> BoxedStrategy<BreakerSettings> {
    prop_oneof![
        (any_count(), any_duration()).prop_map(|(n, time)| BreakerSettings::consecutive(n, time)),
        (any_number(), any_count(), any_duration(), any_count()).prop_map(
            |(rate, calls, time, probes)| BreakerSettings::rate_over_calls(rate, calls, time)
                .minimum_volume(calls)
                .probes(probes)
        ),
        (0.01..1.0, any_duration(), any_duration())
            .prop_map(|(rate, window, time)| BreakerSettings::rate_over_time(rate, window, time)),
    ]
    .boxed()
}

fn any_budget() -> BoxedStrategy<BudgetSettings> {
    prop_oneof![
        any_number().prop_map(|retries_per_second| BudgetSettings::Rate { retries_per_second }),
        (any_number(), any_number(), any_duration()).prop_map(|(ratio, min_per_second, window)| {
            BudgetSettings::Ratio { ratio, min_per_second, window }
        }),
        (any_count(), any_number()).prop_map(|(max_tokens, token_ratio)| BudgetSettings::Tokens {
            max_tokens,
            token_ratio
        }),
    ]
    .boxed()
}

fn any_draft_with(timing: impl Strategy<Value = Written> + 'static) -> BoxedStrategy<Draft> {
    let counts = (
        option::of(any_count()),
        option::weighted(0.1, any_count()),
        option::of(any_count()),
        option::of(any::<bool>()),
        option::weighted(0.2, any::<bool>()),
    );
    let times = (
        option::weighted(0.3, any_duration()),
        option::weighted(0.3, any_duration()),
        option::weighted(0.3, any_duration()),
    );
    let rules = (
        option::weighted(0.3, vec(any_rule(), 0..4)),
        option::weighted(0.3, vec(any_rule(), 0..4)),
    );
    let guards = (
        option::weighted(0.2, any_breaker()),
        option::weighted(0.2, any_budget()),
        option::of(prop::sample::select(vec![Nested::Outer, Nested::Inner, Nested::Both])),
    );
    let all = (timing.boxed(), counts, times, rules, guards);
    all.prop_map(|(timing, counts, times, rules, guards)| {
        let mut draft = timing.into(Draft::new().id("p"));
        macro_rules! write {
            ($($field:ident = $value:expr;)*) => {
                $(if let Some(value) = $value {
                    draft = draft.$field(value);
                })*
            };
        }
        write! {
            max_attempts = counts.0;
            max_retries = counts.1;
            max_rate_limit_waits = counts.2;
            idempotent = counts.3;
            enabled = counts.4;
            max_duration = times.0;
            attempt_timeout = times.1;
            max_hint = times.2;
            breaker = guards.0;
            budget = guards.1;
            nested = guards.2;
            retry_on = rules.0.as_ref().map(|rules| rules.iter().map(String::as_str));
            abort_on = rules.1.as_ref().map(|rules| rules.iter().map(String::as_str));
        }
        draft
    })
    .boxed()
}

/// Anything that can be written in code.
fn any_draft() -> BoxedStrategy<Draft> {
    (
        any_draft_with(any_timing()),
        option::weighted(0.3, (any_class(), any_timing())),
        option::weighted(0.2, any_draft_with(any_timing())),
    )
        .prop_map(|(draft, on, durable)| {
            let draft = match on {
                Some((class, timing)) => draft.on(class, |draft| timing.into(draft)),
                None => draft,
            };
            durable.map_or(draft.clone(), |durable| draft.durable(durable))
        })
        .boxed()
}

/// A policy of any kind.
fn any_policy() -> BoxedStrategy<Policy> {
    let sound = || any_timing().prop_map(Written::sound);
    (
        any_draft_with(sound()),
        option::weighted(0.3, (any_class(), sound())),
        option::weighted(0.2, any_draft_with(sound())),
    )
        .prop_filter_map("most are valid", |(draft, on, durable)| {
            let draft = match on {
                Some((class, timing)) => draft.on(class, |draft| timing.into(draft)),
                None => draft,
            };
            durable.map_or(draft.clone(), |durable| draft.durable(durable)).build().ok()
        })
        .boxed()
}

/// A text that may or may not mean something.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        ".{0,12}",
        "[0-9]{1,3}(ms|s|m|h|d|xx)?",
        "-?[0-9.]{1,6}(e[0-9]{1,3})?",
        "(P[0-9]D)?T?[0-9]{0,2}[HMS]?",
        any_rule(),
        prop::sample::select(vec!["true", "false", "NaN", "inf", "full", "custom", "stop", ""])
            .prop_map(str::to_owned),
    ]
}

fn any_field() -> impl Strategy<Value = &'static str> {
    prop::sample::select(FIELDS.iter().map(|field| field.name).collect::<Vec<_>>())
}

fn any_setting() -> BoxedStrategy<Setting> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Setting::Bool),
        any_number().prop_map(Setting::Number),
        any::<f64>().prop_map(Setting::Number),
        any_text().prop_map(Setting::Text),
        any_text().prop_map(Setting::Word),
        Just(Setting::Null),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let field = prop_oneof![
            any_field().prop_map(str::to_owned),
            prop::sample::select(Class::ALL.map(|class| class.name().to_owned()).to_vec()),
            ".{0,8}",
        ];
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Setting::List),
            btree_map(field, inner, 0..4).prop_map(Setting::Map),
        ]
    })
    .boxed()
}

fn any_hint() -> impl Strategy<Value = Hint> {
    prop_oneof![4 => any_duration().prop_map(Hint::After), 1 => Just(Hint::Stop)]
}

fn any_fault() -> BoxedStrategy<Fault> {
    let grpc: Vec<_> = (0..17).filter_map(GrpcCode::from_number).collect();
    let facts = (
        option::weighted(0.3, prop::sample::select(Kind::ALL.to_vec())),
        option::weighted(0.4, prop_oneof![prop::sample::select(vec![429, 503, 404]), any::<u16>()]),
        option::weighted(0.2, "[0-9A-Z]{1,6}"),
        option::weighted(0.2, prop::sample::select(grpc)),
        option::weighted(0.1, any::<i32>()),
        option::weighted(0.3, any_hint()),
        option::weighted(0.2, prop::sample::select(vec!["TimeoutError", "sqlx::Error", "E"])),
        option::weighted(0.1, ".{0,12}"),
        any::<bool>(),
    );
    let one = facts.prop_map(|(kind, http, sql, grpc, exit, hint, name, message, unknown)| {
        let mut fault = sql.map_or_else(Fault::default, |state| Fault::sql(&state));
        fault.kind = kind;
        fault.http_status = http;
        fault.grpc_status = grpc;
        fault.exit_code = exit;
        fault.hint = hint;
        fault.type_name = name.map(Into::into);
        fault.message = message;
        fault.unknown_outcome = unknown && kind.is_some();
        fault
    });
    one.prop_recursive(3, 8, 3, |inner| {
        (inner.clone(), vec(inner, 0..3)).prop_map(|(mut fault, causes)| {
            fault.causes = causes;
            fault
        })
    })
    .boxed()
}

fn any_draws() -> impl Strategy<Value = Vec<u64>> {
    let draw = prop_oneof![4 => any::<u64>(), 1 => Just(0), 1 => Just(u64::MAX)];
    vec(draw, 0..24)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// P2: a draft is either a policy, or something is wrong with it that can be said.
    #[test]
    fn draft_builds_or_reports_problems(draft in any_draft()) {
        let problems = draft.problems();
        for problem in &problems {
            prop_assert!(!problem.field().is_empty() && !problem.to_string().is_empty());
        }
        match draft.build() {
            Ok(policy) => {
                prop_assert!(problems.is_empty());
                prop_assert!(policy.max_attempts() >= 1);
            }
            Err(error) => prop_assert_eq!(Some(error), problems.into_iter().next()),
        }
    }

    /// P1: a policy that travels through JSON arrives as the same policy.
    #[test]
    fn policies_round_trip(policy in any_policy()) {
        let text = serde_json::to_string(&policy).unwrap();
        let arrived: Policy = serde_json::from_str(&text)
            .map_err(|error| TestCaseError::fail(format!("{text}: {error}")))?;
        prop_assert_eq!(&arrived, &policy, "{}", text);
    }

    /// P3, P4: every delay lies within the band that the plan shows.
    #[test]
    fn delays_are_within_their_plan(policy in any_policy(), draws in any_draws()) {
        let mut previous = 0;
        for (planned, draw) in policy.plan().skip(1).zip(draws) {
            let delay = policy.timing().delay(planned.attempt - 1, &mut previous, draw);
            prop_assert!(
                planned.min <= delay && delay <= planned.max,
                "{:?} is outside {:?}..={:?}", delay, planned.min, planned.max
            );
            prop_assert!(planned.total_min <= planned.total_max);
        }
    }

    /// P3: no delay passes the cap, but additive jitter may by its own size.
    #[test]
    fn delays_do_not_exceed_the_cap(
        written in any_timing().prop_map(Written::sound),
        draws in any_draws(),
        retry in prop_oneof![1..40_u32, any::<u32>()],
    ) {
        let (cap, added) = written.longest();
        let policy = written.into(Draft::new()).build().unwrap();
        let cap = cap.unwrap_or(Duration::MAX);
        let mut previous = 0;
        for (step, draw) in (0..).zip(draws) {
            let retry = retry.saturating_add(step);
            prop_assert!(policy.timing().base_delay(retry) <= cap);
            let delay = policy.timing().delay(retry, &mut previous, draw);
            prop_assert!(delay <= cap.saturating_add(added), "{:?} > {:?} + {:?}", delay, cap, added);
        }
    }

    /// P3: delays that grow never shrink, however far they go.
    #[test]
    fn base_delays_never_shrink(
        written in any_timing(),
        mut retries in vec(prop_oneof![1..200_u32, any::<u32>()], 2..20),
    ) {
        // A schedule may shrink, and a multiplier just above one grows by less than a float can
        // represent.
        let written = Written { schedule: None, ..written }.sound();
        let multiplier = written.multiplier.map(|number| (number * 64.0).ceil() / 64.0);
        let multiplier = multiplier.filter(|number| number.is_finite());
        let policy = Written { multiplier, ..written }.into(Draft::new()).build().unwrap();
        retries.sort_unstable();
        let delays = retries.iter().map(|retry| policy.timing().base_delay(*retry));
        prop_assert!(delays.is_sorted());
    }

    /// P2: no value of any field makes reading it panic, and what is read can be judged.
    #[test]
    fn settings_never_panic(
        fields in vec((any_field(), any_setting()), 0..8),
        unknown in ".{0,12}",
        value in any_setting(),
    ) {
        let mut draft = Draft::new();
        for (field, value) in &fields {
            if let Err(error) = draft.set(field, value) {
                prop_assert!(error.to_string().starts_with(field), "{}", error);
            }
        }
        prop_assert!(FIELDS.iter().any(|field| unknown.starts_with(field.name)) || draft.set(&unknown, &value).is_err());
        let _ = draft.problems();
        let _ = draft.build();
    }

    /// P1: the same for a whole policy of any JSON.
    #[test]
    fn json_never_panics(setting in any_setting()) {
        let text = serde_json::to_string(&setting).unwrap();
        let _ = serde_json::from_str::<Policy>(&text);
        let _ = serde_json::from_str::<Fault>(&text);
        let _ = serde_json::from_str::<Hint>(&text);
    }

    /// P2: a duration is written as something that is read as the same duration.
    #[test]
    fn durations_round_trip(length in any_duration()) {
        prop_assert_eq!(duration::parse(&duration::format(length)), Ok(length));
    }

    /// P2: no text makes reading a duration, a hint or a rule panic.
    #[test]
    fn texts_never_panic(text in any_text()) {
        if let Ok(length) = duration::parse(&text) {
            prop_assert_eq!(duration::parse(&duration::format(length)), Ok(length));
        }
        #[cfg(feature = "http")]
        {
            let now = std::time::SystemTime::UNIX_EPOCH;
            let _ = Hint::retry_after(&text, now);
            let _ = RetrySignals::ALL.http_fault(429, |_| Some(text.as_str()), now);
        }
        let _ = Hint::grpc_pushback(&text);
        if let Ok(rule) = text.parse::<Rule>() {
            prop_assert_eq!(rule.to_string().parse::<Rule>(), Ok(rule));
        }
    }

    /// J6: no bytes make reading the details of a gRPC status panic.
    #[test]
    fn status_details_never_panic(bytes in vec(any::<u8>(), 0..64)) {
        let retry_info = [&b"\x0a\x15/google.rpc.RetryInfo\x12"[..], &[bytes.len() as u8], &bytes].concat();
        let status = [&[0x1a, retry_info.len() as u8], &retry_info[..]].concat();
        let _ = (Hint::grpc_retry_info(&bytes), Hint::grpc_retry_info(&status));
    }

    /// J10: a rule is written as what it was read from, in text and in JSON.
    #[test]
    fn rules_round_trip(text in any_rule(), space in " {0,2}") {
        let rule: Rule = format!("{space}{text}{space}").parse().unwrap();
        prop_assert_eq!(rule.as_str(), &text);
        prop_assert_eq!(&rule.to_string().parse::<Rule>().unwrap(), &rule);
        let json = serde_json::to_string(&rule).unwrap();
        prop_assert_eq!(serde_json::from_str::<Rule>(&json).unwrap(), rule);
    }

    /// J1: a fault that travels through JSON arrives as the same facts.
    #[test]
    fn faults_round_trip(fault in any_fault()) {
        let text = serde_json::to_string(&fault).unwrap();
        prop_assert_eq!(serde_json::from_str::<Fault>(&text).unwrap(), fault, "{}", text);
    }

    /// J8, J10: every fault is judged, always alike, and by a rule that is there.
    #[test]
    fn judgement_is_deterministic(
        retry_on in option::of(vec(any_rule(), 0..4)),
        abort_on in vec(any_rule(), 0..4),
        fault in any_fault(),
    ) {
        let read = |texts: &[String]| texts.iter().map(|text| text.parse().unwrap()).collect();
        let rules = Rules::new(retry_on.as_deref().map(read), read(&abort_on));
        let judgement = judge::judge(&rules, &fault);
        prop_assert_eq!(judge::judge(&rules, &fault.clone()), judgement);
        let decided = judgement.matched_by() != steadfast::judge::MatchedBy::Nothing;
        prop_assert_eq!(judgement.rule(&rules).is_some(), decided);
        prop_assert!(decided || judgement.class() == Class::Final);
        prop_assert!(judgement.class() != Class::Final || judgement.hint().is_none());
        let _ = fault.invalidates_connection();
        let _ = fault.to_string();
    }

    /// P2, J2: a session uses no more attempts and hinted waits than its policy has, and ends.
    #[test]
    fn sessions_end(
        policy in any_policy(),
        faults in vec((any_duration(), any_fault()), 1..40),
        draws in any_draws(),
        started in any::<u64>(),
        expires_after in option::of(any_duration()),
        key_in_use in any::<bool>(),
        idempotent in any::<Option<bool>>(),
        max_rate_limit_waits in 0..8_u32,
    ) {
        let mut world = World::new(draws);
        let started = Moment::from_nanos(started);
        let mut terms = SessionLimits::IN_PROCESS
            .started(started)
            .expires_at(expires_after.map(|after| started + after))
            .key_in_use(key_in_use)
            .idempotent(idempotent);
        terms.max_rate_limit_waits = max_rate_limit_waits;
        let mut progress = Progress::default();
        let mut now = started;
        for (took, fault) in faults {
            now = now + took;
            let before = progress;
            let judgement = judge::judge(policy.rules(), &fault);
            let decision = progress.decide(&policy, &terms, now, &judgement, &mut world);
            prop_assert!(progress.attempts <= policy.max_attempts());
            let waits = policy.max_rate_limit_waits().unwrap_or(max_rate_limit_waits);
            prop_assert!(progress.rate_limit_waits <= waits);
            let used = progress.attempts - before.attempts;
            let waited = progress.rate_limit_waits - before.rate_limit_waits;
            prop_assert_eq!(used + waited, 1, "each failure is one or the other");
            match decision {
                Decision::Retry(delay) => {
                    prop_assert!(policy.is_enabled() && judgement.class() != Class::Final);
                    now = now + delay;
                    if let Some(expires_at) = terms.expires_at {
                        prop_assert!(now < expires_at);
                    }
                }
                Decision::GiveUp(reason) => {
                    prop_assert_eq!(used, 1, "a failure that ends a session is an attempt");
                    prop_assert_eq!(judgement.class() == Class::Final, reason == Reason::Final);
                    break;
                }
            }
        }
    }

    /// P3: not even progress that no session could have made leads to a panic.
    #[test]
    fn absurd_progress_never_panics(
        policy in any_policy(),
        attempts in any::<u32>(),
        rate_limit_waits in any::<u32>(),
        previous in any::<u64>(),
        now in any::<u64>(),
        class in any_class(),
        hint in option::of(any_duration()),
        draws in any_draws(),
    ) {
        let row = format!(
            r#"{{"attempts": {attempts}, "rate_limit_waits": {rate_limit_waits}, "previous": {previous}}}"#
        );
        let mut progress: Progress = serde_json::from_str(&row).unwrap();
        let judgement = Judgement::by_code(class, hint);
        let now = Moment::from_nanos(now);
        let _ = Progress::attempt_limit(&policy, &SessionLimits::default(), now);
        let _ = progress.decide(&policy, &SessionLimits::default(), now, &judgement, &mut World::new(draws));
        prop_assert!(progress.attempts >= attempts && progress.rate_limit_waits >= rate_limit_waits);
    }

    /// I1: the core and both drivers do the same, whatever happens.
    #[test]
    fn all_drivers_decide_alike(
        timing in any_timing().prop_map(Written::sound),
        max_attempts in 1..8_u32,
        max_rate_limit_waits in option::of(0..8_u32),
        idempotent in any::<Option<bool>>(),
        enabled in prop::bool::weighted(0.9),
        max_duration in option::weighted(0.3, any_duration()),
        max_hint in option::weighted(0.3, any_duration()),
        rules in (option::weighted(0.3, vec(any_rule(), 0..4)), vec(any_rule(), 0..2)),
        script in vec(
            (
                prop_oneof![Just(Duration::ZERO), (0..5_000_u64).prop_map(Duration::from_millis)],
                option::weighted(0.9, any_fault()),
            ),
            1..12,
        ),
        key in prop::sample::select(vec![Key::Unused, Key::Given, Key::Read]),
        draws in vec(any::<u64>(), 16),
    ) {
        let base = timing.base_delay.unwrap_or(Duration::from_secs(1));
        let mut draft = timing
            .into(Draft::new())
            .max_attempts(max_attempts)
            .enabled(enabled)
            .abort_on(rules.1.iter().map(String::as_str));
        if let Some(waits) = max_rate_limit_waits {
            draft = draft.max_rate_limit_waits(waits);
        }
        if let Some(idempotent) = idempotent {
            draft = draft.idempotent(idempotent);
        }
        if let Some(retry_on) = &rules.0 {
            draft = draft.retry_on(retry_on.iter().map(String::as_str));
        }
        if let Some(longest) = max_hint {
            draft = draft.max_hint(longest);
        }
        if let Some(longest) = max_duration {
            draft = draft.max_duration(longest.max(base));
        }
        let policy = draft.build().unwrap();
        let scenario =
            Scenario { policy, draws, script, key, idempotent: None, place: Place::Process };
        let traces = [Overrun::Runs, Overrun::IsCutOff].map(|overrun| scenario.by_core(overrun));
        prop_assert_eq!(&[scenario.by_blocking(), scenario.by_future()], &traces);
        for ((gave_up, waits), trace) in scenario.unreported().into_iter().zip(&traces) {
            prop_assert_eq!(waits, trace.waits.clone());
            prop_assert_eq!(gave_up.map(|end| (end.reason, end.attempts)), trace.reason.map(|reason| (reason, trace.attempts)));
        }
    }
}
