//! Sections 2 and 3 of the specification: counting, delays and giving up, tested on the decision core
//! with given times and random numbers.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::time::Duration;

use steadfast::decide::{self, Decision, DecisionEnv, Progress, SessionLimits};
use steadfast::policy::{BackoffType, Draft};
use steadfast::{Class, Fault, GrpcCode, Hint, Jitter, Kind, Moment, Policy, Reason, judge};

use Decision::{GiveUp, Retry};

const NS: Duration = Duration::from_nanos(1);
const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(86_400);

const LOWEST: u64 = 0;
const MIDDLE: u64 = 1 << 63;
const HIGHEST: u64 = u64::MAX;

/// A session of the decision core, with given failures, times and random numbers.
struct Session {
    policy: Policy,
    terms: SessionLimits,
    progress: Progress,
    now: Moment,
    chance: Chance,
}

struct Chance {
    draw: u64,
    draws: u32,
    budget: bool,
}

impl DecisionEnv for Chance {
    fn draw(&mut self) -> u64 {
        self.draws += 1;
        self.draw
    }

    fn withdraw(&mut self) -> bool {
        self.budget
    }
}

impl Session {
    fn of(draft: Draft) -> Self {
        Self {
            policy: draft.build().unwrap(),
            terms: SessionLimits::IN_PROCESS,
            progress: Progress::default(),
            now: Moment::ORIGIN,
            chance: Chance { draw: MIDDLE, draws: 0, budget: true },
        }
    }

    fn in_store(draft: Draft) -> Self {
        Self { terms: SessionLimits::IN_STORE, ..Self::of(draft) }
    }

    fn with_draw(mut self, draw: u64) -> Self {
        self.chance.draw = draw;
        self
    }

    /// The current attempt fails now.
    fn fail(&mut self, fault: &Fault) -> Decision {
        let judgement = judge::judge(self.policy.rules(), fault);
        let Self { policy, terms, progress, now, chance } = self;
        let decision = progress.decide(policy, terms, *now, &judgement, chance);
        if let Retry(delay) = decision {
            self.now = self.now + delay;
        }
        decision
    }

    /// The current attempt fails after this time.
    fn fail_after(&mut self, took: Duration, fault: &Fault) -> Decision {
        self.now = self.now + took;
        self.fail(fault)
    }

    /// The delays until it gives up, and why it does.
    fn run(&mut self, fault: &Fault) -> (Vec<Duration>, Reason) {
        let mut delays = Vec::new();
        loop {
            match self.fail(fault) {
                Retry(delay) => delays.push(delay),
                GiveUp(reason) => return (delays, reason),
            }
        }
    }

    fn counts(&self) -> (u32, u32) {
        (self.progress.attempts, self.progress.rate_limit_waits)
    }
}

fn unavailable() -> Fault {
    Fault::http(503)
}

fn limited(wait: Duration) -> Fault {
    Fault::http(429).with_hint(Hint::After(wait))
}

fn lost() -> Fault {
    Fault::of(Kind::ConnectionReset).with_unknown_outcome()
}

fn delays(draft: Draft) -> Vec<Duration> {
    Session::of(draft).run(&unavailable()).0
}

/// P3: exponential: base · multiplier^(n−1).
#[test]
fn exponential_delays() {
    let five = Policy::exponential(100 * MS).max_attempts(6);
    assert_eq!(delays(five.clone()), [100, 200, 400, 800, 1600].map(Duration::from_millis));
    assert_eq!(
        delays(five.multiplier(3.0)),
        [100, 300, 900, 2700, 8100].map(Duration::from_millis)
    );
    let flat = Policy::exponential(SECOND).multiplier(1.0).max_attempts(4);
    assert_eq!(delays(flat), [SECOND; 3]);
}

/// P3: linear: base + increment · (n−1), and the increment is the base where it is not written.
#[test]
fn linear_delays() {
    assert_eq!(delays(Policy::linear(SECOND).max_attempts(4)), [1, 2, 3].map(Duration::from_secs));
    let slow = Policy::linear(5 * SECOND).increment(2 * SECOND).max_attempts(4);
    assert_eq!(delays(slow), [5, 7, 9].map(Duration::from_secs));
    let level = Policy::linear(5 * SECOND).increment(Duration::ZERO).max_attempts(4);
    assert_eq!(delays(level), [5 * SECOND; 3]);
}

