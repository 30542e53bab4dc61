//! The default rules: what the field agrees on (J3 to J7).

use crate::fault::{Family, Fault, GrpcCode, Hint, Kind, SqlState};

/// Whether to try again, and the rule that says so; `None` decides nothing.
pub(super) fn decide(fault: &Fault) -> Option<(bool, &'static str)> {
    if let Some(kind) = fault.kind
        && let Some(decided) = by_kind(kind)
    {
        return Some(decided);
    }
    if let Some(state) = &fault.sqlstate
        && let Some(decided) = by_sqlstate(state)
    {
        return Some(decided);
    }
    if let Some(status) = fault.http_status
        && let Some(decided) = by_http_status(status)
    {
        return Some(decided);
    }
    if let Some(code) = fault.grpc_status
        && let Some(decided) = by_grpc_code(code)
    {
        return Some(decided);
    }
    fault.unknown_outcome.then_some((true, "unknown_outcome"))
}

fn by_kind(kind: Kind) -> Option<(bool, &'static str)> {
    match (kind, kind.family()) {
        (Kind::TlsWouldBlock | Kind::Interrupted | Kind::Busy | Kind::ValueRejected, _) => {
            Some((true, kind.name()))
        }
        (_, family @ (Family::Timeout | Family::Connection | Family::Pool)) => {
            Some((true, family.name()))
        }
        (_, family @ (Family::Tls | Family::Request)) => Some((false, family.name())),
        (Kind::Cancelled, _) => Some((false, kind.name())),
        (_, Family::Other) => None,
    }
}

fn by_sqlstate(state: &SqlState) -> Option<(bool, &'static str)> {
    if state.as_str() == "08007" {
        return Some((true, "08007"));
    }
    Some(match state.class() {
        "08" => (true, "08"),
        "40" => (true, "40"),
        "53" => (true, "53"),
        "57" => (true, "57"),
        "58" => (true, "58"),
        "22" => (false, "22"),
        "23" => (false, "23"),
        "28" => (false, "28"),
        "42" => (false, "42"),
        _ => return None,
    })
}

fn by_http_status(status: u16) -> Option<(bool, &'static str)> {
    match status {
        408 => Some((true, "408")),
        429 => Some((true, "429")),
        400..=499 => Some((false, "4xx")),
        500..=599 => Some((true, "5xx")),
        _ => None,
    }
}

fn by_grpc_code(code: GrpcCode) -> Option<(bool, &'static str)> {
    match code {
        GrpcCode::Unavailable | GrpcCode::ResourceExhausted | GrpcCode::DeadlineExceeded => {
            Some((true, code.rule()))
        }
        GrpcCode::Ok
        | GrpcCode::Unknown
        | GrpcCode::Internal
        | GrpcCode::Aborted
        | GrpcCode::DataLoss => None,
        _ => Some((false, code.rule())),
    }
}

/// Whether the request may have taken effect (J2).
pub(super) fn outcome_is_unknown(fault: &Fault) -> bool {
    fault.unknown_outcome
        || fault.grpc_status == Some(GrpcCode::DeadlineExceeded)
        || fault.sqlstate.is_some_and(|state| state.as_str() == "08007")
}

/// Whether the other side asked for patience (J6).
pub(super) fn is_rate_limited(fault: &Fault) -> bool {
    if fault.grpc_status == Some(GrpcCode::ResourceExhausted) {
        return true;
    }
    matches!(fault.http_status, Some(429 | 503)) && matches!(fault.hint, Some(Hint::After(_)))
}
