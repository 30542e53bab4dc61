//! A failed request: the error for the caller, and the fault for the retry policy.

use std::error::Error;
use std::time::SystemTime;

use crate::{ApiError, ErrorKind};
use reqwest::header::{HeaderMap, LOCATION};
use reqwest::{Response, StatusCode};
use steadfast::extract;
use steadfast::fault::{Failure, Fault};

use super::address::Address;

/// The failure of one request.
#[derive(Debug)]
pub(crate) struct RequestError {
    pub(crate) error: ApiError,
    fault: Fault,
}

impl Failure for RequestError {
    fn fault(&self) -> Fault {
        self.fault.clone()
    }

    fn message(&self) -> Option<String> {
        Some(self.error.to_string())
    }
}

impl RequestError {
    /// The request got no response, or only a part of it.
    pub(crate) fn no_response(address: &Address, error: &reqwest::Error) -> Self {
        let why = innermost(error);
        let api_error = match error {
            error if error.is_connect() => unreachable(format!(
                "cannot reach the server at {address}: {why}"
            ))
            .next("check that it is running (`steadfast serve`) and that the address is correct"),
            error if error.is_timeout() => {
                unreachable(format!("the server at {address} did not respond in time"))
                    .next("retry, or check the log of the server")
            }
            _ => unreachable(format!("the server at {address} closed the connection: {why}"))
                .next("retry: it may be restarting"),
        };
        Self { error: api_error, fault: error.fault() }
    }

    /// The response is an error.
    pub(crate) async fn error_response(
        address: &Address,
        response: Response,
        repeatable: bool,
    ) -> Self {
        let (status, headers) = (response.status(), response.headers().clone());
        let body = match response.bytes().await {
            Ok(body) => body,
            Err(error) => return Self::no_response(address, &error),
        };
        let problem = serde_json::from_slice::<ApiError>(&body).ok();
        let fault = extract::http_response(status, &headers, SystemTime::now());
        // A server that failed may have executed the request. One that is stopping has not.
        let may_be_executed = status.is_server_error()
            && problem.as_ref().is_none_or(|problem| problem.kind != ErrorKind::Stopping);
        let fault = match may_be_executed && !repeatable {
            true => fault.with_unknown_outcome(),
            false => fault,
        };
        let error = problem.unwrap_or_else(|| unexpected_response(address, status, &headers));
        Self { error, fault }
    }

    /// The response cannot be decoded.
    pub(crate) fn undecodable(address: &Address, error: &serde_json::Error) -> ApiError {
        let detail = format!("cannot decode the response of the server at {address}: {error}");
        ApiError::new(ErrorKind::Other, detail)
            .next("check that it is a Steadfast server of a similar version")
    }
}

fn unreachable(detail: String) -> ApiError {
    ApiError::new(ErrorKind::Unreachable, detail)
}

/// The error for a response that is not of a Steadfast server, such as one of a proxy.
fn unexpected_response(address: &Address, status: StatusCode, headers: &HeaderMap) -> ApiError {
    let detail = format!("{address} responded with {status}, not as a Steadfast server");
    let location = headers.get(LOCATION).and_then(|location| location.to_str().ok());
    let next = match location {
        Some(location) => {
            format!("it redirects to {location}: use that address if it is the server")
        }
        None if status.is_server_error() => "check the proxy in front of the server".to_owned(),
        None => "check the address; /api/v1 is appended to it".to_owned(),
    };
    let kind = match status {
        StatusCode::UNAUTHORIZED => ErrorKind::Unauthenticated,
        StatusCode::FORBIDDEN => ErrorKind::Forbidden,
        StatusCode::BAD_GATEWAY | StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT => {
            ErrorKind::Unreachable
        }
        _ => ErrorKind::Other,
    };
    ApiError::new(kind, detail).next(next)
}

/// The message of the innermost error, which has the cause.
fn innermost(error: &reqwest::Error) -> String {
    let mut innermost: &dyn Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