/// P3: fibonacci: base times 1, 1, 2, 3, 5, 8.
#[test]
fn fibonacci_delays() {
    let seven = Policy::fibonacci(SECOND).max_attempts(7);
    assert_eq!(seven.clone().build().unwrap().timing().backoff_type(), BackoffType::Fibonacci);
    assert_eq!(delays(seven.clone()), [1, 1, 2, 3, 5, 8].map(Duration::from_secs));
    let policy = seven.base_delay(NS).max_delay(Duration::MAX).build().unwrap();
    let numbers = [(50, 12_586_269_025), (93, 12_200_160_415_121_876_738)];
    for (retry, number) in numbers {
        assert_eq!(policy.timing().base_delay(retry), Duration::from_nanos(number));
    }
}

/// P3: the shortest delay holds after jitter, and before it.
#[test]
fn min_delay_is_the_shortest_delay() {
    let full = |draft: Draft| draft.jitter(Jitter::Full).min_delay(1500 * MS);
    assert_eq!(jittered(full, LOWEST), [1500, 1500, 1500]);
    assert_eq!(jittered(full, MIDDLE), [1500, 1500, 2000]);
    assert_eq!(jittered(full, HIGHEST), [1500, 2000, 4000]);
    let proportional = |draft: Draft| draft.jitter(Jitter::Proportional).min_delay(1500 * MS);
    assert_eq!(jittered(proportional, LOWEST), [1500, 1500, 1500]);
    let plain = |draft: Draft| draft.min_delay(1500 * MS);
    assert_eq!(jittered(plain, LOWEST), [1500, 2000, 4000]);
    let immediate = Policy::immediate().min_delay(MS).max_attempts(3);
    assert_eq!(delays(immediate), [MS; 2]);
}

/// P3: fixed: base; immediate: 0.
#[test]
fn fixed_and_immediate_delays() {
    assert_eq!(delays(Policy::fixed(3 * DAY).max_attempts(4)), [3 * DAY; 3]);
    assert_eq!(delays(Policy::immediate().max_attempts(4)), [Duration::ZERO; 3]);
}

/// P3: custom: the schedule, whose last delay repeats if attempts go on.
#[test]
fn custom_delays() {
    let weeks = Policy::custom([7 * DAY, 14 * DAY]);
    assert_eq!(delays(weeks), [7 * DAY, 14 * DAY]);
    let more = Draft::new().schedule([7 * DAY, 14 * DAY]).max_attempts(5);
    assert_eq!(delays(more), [7 * DAY, 14 * DAY, 14 * DAY, 14 * DAY]);
    let uneven = Draft::new().schedule([3 * SECOND, SECOND, 2 * SECOND]).max_attempts(4);
    assert_eq!(delays(uneven), [3, 1, 2].map(Duration::from_secs));
}

/// P3: the cap.
#[test]
fn delays_are_capped() {
    let cap = 5 * SECOND;
    for (draft, last) in [
        (Policy::exponential(SECOND).max_delay(cap), cap),
        (Policy::linear(2 * SECOND).max_delay(cap), cap),
        (Policy::custom([9 * SECOND]).max_delay(cap), cap),
        (Policy::fixed(cap).max_delay(cap), cap),
        (Policy::exponential(SECOND), 60 * SECOND),
        (Policy::fixed(90 * SECOND), 90 * SECOND),
    ] {
        let policy = draft.build().unwrap();
        assert_eq!(policy.timing().base_delay(10), last);
    }
}

/// P2: the default cap is the base delay if that is longer.
#[cfg(feature = "serde")]
#[test]
fn default_cap_is_at_least_base_delay() {
    let mut draft = Draft::new();
    draft.set("base_delay", &"90s".into()).unwrap();
    assert_eq!(draft.build().unwrap().timing().base_delay(10), 90 * SECOND);
}

