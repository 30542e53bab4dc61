//! A successful response, as much of it as fits into a task's result.

use std::collections::BTreeMap;

use reqwest::Response;
use reqwest::header::{CONTENT_TYPE, ETAG, HeaderMap, HeaderName, LAST_MODIFIED, LOCATION};
use serde::Serialize;
use steadfast_store::MAX_PAYLOAD;

use super::super::text;

const STORED_HEADERS: [HeaderName; 5] =
    [CONTENT_TYPE, ETAG, LAST_MODIFIED, LOCATION, HeaderName::from_static("x-request-id")];
const MAX_HEADER_JSON_BYTES: usize = 1024;
/// The JSON size at which a body fits into a task's result together with the rest.
const MAX_BODY_JSON_BYTES: usize = MAX_PAYLOAD - 64 * 1024;

/// A successful response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct HttpResponse {
    /// Its status, 200 to 299.
    pub status: u16,
    /// Some of its headers, such as `content-type` and `location`.
    pub headers: BTreeMap<String, String>,
    /// Its body as text.
    pub body: String,
    /// Whether the body is cut because it was too long to read or to store.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

impl HttpResponse {
    /// Reads a response, at most `max` bytes of its body.
    pub(super) async fn read(mut response: Response, max: usize) -> reqwest::Result<Self> {
        let status = response.status().as_u16();
        let headers = stored_headers(response.headers());
        let (bytes, whole) = read_body(&mut response, max).await?;
        let (body, fits) = text::of_bytes(&bytes, MAX_BODY_JSON_BYTES);
        Ok(Self { status, headers, body, truncated: !(whole && fits) })
    }
}

fn stored_headers(headers: &HeaderMap) -> BTreeMap<String, String> {
    let found = STORED_HEADERS.into_iter().filter_map(|name| {
        let (text, _) = text::of_bytes(headers.get(&name)?.as_bytes(), MAX_HEADER_JSON_BYTES);
        Some((name.to_string(), text))
    });
    found.collect()
}

/// Reads the first `max` bytes of a body. Also returns whether they are all.
pub(super) async fn read_body(
    response: &mut Response,
    max: usize,
) -> reqwest::Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        let remaining = max - bytes.len();
        if chunk.len() > remaining {
            bytes.extend(chunk.iter().take(remaining));
            return Ok((bytes, false));
        }
        bytes.extend(chunk);
    }
    Ok((bytes, true))
}
