//! Facts of [`tonic::Status`] (J6).
//!
//! A status is either the server's answer or what tonic made of a failed
//! transport. The second kind has the failure as its source, and that says
//! more than the code: a timeout of the client's own is "cancelled", a bad
//! certificate is "unavailable".

use std::error::Error;

use tonic::metadata::MetadataMap;
use tonic::{Code, Status, TimeoutExpired};

use super::find;
use super::transport_cause::{TRANSPORT, beneath};
use crate::fault::{Failure, Fault, GrpcCode, Hint, Kind};

/// The metadata in which a server says when to come back.
const PUSHBACK: &str = "grpc-retry-pushback-ms";

pub(super) fn facts(error: &(dyn Error + 'static)) -> Option<Fault> {
    find::<Status>(error).map(Failure::fault).or_else(|| timeout(error))
}

impl Failure for Status {
    fn fault(&self) -> Fault {
        let code = GrpcCode::from_number(self.code().into());
        Fault { grpc_status: code, ..transport(self).unwrap_or_default() }
            .with_hint(pushback(self.metadata()))
            .with_type("tonic::Status")
    }

    fn cause(&self) -> Option<&(dyn Error + 'static)> {
        self.source()
    }

    fn message(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl Failure for TimeoutExpired {
    fn fault(&self) -> Fault {
        Fault::of(Kind::Timeout).with_unknown_outcome().with_type("tonic::TimeoutExpired")
    }

    fn message(&self) -> Option<String> {
        Some(self.to_string())
    }
}

/// What failed under the call, unless the code says more: one that was read off
/// the reset of a stream beats a connection that failed for no named reason.
fn transport(status: &Status) -> Option<Fault> {
    beneath(status, &[timeout]).or_else(|| {
        let found = beneath(status, TRANSPORT);
        found.filter(|fault| fault.kind != Some(Kind::Connection) || status.code() == Code::Unknown)
    })
}

fn timeout(error: &(dyn Error + 'static)) -> Option<Fault> {
    find::<TimeoutExpired>(error).map(Failure::fault)
}

/// A pushback that cannot be read means stop, so bytes that are no text do, too.
fn pushback(metadata: &MetadataMap) -> Option<Hint> {
    let value = metadata.get(PUSHBACK)?;
    Some(value.to_str().map_or(Hint::Stop, Hint::grpc_pushback))
}