/// P3: everything saturates: never a panic, a zero or an overflow.
#[test]
fn delays_saturate() {
    let absurd = [1, 2, 63, 64, 65, 10_000, i32::MAX as u32, i32::MAX as u32 + 2, u32::MAX];
    let tenfold = Policy::exponential(SECOND).multiplier(10.0).max_delay(HOUR).build().unwrap();
    assert_eq!(tenfold.timing().base_delay(10_000), HOUR);
    for retry in absurd.into_iter().skip(2) {
        for multiplier in [2.0, 10.0, f64::MAX] {
            let policy = Policy::exponential(NS)
                .multiplier(multiplier)
                .max_delay(Duration::MAX)
                .build()
                .unwrap();
            let delay = policy.timing().base_delay(retry);
            assert!(delay >= 3 * DAY, "{multiplier} {retry}: {delay:?}");
        }
    }
    for retry in absurd {
        let zero = Policy::exponential(Duration::ZERO).multiplier(f64::MAX).build().unwrap();
        assert_eq!(zero.timing().base_delay(retry), Duration::ZERO);
        let doubled = Policy::exponential(Duration::ZERO).build().unwrap();
        assert_eq!(doubled.timing().base_delay(retry), Duration::ZERO);
        let linear = Policy::linear(SECOND).increment(Duration::MAX).max_delay(Duration::MAX);
        assert!(linear.build().unwrap().timing().base_delay(retry) >= SECOND);
        let endless = Policy::fixed(Duration::MAX).jitter(Jitter::Additive(Duration::MAX));
        assert!(endless.build().unwrap().timing().delay(retry, &mut 0, HIGHEST) > 500 * 365 * DAY);
    }
}

/// The delays before the first three retries, 1 s doubling, at this draw.
fn jittered(draft: impl FnOnce(Draft) -> Draft, draw: u64) -> [u128; 3] {
    let draft = draft(Policy::exponential(SECOND).max_attempts(4));
    let (delays, _) = Session::of(draft).with_draw(draw).run(&unavailable());
    [0, 1, 2].map(|index: usize| delays.get(index).unwrap().as_millis())
}

/// P4: full: U(0, d).
#[test]
fn full_jitter() {
    let full = |draft: Draft| draft.jitter(Jitter::Full);
    assert_eq!(jittered(full, LOWEST), [0, 0, 0]);
    assert_eq!(jittered(full, MIDDLE), [500, 1000, 2000]);
    assert_eq!(jittered(full, HIGHEST), [1000, 2000, 4000]);
}

/// P4: equal: d/2 + U(0, d/2).
#[test]
fn equal_jitter() {
    let equal = |draft: Draft| draft.jitter(Jitter::Equal);
    assert_eq!(jittered(equal, LOWEST), [500, 1000, 2000]);
    assert_eq!(jittered(equal, MIDDLE), [750, 1500, 3000]);
    assert_eq!(jittered(equal, HIGHEST), [1000, 2000, 4000]);
}

/// P4: decorrelated: U(base, 3 · previous), the first previous being the base.
#[test]
fn decorrelated_jitter() {
    let decorrelated = |draft: Draft| draft.jitter(Jitter::Decorrelated);
    assert_eq!(jittered(decorrelated, LOWEST), [1000, 1000, 1000]);
    assert_eq!(jittered(decorrelated, MIDDLE), [2000, 3500, 5750]);
    assert_eq!(jittered(decorrelated, HIGHEST), [3000, 9000, 27_000]);
    let capped = |draft: Draft| draft.jitter(Jitter::Decorrelated).max_delay(5 * SECOND);
    assert_eq!(jittered(capped, HIGHEST), [3000, 5000, 5000]);
}

/// P4: additive: d + U(0, jitter), which may pass the cap by its own size and no more.
#[test]
fn additive_jitter() {
    let additive = |draft: Draft| draft.jitter(Jitter::Additive(100 * MS));
    assert_eq!(jittered(additive, LOWEST), [1000, 2000, 4000]);
    assert_eq!(jittered(additive, MIDDLE), [1050, 2050, 4050]);
    assert_eq!(jittered(additive, HIGHEST), [1100, 2100, 4100]);
    let capped = |draft: Draft| additive(draft).max_delay(1500 * MS);
    assert_eq!(jittered(capped, HIGHEST), [1100, 1600, 1600]);
}

/// P4: proportional: d ± amount · d; the cap limits the range, so that capped delays are spread.
#[test]
fn proportional_jitter() {
    let fifth = |draft: Draft| draft.jitter_type(Jitter::Proportional).jitter_amount(0.2);
    assert_eq!(jittered(fifth, LOWEST), [800, 1600, 3200]);
    assert_eq!(jittered(fifth, MIDDLE), [1000, 2000, 4000]);
    assert_eq!(jittered(fifth, HIGHEST), [1200, 2400, 4800]);
    let whole = |draft: Draft| draft.jitter(Jitter::Proportional);
    assert_eq!(jittered(whole, LOWEST), [0, 0, 0]);
    assert_eq!(jittered(whole, HIGHEST), [2000, 4000, 8000]);
    let capped = |draft: Draft| fifth(draft).max_delay(2 * SECOND);
    assert_eq!(jittered(capped, LOWEST), [800, 1600, 1600]);
    assert_eq!(jittered(capped, MIDDLE), [1000, 1800, 1800]);
    assert_eq!(jittered(capped, HIGHEST), [1200, 2000, 2000]);
}

