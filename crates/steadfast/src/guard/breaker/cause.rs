//! What opened a breaker, for its rejections.
//!
//! The cause is written when the state changes and read when a call is rejected, so a closed breaker
//! pays nothing for it. Trigger, code and generation share one 64-bit word: no lock, and no text that
//! could contain a secret.

use std::fmt;

use super::packed_state::GENERATIONS;
use super::tagged_time::is_not_before;
use crate::Fault;
use crate::fault::{GrpcCode, Kind, SqlState};
use crate::guard::sync::{AtomicU64, Ordering};

/// What opened a breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cause {
    /// The condition that was met.
    pub trigger: Trigger,
    /// The code of the failure that met it, if it is known.
    pub code: Option<FaultCode>,
}

/// The condition that opens a breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Trigger {
    /// It started open.
    InitialState,
    /// It was opened by hand.
    Manual,
    /// Consecutive failures reached the threshold.
    ConsecutiveFailures,
    /// The failure rate was reached.
    FailureRate,
    /// The rate of slow calls was reached.
    SlowCallRate,
    /// Too many probes failed or were slow.
    FailedProbe,
}

/// The most telling fact of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultCode {
    /// A SQLSTATE.
    Sql(SqlState),
    /// A gRPC status.
    Grpc(GrpcCode),
    /// An HTTP status.
    Http(u16),
    /// A kind of failure.
    Kind(Kind),
}

impl Trigger {
    const ALL: [Self; 6] = [
        Self::InitialState,
        Self::Manual,
        Self::ConsecutiveFailures,
        Self::FailureRate,
        Self::SlowCallRate,
        Self::FailedProbe,
    ];

    /// Whether a failed or slow call opened the breaker.
    const fn is_a_call(self) -> bool {
        !matches!(self, Self::InitialState | Self::Manual)
    }
}

impl fmt::Display for Trigger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InitialState => "from the start",
            Self::Manual => "by hand",
            Self::ConsecutiveFailures => "after consecutive failures",
            Self::FailureRate => "by its failure rate",
            Self::SlowCallRate => "by its rate of slow calls",
            Self::FailedProbe => "after a failed probe",
        })
    }
}

impl FaultCode {
    /// The code of a failure, or of the first of its causes that has one.
    #[must_use]
    pub fn of(fault: &Fault) -> Option<Self> {
        std::iter::once(fault).chain(&fault.causes).find_map(Self::of_link)
    }

    fn of_link(fault: &Fault) -> Option<Self> {
        let sql = fault.sqlstate.map(Self::Sql);
        let grpc = fault.grpc_status.map(Self::Grpc);
        let http = fault.http_status.map(Self::Http);
        sql.or(grpc).or(http).or(fault.kind.map(Self::Kind))
    }

    fn pack(self) -> u64 {
        let (kind, payload) = match self {
            Self::Sql(state) => (1, pack_text(state.as_str())),
            Self::Grpc(code) => (2, code as u64),
            Self::Http(status) => (3, u64::from(status)),
            Self::Kind(kind) => (4, kind as u64),
        };
        kind << CODE_BITS | payload
    }

    fn unpack(word: u64) -> Option<Self> {
        let payload = word & ((1 << CODE_BITS) - 1);
        match word >> CODE_BITS {
            1 => SqlState::new(&unpack_text(payload)).map(Self::Sql),
            2 => GrpcCode::from_number(i32::try_from(payload).ok()?).map(Self::Grpc),
            3 => u16::try_from(payload).ok().map(Self::Http),
            4 => Kind::ALL.get(payload as usize).copied().map(Self::Kind),
            _ => None,
        }
    }
}

impl fmt::Display for FaultCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sql(state) => write!(f, "SQLSTATE {state}"),
            Self::Grpc(code) => write!(f, "gRPC {code}"),
            Self::Http(status) => write!(f, "HTTP {status}"),
            Self::Kind(kind) => kind.fmt(f),
        }
    }
}

/// `by its failure rate (HTTP 503)`.
impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.trigger.fmt(f)?;
        match self.code {
            Some(code) => write!(f, " ({code})"),
            None => Ok(()),
        }
    }
}

/// Letters and digits in base 36, and a leading 1 that keeps the length.
fn pack_text(text: &str) -> u64 {
    text.chars()
        .fold(1, |number, letter| number * 36 + u64::from(letter.to_digit(36).unwrap_or_default()))
}

fn unpack_text(mut number: u64) -> String {
    let mut letters = Vec::new();
    while number >= 36 {
        letters.extend(char::from_digit((number % 36) as u32, 36));
        number /= 36;
    }
    letters.iter().rev().collect()
}

/// Bits of a code; its kind is above them.
const CODE_BITS: u32 = 28;
/// The trigger plus one; 0 without a cause.
const TRIGGER_SHIFT: u32 = 32;
const GENERATION_SHIFT: u32 = 40;

