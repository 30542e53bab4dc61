//! The default rules (J3 to J7).

use crate::fault::{Family, Fault, GrpcCode, Hint, Kind, SqlState};

/// Whether to retry, and the rule that decides it; `None` if no rule matches.
#[inline(always)]
pub(super) fn decide(fault: &Fault) -> Option<(bool, DefaultRule)> {
    by_request(fault)
        .or_else(|| fault.kind.and_then(by_kind))
        .or_else(|| fault.sqlstate.as_ref().and_then(by_sqlstate))
        .or_else(|| fault.http_status.and_then(by_http_status))
        .or_else(|| fault.grpc_status.and_then(by_grpc_code))
        .or_else(|| fault.unknown_outcome.then_some((true, DefaultRule::UnknownOutcome)))
}

/// The other side's word for a retry. Its word against one precedes every rule.
#[inline(always)]
fn by_request(fault: &Fault) -> Option<(bool, DefaultRule)> {
    (fault.should_retry == Some(true)).then_some((true, DefaultRule::ShouldRetry))
}

#[inline(always)]
fn by_kind(kind: Kind) -> Option<(bool, DefaultRule)> {
    match (kind, kind.family()) {
        (
            Kind::Dns
            | Kind::TlsWouldBlock
            | Kind::Interrupted
            | Kind::Busy
            | Kind::ValueRejected
            | Kind::WorkerLost,
            _,
        ) => Some((true, DefaultRule::Kind(kind))),
        (_, family @ (Family::Timeout | Family::Connection | Family::Pool)) => {
            Some((true, DefaultRule::Family(family)))
        }
        (_, family @ (Family::Tls | Family::Request)) => Some((false, DefaultRule::Family(family))),
        (Kind::Cancelled, _) => Some((false, DefaultRule::Kind(kind))),
        (_, Family::Other) => None,
    }
}

fn by_sqlstate(state: &SqlState) -> Option<(bool, DefaultRule)> {
    if state.as_str() == LOST_COMMIT {
        return Some((true, DefaultRule::LostCommit));
    }
    if let Some(index) = RETRYABLE_SQLSTATES.iter().position(|code| *code == state.as_str()) {
        return Some((true, DefaultRule::SqlState(index as u8)));
    }
    let class = SQL_CLASSES.iter().position(|(class, _)| *class == state.class())?;
    let (_, retry) = SQL_CLASSES.get(class)?;
    Some((*retry, DefaultRule::SqlClass(class as u8)))
}

/// The SQLSTATE of a commit with an unknown outcome.
const LOST_COMMIT: &str = "08007";

/// SQLSTATEs that are retryable though their class has no rule: `lock_not_available` and
/// `object_in_use`.
const RETRYABLE_SQLSTATES: [&str; 2] = ["55P03", "55006"];

/// The SQLSTATE classes with a rule, and whether to retry.
const SQL_CLASSES: [(&str, bool); 9] = [
    ("08", true),
    ("40", true),
    ("53", true),
    ("57", true),
    ("58", true),
    ("22", false),
    ("23", false),
    ("28", false),
    ("42", false),
];

fn by_http_status(status: u16) -> Option<(bool, DefaultRule)> {
    match status {
        408 => Some((true, DefaultRule::RequestTimeout)),
        429 => Some((true, DefaultRule::TooManyRequests)),
        400..=499 => Some((false, DefaultRule::ClientError)),
        500..=599 => Some((true, DefaultRule::ServerError)),
        _ => None,
    }
}

fn by_grpc_code(code: GrpcCode) -> Option<(bool, DefaultRule)> {
    let retry = match code {
        GrpcCode::Unavailable | GrpcCode::ResourceExhausted | GrpcCode::DeadlineExceeded => true,
        GrpcCode::Ok
        | GrpcCode::Unknown
        | GrpcCode::Internal
        | GrpcCode::Aborted
        | GrpcCode::DataLoss => return None,
        _ => false,
    };
    Some((retry, DefaultRule::Grpc(code)))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DefaultRule {
    Pushback,
    ShouldRetry,
    Family(Family),
    Kind(Kind),
    LostCommit,
    /// An index into [`RETRYABLE_SQLSTATES`].
    SqlState(u8),
    /// An index into [`SQL_CLASSES`].
    SqlClass(u8),
    RequestTimeout,
    TooManyRequests,
    ClientError,
    ServerError,
    Grpc(GrpcCode),
    UnknownOutcome,
}

impl DefaultRule {
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Pushback => "pushback",
            Self::ShouldRetry => "x-should-retry",
            Self::Family(family) => family.name(),
            Self::Kind(kind) => kind.name(),
            Self::LostCommit => LOST_COMMIT,
            Self::SqlState(index) => {
                RETRYABLE_SQLSTATES.get(usize::from(index)).copied().unwrap_or_default()
            }
            Self::SqlClass(index) => {
                SQL_CLASSES.get(usize::from(index)).map_or("", |(class, _)| class)
            }
            Self::RequestTimeout => "408",
            Self::TooManyRequests => "429",
            Self::ClientError => "4xx",
            Self::ServerError => "5xx",
            Self::Grpc(code) => code.rule(),
            Self::UnknownOutcome => "unknown_outcome",
        }
    }
}

/// Whether the request may have taken effect (J2).
#[inline(always)]
pub(super) fn outcome_is_unknown(fault: &Fault) -> bool {
    fault.unknown_outcome
        || fault.grpc_status == Some(GrpcCode::DeadlineExceeded)
        || fault.sqlstate.is_some_and(|state| state.as_str() == LOST_COMMIT)
}

/// Whether the other side throttles (J6): 429 says so; 503 does with a hint.
#[inline(always)]
pub(super) fn is_rate_limited(fault: &Fault) -> bool {
    match (fault.http_status, fault.grpc_status) {
        (Some(429), _) | (_, Some(GrpcCode::ResourceExhausted)) => true,
        (Some(503), _) => matches!(fault.hint, Some(Hint::After(_))),
        _ => false,
    }
}