/// P4: d − amount · (d − J).
#[test]
fn jitter_amount_scales_the_draw() {
    let of = |jitter, amount| move |draft: Draft| draft.jitter_type(jitter).jitter_amount(amount);
    assert_eq!(jittered(of(Jitter::Full, 0.0), LOWEST), [1000, 2000, 4000]);
    assert_eq!(jittered(of(Jitter::Full, 0.1), LOWEST), [900, 1800, 3600]);
    assert_eq!(jittered(of(Jitter::Full, 0.1), MIDDLE), [950, 1900, 3800]);
    assert_eq!(jittered(of(Jitter::Full, 1.0), LOWEST), [0, 0, 0]);
    assert_eq!(jittered(of(Jitter::Equal, 0.5), LOWEST), [750, 1500, 3000]);
    // J is 3 s, 9 s, 27 s: above d, and the last drawn J is what the next one is drawn from.
    assert_eq!(jittered(of(Jitter::Decorrelated, 0.5), HIGHEST), [2000, 5500, 15_500]);
    let capped = |draft: Draft| {
        draft.jitter_type(Jitter::Decorrelated).jitter_amount(0.5).max_delay(4 * SECOND)
    };
    assert_eq!(jittered(capped, HIGHEST), [2000, 3000, 4000]);
}

/// P4: jitter never feeds the next base delay.
#[test]
fn jitter_does_not_accumulate() {
    let mut session = Session::of(Policy::exponential(SECOND).max_attempts(9).jitter(Jitter::Full));
    for (draw, delay) in [(LOWEST, 0), (HIGHEST, 2), (LOWEST, 0), (HIGHEST, 8)] {
        session.chance.draw = draw;
        assert_eq!(session.fail(&unavailable()), Retry(delay * SECOND));
    }
}

/// P4, J2: one random number is drawn per delay with jitter, hinted or not, and none otherwise.
#[test]
fn only_jitter_draws() {
    let draws = |draft: Draft, fault: &Fault| {
        let mut session = Session::of(draft.max_attempts(4));
        session.run(fault);
        session.chance.draws
    };
    for fault in [unavailable(), limited(SECOND), limited(Duration::ZERO)] {
        assert_eq!(draws(Policy::fixed(SECOND), &fault), 0);
        assert_eq!(
            draws(
                Policy::fixed(SECOND).jitter_type(Jitter::Full).jitter_amount(0.0),
                &limited(SECOND)
            ),
            0
        );
        assert_eq!(draws(Policy::fixed(SECOND).jitter(Jitter::Full), &fault), 3);
    }
}

/// J2: jitter adds up to a tenth of the hint, at most five seconds, and never shortens it.
#[test]
fn jitter_prolongs_a_hinted_wait() {
    let full = || Policy::fixed(SECOND).jitter(Jitter::Full);
    let wait = |draft: Draft, draw: u64, hint: Duration| {
        Session::of(draft).with_draw(draw).fail(&limited(hint))
    };
    assert_eq!(wait(full(), LOWEST, 30 * SECOND), Retry(30 * SECOND));
    assert_eq!(wait(full(), MIDDLE, 30 * SECOND), Retry(31_500 * MS));
    assert_eq!(wait(full(), HIGHEST, 30 * SECOND), Retry(33 * SECOND));
    assert_eq!(wait(full(), HIGHEST, HOUR), Retry(HOUR + 5 * SECOND), "beyond max_hint");
    let additive = Policy::fixed(SECOND).jitter(Jitter::Additive(MS));
    assert_eq!(wait(additive, HIGHEST, 10 * SECOND), Retry(11 * SECOND));
    let by_class = full().on(Class::RateLimited, |timing| timing.jitter(Jitter::None));
    assert_eq!(wait(by_class, HIGHEST, 10 * SECOND), Retry(10 * SECOND));
}

