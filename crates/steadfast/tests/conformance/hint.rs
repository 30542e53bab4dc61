//! Retry hints and the headers that contain them.

use std::collections::HashMap;
use std::time::SystemTime;

use serde::Deserialize;
use serde_json::Value;
use steadfast::Hint;
use steadfast::fault::RetrySignals;

use crate::Checked;
use crate::cases::{Case, expect, expect_seconds};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    header: String,
    value: Value,
    /// Now, as an HTTP-date.
    now: Option<String>,
    hint: Value,
}

pub(crate) fn check(case: &Case) -> Checked {
    let Read { header, value, now, hint } = case.read()?;
    let text = || value.as_str().ok_or("the value of a header is a text");
    let found = match header.as_str() {
        "retry-after" => Ok(Hint::retry_after(text()?, moment(&now.ok_or("when is now?")?)?)),
        "grpc-retry-pushback-ms" => Ok(Some(Hint::grpc_pushback(text()?))),
        "fact" => serde_json::from_value(value).map(Some),
        unknown => return Err(format!("unknown hint `{unknown}`")),
    };
    match (found, hint) {
        (Ok(Some(Hint::After(wait))), Value::Number(seconds)) => {
            expect_seconds("the hint", wait, seconds.as_f64().ok_or("too large")?)
        }
        (Ok(None), Value::Null) => Ok(()),
        (Ok(Some(Hint::Stop)), Value::String(stop)) => expect("the hint", "stop", stop.as_str()),
        (Err(_), Value::String(refused)) => expect("the hint", "refused", refused.as_str()),
        (found, expected) => Err(format!("the hint is {found:?}, not {expected}")),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Response {
    status: u16,
    headers: HashMap<String, String>,
    /// Now, as an HTTP-date.
    now: String,
    hint: Option<f64>,
    source: Option<String>,
    should_retry: Option<bool>,
}

pub(crate) fn signals(case: &Case) -> Checked {
    let Response { status, headers, now, hint, source, should_retry } = case.read()?;
    let header = |name: &str| headers.get(name).map(String::as_str);
    let fault = RetrySignals::ALL.http_fault(status, header, moment(&now)?);
    expect("the status", fault.http_status, Some(status))?;
    expect("whether to retry", fault.should_retry, should_retry)?;
    expect("the source", fault.hint_source.map(|signal| signal.name().to_owned()), source)?;
    match (fault.hint, hint) {
        (Some(Hint::After(wait)), Some(seconds)) => expect_seconds("the hint", wait, seconds),
        (found, expected) => expect("the hint", found.is_some(), expected.is_some()),
    }
}

/// The moment of a date, by the way that hints are read themselves.
fn moment(date: &str) -> Result<SystemTime, String> {
    match Hint::retry_after(date, SystemTime::UNIX_EPOCH) {
        Some(Hint::After(since)) => Ok(SystemTime::UNIX_EPOCH + since),
        _ => Err(format!("{date} is no date")),
    }
}
