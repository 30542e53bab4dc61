//! `#[derive(Fault)]`: facts of custom errors (J11).
#![cfg(feature = "macros")]

use std::error::Error;
use std::fmt;
use std::io;
use std::time::Duration;

use steadfast::judge::{self, Rules};
use steadfast::{Class, Failure, Fault, GrpcCode, Hint, Kind, Policy, retry};

/// An error as most people write one.
#[derive(Debug, thiserror::Error, Fault)]
enum LookupError {
    #[error("too slow")]
    #[fault(kind = "timeout", unknown_outcome)]
    Slow,
    #[error("answered {status}")]
    #[fault(http = status, hint = retry_after)]
    Status { status: u16, retry_after: Option<Duration> },
    #[error("overloaded")]
    #[fault(http = 503, hint = "30s")]
    Overloaded,
    #[error("database said {0}")]
    Database(#[fault(sqlstate)] String),
    #[error("deadlock")]
    #[fault(sqlstate = "40p01")]
    Deadlock,
    #[error("rpc")]
    #[fault(grpc = "UNAVAILABLE")]
    Rpc,
    #[error("rpc {0:?}")]
    RpcCode(#[fault(grpc)] GrpcCode),
    #[error("the tool failed")]
    #[fault(exit = 75, type = "ToolError")]
    Tool,
    #[error("the tool ended with {code:?}")]
    #[fault(exit = code)]
    ToolCode { code: Option<i32> },
    #[error("could not connect")]
    Connect(#[from] io::Error),
    #[error("could not read {file}")]
    Read { file: &'static str, source: io::Error },
    #[error("nothing is known")]
    Blank,
}

fn facts(error: &LookupError) -> Fault {
    error.fault()
}

/// `std::error::Error` has an old method of the same name.
fn cause(error: &impl Failure) -> Option<&(dyn Error + 'static)> {
    error.cause()
}

fn named(kind: Option<Kind>) -> Fault {
    let mut fault = Fault::default().with_type("derive_fault::LookupError");
    fault.kind = kind;
    fault
}

/// J11: literals in the attribute.
#[test]
fn literals_are_facts() {
    assert_eq!(facts(&LookupError::Slow), named(Some(Kind::Timeout)).with_unknown_outcome());
    let overloaded = facts(&LookupError::Overloaded);
    assert_eq!(overloaded.http_status, Some(503));
    assert_eq!(overloaded.hint, Some(Hint::After(Duration::from_secs(30))));
    assert_eq!(facts(&LookupError::Deadlock).sqlstate.unwrap().as_str(), "40P01");
    assert_eq!(facts(&LookupError::Rpc).grpc_status, Some(GrpcCode::Unavailable));
    assert_eq!(facts(&LookupError::Tool).exit_code, Some(75));
    assert_eq!(facts(&LookupError::Blank), named(None));
}

/// J11: fields as facts, by name from the variant or marked where they stand.
#[test]
fn fields_are_facts() {
    let wait = Some(Duration::from_secs(9));
    let status = facts(&LookupError::Status { status: 429, retry_after: wait });
    assert_eq!(status.http_status, Some(429));
    assert_eq!(status.hint, wait.map(Hint::After));
    let status = facts(&LookupError::Status { status: 404, retry_after: None });
    assert_eq!((status.http_status, status.hint), (Some(404), None));

    assert_eq!(facts(&LookupError::Database("23505".into())).sqlstate.unwrap().class(), "23");
    assert_eq!(facts(&LookupError::Database("?".into())).sqlstate, None, "J3: no fact");
    let aborted = facts(&LookupError::RpcCode(GrpcCode::Aborted));
    assert_eq!(aborted.grpc_status, Some(GrpcCode::Aborted));
    assert_eq!(facts(&LookupError::ToolCode { code: Some(1) }).exit_code, Some(1));
    assert_eq!(facts(&LookupError::ToolCode { code: None }).exit_code, None);
}

/// J10: a rule names the type, with or without its path.
#[test]
fn type_name_includes_its_path() {
    for rule in ["LookupError", "derive_fault::LookupError"] {
        let rules = Rules::new(Some(vec![rule.parse().unwrap()]), Vec::new());
        let judged = judge::judge(&rules, &facts(&LookupError::Blank));
        assert_eq!(judged.class(), Class::Retryable, "{rule}");
    }
    assert_eq!(facts(&LookupError::Tool).type_name.as_deref(), Some("ToolError"));
}

#[test]
fn message_comes_from_display() {
    assert_eq!(LookupError::Slow.message().as_deref(), Some("too slow"));
    let database = LookupError::Database("40001".into());
    assert_eq!(database.message().as_deref(), Some("database said 40001"));
}

/// J8: what is marked or named as the source is the cause.
#[test]
fn source_is_the_cause() {
    let refused = || io::Error::from(io::ErrorKind::ConnectionRefused);
    let errors =
        [LookupError::from(refused()), LookupError::Read { file: "hosts", source: refused() }];
    for error in errors {
        let cause = cause(&error).unwrap().downcast_ref::<io::Error>().unwrap();
        assert_eq!(cause.kind(), io::ErrorKind::ConnectionRefused);
    }
    assert!(cause(&LookupError::Slow).is_none());
}

/// J8: a session sees the cause through the wrapper.
#[test]
fn session_judges_by_the_cause() {
    let policy = Policy::immediate().build().unwrap();
    let refused = || Err::<(), LookupError>(io::Error::from(io::ErrorKind::NotFound).into());
    assert_eq!(retry(&policy, refused).call().unwrap_err().attempts(), 1);
    let refused = || Err::<(), LookupError>(io::Error::from(io::ErrorKind::BrokenPipe).into());
    assert_eq!(retry(&policy, refused).call().unwrap_err().attempts(), 3);
}

#[derive(Debug, thiserror::Error, Fault)]
#[fault(type = "StorageFailure")]
enum StorageError {
    #[error(transparent)]
    #[fault(transparent)]
    Lookup(#[from] LookupError),
    #[error("while saving {row}")]
    #[fault(transparent)]
    Save {
        row: u32,
        #[source]
        error: LookupError,
    },
    #[error("locked")]
    #[fault(kind = "other")]
    Locked,
}

/// J11: a wrapper that adds nothing delegates everything.
#[test]
fn transparent_reports_the_inner_error() {
    let connect = || LookupError::from(io::Error::from(io::ErrorKind::TimedOut));
    let wrapped = StorageError::from(connect());
    assert_eq!(wrapped.fault(), connect().fault());
    assert_eq!(wrapped.message(), connect().message());
    assert!(cause(&wrapped).unwrap().is::<io::Error>());

    let wrapped = StorageError::Save { row: 7, error: LookupError::Overloaded };
    assert_eq!(wrapped.fault().http_status, Some(503));
    assert_eq!(wrapped.message().as_deref(), Some("overloaded"));
}

#[test]
fn enum_can_have_another_type_name() {
    assert_eq!(StorageError::Locked.fault().type_name.as_deref(), Some("StorageFailure"));
}

/// Causes of all sorts, without thiserror.
#[derive(Debug, Fault)]
enum Wrapper {
    Boxed(#[source] Box<dyn Error + Send + Sync>),
    Maybe {
        #[fault(source)]
        why: Option<Box<io::Error>>,
    },
    Plain(#[from] io::Error),
}

impl fmt::Display for Wrapper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("wrapped")
    }
}

#[test]
fn cause_may_be_boxed_or_missing() {
    let error = || io::Error::from(io::ErrorKind::TimedOut);
    assert!(cause(&Wrapper::Boxed(Box::new(error()))).unwrap().is::<io::Error>());
    assert!(cause(&Wrapper::Maybe { why: Some(Box::new(error())) }).is_some());
    assert!(cause(&Wrapper::Maybe { why: None }).is_none());
    assert!(cause(&Wrapper::Plain(error())).unwrap().is::<io::Error>());
}

#[derive(Debug, thiserror::Error, Fault)]
#[error("answered {status}")]
#[fault(kind = "other", http = status)]
struct Answer {
    status: Status,
}

/// As the status types of HTTP crates are.
#[derive(Clone, Copy, Debug)]
struct Status(u16);

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<Status> for u16 {
    fn from(status: Status) -> Self {
        status.0
    }
}

#[derive(Debug, thiserror::Error, Fault)]
#[error("{0}")]
#[fault(transparent)]
struct Newtype(Answer);

#[test]
fn structs_report_facts() {
    let fault = Newtype(Answer { status: Status(502) }).fault();
    assert_eq!((fault.http_status, fault.kind), (Some(502), Some(Kind::Other)));
    assert_eq!(fault.type_name.as_deref(), Some("derive_fault::Answer"));
}

/// Every sort of parameter that a type can have.
#[derive(Debug, thiserror::Error, Fault)]
enum Generic<'a, E: Error + 'static, S, const N: usize>
where
    S: fmt::Debug,
{
    #[error("at {0}")]
    Place(&'a str),
    #[error("within {N}")]
    Inner(#[source] E),
    #[error("answered")]
    #[fault(http = status)]
    Status { status: S },
    #[error("answered perhaps")]
    Perhaps(#[fault(http)] Option<S>),
}

#[test]
fn generic_types_report_facts() {
    type Concrete<'a> = Generic<'a, io::Error, Status, 4>;
    let place = String::from("home");
    assert_eq!(Concrete::Place(&place).message().as_deref(), Some("at home"));
    assert_eq!(Concrete::Status { status: Status(500) }.fault().http_status, Some(500));
    assert_eq!(Concrete::Perhaps(Some(Status(501))).fault().http_status, Some(501));
    assert_eq!(Concrete::Perhaps(None).fault().http_status, None);
    let inner = Concrete::Inner(io::ErrorKind::TimedOut.into());
    assert!(cause(&inner).unwrap().is::<io::Error>());
    assert_eq!(inner.message().as_deref(), Some("within 4"));
}

#[derive(Debug, thiserror::Error, Fault)]
enum Never {}

/// A type that nothing is of still fits where an error is asked for.
#[test]
fn empty_enum_is_supported() {
    let policy = Policy::immediate().build().unwrap();
    assert_eq!(retry(&policy, || Ok::<_, Never>(1)).call().unwrap(), 1);
}

/// J11: the attribute takes every kind's name. The list is written by hand, so that a kind that
/// is renamed or taken away is noticed.
#[test]
fn every_kind_is_accepted() {
    macro_rules! kinds {
        ($($name:literal)*) => {$({
            #[derive(Debug, thiserror::Error, Fault)]
            #[error("")]
            #[fault(kind = $name)]
            struct Named;
            assert_eq!(Named.fault().kind.map(Kind::name), Some($name));
        })*};
    }
    kinds! {
        "timeout" "connection_failed" "connection_refused" "connection_reset"
        "connection_aborted" "not_connected" "broken_pipe" "unreachable" "unexpected_eof"
        "pool_timeout" "pool_exhausted" "tls_would_block" "tls_certificate" "tls_hostname"
        "tls_protocol" "tls_failed" "query" "syntax" "data" "argument" "interrupted"
        "not_found" "permission_denied" "storage_full" "value_rejected" "cancelled" "other"
    }
}