/// J2: a hint of zero is no wait: the backoff applies, and the attempt counts.
#[test]
fn hint_of_zero_follows_the_backoff() {
    let mut session = Session::in_store(Policy::exponential(SECOND).max_attempts(3));
    let (delays, reason) = session.run(&limited(Duration::ZERO));
    assert_eq!((delays, reason), (vec![SECOND, 2 * SECOND], Reason::AttemptsExhausted));
    assert_eq!(session.counts(), (3, 0));
}

/// P5: a retry that could not start before `max_duration` is over is not waited for.
#[test]
fn retry_past_the_deadline_is_not_waited_for() {
    let started = |took: Duration| {
        let draft = Policy::fixed(SECOND).max_duration(10 * SECOND).max_attempts(99);
        Session::of(draft).fail_after(took, &unavailable())
    };
    assert_eq!(started(9 * SECOND - NS), Retry(SECOND), "just inside");
    assert_eq!(started(9 * SECOND), GiveUp(Reason::OutOfTime), "it would start as time is up");
    assert_eq!(started(20 * SECOND), GiveUp(Reason::OutOfTime));
    let mut session = Session::of(Policy::fixed(SECOND).max_duration(SECOND));
    assert_eq!(session.run(&unavailable()), (vec![], Reason::OutOfTime));
}

/// P5: the same for `expires_at`, whichever comes first.
#[test]
fn expiry_ends_a_session() {
    let expiring = |at: Duration, max_duration: Duration| {
        let mut session = Session::of(Policy::fixed(SECOND).max_duration(max_duration));
        session.terms.expires_at = Some(Moment::ORIGIN + at);
        session.fail(&unavailable())
    };
    assert_eq!(expiring(SECOND + NS, HOUR), Retry(SECOND));
    assert_eq!(expiring(SECOND, HOUR), GiveUp(Reason::OutOfTime));
    assert_eq!(expiring(HOUR, SECOND), GiveUp(Reason::OutOfTime));
}

/// P5: a hint that points past the end is not waited for, either.
#[test]
fn hints_obey_the_deadline() {
    let mut session = Session::of(Policy::fixed(SECOND).max_duration(10 * SECOND));
    assert_eq!(session.fail(&limited(9 * SECOND)), Retry(9 * SECOND));
    assert_eq!(session.fail(&limited(SECOND)), GiveUp(Reason::OutOfTime));
    assert_eq!(session.counts(), (2, 0));
}

/// P2, P5: an attempt's time is what the policy gives it, limited by the rest of the session.
#[test]
fn attempt_timeout_is_limited_by_the_deadline() {
    let limit = |draft: Draft, now: Duration| {
        let policy = draft.build().unwrap();
        Progress::attempt_limit(&policy, &SessionLimits::default(), Moment::ORIGIN + now)
    };
    let three = Policy::immediate().attempt_timeout(3 * SECOND);
    assert_eq!(limit(Policy::immediate(), Duration::ZERO), None);
    assert_eq!(limit(three.clone(), 60 * SECOND), Some(3 * SECOND));
    let ten = Policy::immediate().max_duration(10 * SECOND);
    assert_eq!(limit(ten, 4 * SECOND), Some(6 * SECOND), "without an attempt_timeout");
    let bounded = three.max_duration(10 * SECOND);
    assert_eq!(limit(bounded.clone(), 7 * SECOND), Some(3 * SECOND));
    assert_eq!(limit(bounded.clone(), 9 * SECOND), Some(SECOND));
    assert_eq!(limit(bounded.clone(), 11 * SECOND), Some(Duration::ZERO));
    let policy = bounded.build().unwrap();
    let expires_at = Some(Moment::ORIGIN + 4 * SECOND);
    let terms = SessionLimits::default().expires_at(expires_at);
    assert_eq!(decide::deadline(&policy, &terms), expires_at);
    let unlimited = Policy::immediate().build().unwrap();
    let left = Progress::attempt_limit(&unlimited, &terms, Moment::ORIGIN + SECOND);
    assert_eq!(left, Some(3 * SECOND), "until it expires");
}

