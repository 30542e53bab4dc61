//! Facts of [`tonic::Status`] (J6).
//!
//! A status is either the server's response or tonic's mapping of a transport failure. The second
//! kind has the failure as its source, which is more precise than the code: a client timeout is
//! "cancelled", an invalid certificate is "unavailable".

use tonic::metadata::MetadataMap;
use tonic::{Code, Status, TimeoutExpired};

use super::facts;
use super::transport_cause::{TRANSPORT, transport_cause};
use crate::fault::{Failure, Fault, GrpcCode, Hint, Kind};

const PUSHBACK_KEY: &str = "grpc-retry-pushback-ms";

impl Failure for Status {
    fn fault(&self) -> Fault {
        let code = GrpcCode::from_number(self.code().into());
        Fault { grpc_status: code, ..transport(self).unwrap_or_default() }
            .with_hint(pushback(self.metadata()))
            .with_type("tonic::Status")
    }

    cause_and_message!();
}

impl Failure for TimeoutExpired {
    fn fault(&self) -> Fault {
        Fault::of(Kind::Timeout).with_unknown_outcome().with_type("tonic::TimeoutExpired")
    }

    cause_and_message!();
}

/// The transport failure below the call, unless the code is more precise: the code of a stream reset
/// takes precedence over an unspecific connection failure.
fn transport(status: &Status) -> Option<Fault> {
    transport_cause(status, &[facts::<TimeoutExpired>]).or_else(|| {
        let found = transport_cause(status, TRANSPORT);
        found.filter(|fault| fault.kind != Some(Kind::Connection) || status.code() == Code::Unknown)
    })
}

/// An invalid pushback means stop, including bytes that are not text.
fn pushback(metadata: &MetadataMap) -> Option<Hint> {
    let value = metadata.get(PUSHBACK_KEY)?;
    Some(value.to_str().map_or(Hint::Stop, Hint::grpc_pushback))
}
