//! An answer that is a success, as much of it as a task can keep.

use std::collections::BTreeMap;

use reqwest::Response;
use reqwest::header::{CONTENT_TYPE, ETAG, HeaderMap, HeaderName, LAST_MODIFIED, LOCATION};
use serde::Serialize;
use steadfast_store::MAX_PAYLOAD;

use super::super::text;

/// The headers that a result keeps, as far as they are there.
const KEPT: [HeaderName; 5] =
    [CONTENT_TYPE, ETAG, LAST_MODIFIED, LOCATION, HeaderName::from_static("x-request-id")];
const MAX_KEPT_HEADER: usize = 1024;
/// How much JSON a body may become, so that it fits into a task's result with the rest.
const IN_A_RESULT: usize = MAX_PAYLOAD - 64 * 1024;

/// An answer that is a success.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct HttpAnswer {
    /// Its status, 200 to 299.
    pub status: u16,
    /// Some of its headers: what it is, and where to find it again.
    pub headers: BTreeMap<String, String>,
    /// Its body as text.
    pub body: String,
    /// Whether the body was longer than what is read of it, or was none that a task can keep.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

impl HttpAnswer {
    /// Reads an answer to its end, or to the most that is read of one.
    pub(super) async fn read(mut answer: Response, most: usize) -> reqwest::Result<Self> {
        let status = answer.status().as_u16();
        let headers = kept(answer.headers());
        let (bytes, whole) = body(&mut answer, most).await?;
        let (body, fits) = text::of_bytes(&bytes, IN_A_RESULT);
        Ok(Self { status, headers, body, truncated: !(whole && fits) })
    }
}

fn kept(headers: &HeaderMap) -> BTreeMap<String, String> {
    let found = KEPT.into_iter().filter_map(|name| {
        let (text, _) = text::of_bytes(headers.get(&name)?.as_bytes(), MAX_KEPT_HEADER);
        Some((name.to_string(), text))
    });
    found.collect()
}

/// The first bytes of a body, and whether those are all.
pub(super) async fn body(answer: &mut Response, most: usize) -> reqwest::Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await? {
        let room = most - bytes.len();
        if chunk.len() > room {
            bytes.extend(chunk.iter().take(room));
            return Ok((bytes, false));
        }
        bytes.extend(chunk);
    }
    Ok((bytes, true))
}