/// P6: the worked examples of the seeds, by the presets that carry them.
#[test]
fn presets_match_the_documented_delays() {
    let planned = |name: &str, attempts: Option<u32>| {
        let draft = Draft::preset(name).unwrap();
        let policy = attempts.map_or(draft.clone(), |n| draft.max_attempts(n)).build().unwrap();
        let seconds = |delay: Duration| (delay.as_secs_f64() * 1e4).round() / 1e4;
        let bands = policy.plan().skip(1);
        bands.map(|next| [next.min, next.delay, next.max].map(seconds)).collect::<Vec<_>>()
    };
    assert_eq!(planned("sql", None), [[0.5, 0.5, 0.6], [1.0, 1.0, 1.1], [2.0, 2.0, 2.1]]);
    let patient = [60.0, 120.0, 240.0, 480.0, 960.0, 1920.0, 3600.0, 3600.0];
    assert_eq!(planned("patient", None), patient.map(|delay| [delay; 3]));
    assert_eq!(planned("workflow", None), [60.0, 120.0, 240.0, 480.0, 960.0].map(|d| [d; 3]));
    let grpc = [[0.5, 1.0, 1.0], [0.8, 1.6, 1.6], [1.28, 2.56, 2.56], [2.048, 4.096, 4.096]];
    assert_eq!(planned("grpc", Some(5)), grpc);
    assert_eq!(planned("grpc", Some(16)).last(), Some(&[60.0, 120.0, 120.0]));
    assert_eq!(planned("grpc", None).len(), 2);
}

/// P7: a class with a timing of its own waits by that one.
#[test]
fn classes_have_their_own_timing() {
    let draft = Policy::exponential(SECOND)
        .max_attempts(9)
        .on(Class::RateLimited, |timing| timing.base_delay(5 * SECOND))
        .on(Class::UnknownOutcome, |timing| timing.jitter(Jitter::Full));
    let mut session = Session::of(draft).with_draw(LOWEST);
    let exhausted = Fault::grpc(GrpcCode::ResourceExhausted);
    assert_eq!(session.fail(&unavailable()), Retry(SECOND));
    assert_eq!(session.fail(&exhausted), Retry(10 * SECOND));
    assert_eq!(session.fail(&lost()), Retry(Duration::ZERO));
    assert_eq!(session.fail(&unavailable()), Retry(8 * SECOND));
}

/// J2: final ends the session at once.
#[test]
fn final_ends_the_session() {
    let mut session = Session::of(Policy::fixed(SECOND).max_attempts(9));
    assert_eq!(session.fail(&Fault::http(404)), GiveUp(Reason::Final));
    assert_eq!(session.counts(), (1, 0));
}

/// J2, P2: attempts are counted from the first, and used up.
#[test]
fn max_attempts_ends_the_session() {
    for attempts in [1, 2, 5] {
        let mut session = Session::of(Policy::fixed(SECOND).max_attempts(attempts));
        let (delays, reason) = session.run(&unavailable());
        assert_eq!(delays.len() as u32, attempts - 1);
        assert_eq!((reason, session.counts()), (Reason::AttemptsExhausted, (attempts, 0)));
    }
}

/// J2, P2: in a process a hinted wait is an attempt like any other.
#[test]
fn hinted_waits_consume_attempts_in_a_process() {
    let mut session = Session::of(Policy::fixed(SECOND).max_attempts(3));
    let (delays, reason) = session.run(&limited(1800 * SECOND));
    assert_eq!((delays, reason), (vec![1800 * SECOND; 2], Reason::AttemptsExhausted));
    assert_eq!((session.counts(), session.progress.calls()), ((3, 0), 3));
}

/// J2, P2: in a store a hinted wait consumes no attempt, not even the only one, a hundred times.
#[test]
fn hinted_waits_consume_no_attempt_in_a_store() {
    let mut session = Session::in_store(Policy::fixed(SECOND).max_attempts(1));
    for waits in 1..=100 {
        assert_eq!(session.fail(&limited(30 * SECOND)), Retry(30 * SECOND));
        assert_eq!(session.counts(), (0, waits));
    }
    assert_eq!(session.fail(&limited(SECOND)), GiveUp(Reason::AttemptsExhausted));
    assert_eq!((session.counts(), session.progress.calls()), ((1, 100), 101));
}

/// J2: without a hint, rate_limited follows the backoff and consumes an attempt.
#[test]
fn rate_limited_without_a_hint_follows_the_backoff() {
    for throttled in [Fault::grpc(GrpcCode::ResourceExhausted), Fault::http(429)] {
        let mut session = Session::in_store(Policy::exponential(SECOND).max_attempts(3));
        assert_eq!(session.run(&throttled).0, [SECOND, 2 * SECOND]);
        assert_eq!(session.counts(), (3, 0));
    }
}