/// The cause of one generation.
#[derive(Debug)]
pub(super) struct CauseCell(AtomicU64);

impl CauseCell {
    /// No cause, of the generation before the first.
    pub(super) fn unpublished() -> Self {
        Self(AtomicU64::new((GENERATIONS - 1) << GENERATION_SHIFT))
    }

    pub(super) fn publish(&self, generation: u64, cause: Cause) {
        let word = pack(generation, cause);
        let _ = self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, |held| {
            is_not_before(generation, held >> GENERATION_SHIFT).then_some(word)
        });
    }

    /// Adds the code of the failure to the cause, unless it has one or no failure is the cause.
    pub(super) fn add_code(&self, generation: u64, code: FaultCode) {
        let _ = self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, |held| {
            let cause = unpack(generation, held)?;
            let is_missing = cause.code.is_none() && cause.trigger.is_a_call();
            is_missing.then(|| pack(generation, Cause { code: Some(code), ..cause }))
        });
    }

    pub(super) fn read(&self, generation: u64) -> Option<Cause> {
        unpack(generation, self.0.load(Ordering::Acquire))
    }
}

fn pack(generation: u64, cause: Cause) -> u64 {
    let code = cause.code.map_or(0, FaultCode::pack);
    generation << GENERATION_SHIFT | (cause.trigger as u64 + 1) << TRIGGER_SHIFT | code
}

fn unpack(generation: u64, word: u64) -> Option<Cause> {
    if word >> GENERATION_SHIFT != generation {
        return None;
    }
    let trigger = (word >> TRIGGER_SHIFT) & ((1 << (GENERATION_SHIFT - TRIGGER_SHIFT)) - 1);
    let code = word & ((1 << TRIGGER_SHIFT) - 1);
    let trigger = Trigger::ALL.get(trigger.checked_sub(1)? as usize).copied()?;
    Some(Cause { trigger, code: FaultCode::unpack(code) })
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn codes() -> Vec<Option<FaultCode>> {
        let sql = ["40P01", "08", "ZZZZZ", "00000", "23505"].map(Fault::sql);
        let kinds = Kind::ALL.iter().map(|kind| Fault::of(*kind));
        let grpc = (0..17).filter_map(GrpcCode::from_number).map(Fault::grpc);
        let http = [100, 503, u16::MAX].map(Fault::http);
        let faults = sql.into_iter().chain(kinds).chain(grpc).chain(http);
        let codes = faults.map(|fault| FaultCode::of(&fault));
        codes.inspect(|code| assert!(code.is_some())).chain([None]).collect()
    }

    #[test]
    fn every_cause_is_read_as_it_was_written() {
        for code in codes() {
            for trigger in Trigger::ALL {
                for generation in [0, 7, GENERATIONS - 1] {
                    let (cell, cause) = (CauseCell::unpublished(), Cause { trigger, code });
                    assert_eq!(cell.read(generation), None);
                    cell.publish(generation, cause);
                    assert_eq!(cell.read(generation), Some(cause), "{cause}");
                }
            }
        }
    }

    #[test]
    fn cause_belongs_to_its_generation() {
        let cell = CauseCell::unpublished();
        let rate = Cause { trigger: Trigger::FailureRate, code: None };
        let manual = Cause { trigger: Trigger::Manual, code: None };
        assert_eq!(cell.read(0), None);
        cell.publish(2, rate);
        cell.publish(1, manual);
        assert_eq!((cell.read(1), cell.read(2)), (None, Some(rate)), "a late thread");
        let (first, second) = (FaultCode::Http(503), FaultCode::Http(500));
        cell.add_code(1, second);
        cell.add_code(2, first);
        cell.add_code(2, second);
        assert_eq!(cell.read(2), Some(Cause { code: Some(first), ..rate }));
        cell.publish(3, manual);
        cell.add_code(3, first);
        assert_eq!(cell.read(3), Some(manual), "no failure opened it");
    }

    #[test]
    fn code_is_the_most_telling_fact() {
        let code = |fault: &Fault| FaultCode::of(fault).map(|code| code.to_string());
        assert_eq!(code(&Fault::http(503)).as_deref(), Some("HTTP 503"));
        let wrapped = Fault::default().caused_by(Fault::sql("40p01"));
        assert_eq!(code(&wrapped).as_deref(), Some("SQLSTATE 40P01"));
        assert_eq!(code(&Fault::of(Kind::Timeout)).as_deref(), Some("timeout"));
        assert_eq!(code(&Fault::grpc(GrpcCode::Unavailable)).as_deref(), Some("gRPC UNAVAILABLE"));
        assert_eq!(code(&Fault::exit(75)), None);
    }
}