/// J2: hinted waits that consume no attempt do not advance the backoff.
#[test]
fn hinted_waits_do_not_advance_the_backoff() {
    let mut session = Session::in_store(Policy::exponential(SECOND).max_attempts(9));
    assert_eq!(session.fail(&unavailable()), Retry(SECOND));
    assert_eq!(session.fail(&limited(7 * SECOND)), Retry(7 * SECOND));
    assert_eq!(session.fail(&unavailable()), Retry(2 * SECOND));
}

/// P2: beyond `max_rate_limit_waits` a hinted wait is an attempt like any other, in both places.
#[test]
fn rate_limit_waits_beyond_the_limit_consume_attempts() {
    for most in [0, 1, 3] {
        let draft = || Policy::fixed(SECOND).max_attempts(3).max_rate_limit_waits(most);
        for mut session in [Session::of(draft()), Session::in_store(draft())] {
            let (delays, reason) = session.run(&limited(7 * SECOND));
            assert_eq!(delays, vec![7 * SECOND; most as usize + 2]);
            assert_eq!((reason, session.counts()), (Reason::AttemptsExhausted, (3, most)));
        }
    }
}

/// P2: the longest hint that is honoured; a longer one ends the session, as an attempt.
#[test]
fn hints_that_are_too_long_end_the_session() {
    let decided = |draft: Draft, default: Option<Duration>, hint: Duration| {
        let mut session = Session::in_store(draft);
        session.terms.max_hint = default;
        (session.fail(&limited(hint)), session.counts())
    };
    let gave_up = (GiveUp(Reason::HintTooLong), (1, 0));
    let written = || Policy::fixed(SECOND).max_hint(10 * SECOND);
    assert_eq!(decided(written(), None, 10 * SECOND), (Retry(10 * SECOND), (0, 1)));
    assert_eq!(decided(written(), None, 10 * SECOND + NS), gave_up);
    assert_eq!(decided(written(), Some(HOUR), HOUR), gave_up, "the policy's max_hint applies");
    let unwritten = || Policy::fixed(SECOND);
    assert_eq!(decided(unwritten(), Some(HOUR), HOUR), (Retry(HOUR), (0, 1)));
    assert_eq!(decided(unwritten(), Some(HOUR), HOUR + NS), gave_up);
    assert_eq!(decided(unwritten(), None, 30 * DAY), (Retry(30 * DAY), (0, 1)));
    let in_store = |hint| Session::in_store(unwritten()).fail(&limited(hint));
    assert_eq!((in_store(DAY), in_store(DAY + NS)), (Retry(DAY), GiveUp(Reason::HintTooLong)));
    let in_process = |hint| Session::of(unwritten()).fail(&limited(hint));
    assert_eq!(
        (in_process(HOUR), in_process(HOUR + NS)),
        (Retry(HOUR), GiveUp(Reason::HintTooLong))
    );
}

/// J6: the pushback of a retryable gRPC status is honoured, and consumes an attempt.
#[test]
fn pushback_is_honoured() {
    let mut session = Session::of(Policy::fixed(SECOND).max_attempts(2));
    let pushed = Fault::grpc(GrpcCode::Unavailable).with_hint(Hint::After(250 * MS));
    assert_eq!(session.fail(&pushed), Retry(250 * MS));
    assert_eq!(session.fail(&pushed), GiveUp(Reason::AttemptsExhausted));
}

/// J9: an unknown outcome is retried if the policy says so, or the key makes it safe, or, where the
/// policy does not say, the operation is idempotent or unknown.
#[test]
fn unknown_outcomes_are_retried_where_it_is_safe() {
    const NOT_SAFE: Decision = GiveUp(Reason::NotSafeToRetry);
    for (written, known, decision) in [
        (Some(true), None, Retry(SECOND)),
        (Some(true), Some(false), Retry(SECOND)),
        (Some(false), None, NOT_SAFE),
        (Some(false), Some(true), NOT_SAFE),
        (None, None, Retry(SECOND)),
        (None, Some(true), Retry(SECOND)),
        (None, Some(false), NOT_SAFE),
    ] {
        let draft = Policy::fixed(SECOND);
        let draft = written.map_or(draft.clone(), |written| draft.idempotent(written));
        for (key_in_use, decision) in [(false, decision), (true, Retry(SECOND))] {
            let mut session = Session::of(draft.clone());
            (session.terms.key_in_use, session.terms.idempotent) = (key_in_use, known);
            assert_eq!(session.fail(&lost()), decision, "{written:?} {known:?} {key_in_use}");
            assert_eq!(session.counts(), (1, 0));
        }
    }
    let mut session = Session::of(Policy::fixed(SECOND).idempotent(false));
    assert_eq!(session.fail(&unavailable()), Retry(SECOND), "other failures are not in doubt");
}

/// P2: a disabled policy runs once.
#[test]
fn disabled_policy_never_retries() {
    let disabled = || Session::of(Policy::fixed(SECOND).max_attempts(9).enabled(false));
    for fault in [unavailable(), lost(), limited(SECOND)] {
        let mut session = disabled();
        assert_eq!(session.fail(&fault), GiveUp(Reason::Disabled));
        assert_eq!(session.counts(), (1, 0), "{fault}");
    }
    assert_eq!(disabled().fail(&Fault::http(404)), GiveUp(Reason::Final));
}

/// G3: an exhausted budget ends the session, after every other reason.
#[test]
fn exhausted_budget_ends_the_session() {
    let mut session = Session::of(Policy::fixed(SECOND).max_attempts(2));
    session.chance.budget = false;
    assert_eq!(session.fail(&unavailable()), GiveUp(Reason::BudgetExhausted));
    assert_eq!(session.fail(&unavailable()), GiveUp(Reason::AttemptsExhausted));
}

/// D2: progress is plain data: a session can be resumed from it.
#[cfg(feature = "serde")]
#[test]
fn progress_round_trips_through_json() {
    let mut session =
        Session::of(Policy::exponential(SECOND).max_attempts(9).jitter(Jitter::Decorrelated));
    session.fail(&unavailable());
    session.fail(&limited(SECOND));
    let row = serde_json::to_string(&session.progress).unwrap();
    let restored: Progress = serde_json::from_str(&row).unwrap();
    assert_eq!(restored, session.progress);
    let begun: Progress = serde_json::from_str(r#"{"attempts": 2}"#).unwrap();
    assert_eq!((begun.attempt(), begun.rate_limit_waits), (3, 0));
}

/// P3: counts at their limit stay there.
#[test]
fn counts_saturate() {
    let mut session = Session::of(Policy::fixed(SECOND).max_attempts(u32::MAX));
    session.progress.attempts = u32::MAX;
    assert_eq!(session.fail(&unavailable()), GiveUp(Reason::AttemptsExhausted));
    assert_eq!(session.counts(), (u32::MAX, 0));
    session.now = Moment::from_nanos(u64::MAX);
    assert_eq!(session.now + Duration::MAX, session.now);
}

/// Section 10: a plan gives each attempt's delay before jitter, its band and the totals.
#[test]
fn plans_show_bands_and_totals() {
    let policy = Draft::preset("sql").unwrap().build().unwrap();
    let plan: Vec<_> = policy.plan().collect();
    let shown: Vec<_> = plan
        .iter()
        .map(|next| {
            [next.delay, next.min, next.max, next.total_min, next.total_max]
                .map(|delay| delay.as_millis())
        })
        .collect();
    assert_eq!(
        shown,
        [
            [0, 0, 0, 0, 0],
            [500, 500, 600, 500, 600],
            [1000, 1000, 1100, 1500, 1700],
            [2000, 2000, 2100, 3500, 3800],
        ]
    );
    assert_eq!(plan.iter().map(|next| next.attempt).collect::<Vec<_>>(), [1, 2, 3, 4]);
    let disabled = Draft::preset("sql").unwrap().enabled(false).build().unwrap();
    assert_eq!(disabled.plan().count(), 1);
}

/// P5: a plan ends with the last attempt that is made, and so do the decisions that it foretells.
#[test]
fn plans_end_at_max_duration() {
    for (longest, made) in [(1, 1), (2, 2), (3, 2), (4, 3), (7, 3), (8, 4), (99, 4)] {
        let draft = Policy::exponential(SECOND).max_attempts(4).max_duration(longest * SECOND);
        let mut session = Session::of(draft);
        assert_eq!(session.policy.plan().count(), made, "{longest} s");
        assert_eq!(session.run(&unavailable()).0.len() + 1, made, "{longest} s");
    }
    let at_once = Policy::immediate().max_duration(Duration::ZERO).build().unwrap();
    assert_eq!(at_once.plan().count(), 1, "the first is always made");
}
