//! How much a task may be (K4).
//!
//! A store is shared: one caller's mistake (a file as a payload, a log as a queue's name) must
//! not become everybody's slow claim. So every text has a length, and what is too long is
//! refused before anything is written.

use serde::de::IgnoredAny;

use crate::error::Invalid;

/// The longest payload and the longest result, in bytes of JSON: 1 MiB. Keep what is bigger
/// elsewhere, and its address in the payload.
pub const MAX_PAYLOAD: usize = 1 << 20;

/// The longest name of a kind, queue, category or worker, the longest idempotency key and
/// correlation id, in bytes.
pub const MAX_NAME: usize = 255;

/// A name that must be there.
pub(super) fn name(field: &'static str, text: &str) -> Result<(), Invalid> {
    if text.is_empty() {
        return Err(Invalid::new(field, "must not be empty"));
    }
    if text.len() > MAX_NAME {
        let problem = format!("is {} bytes long; at most {MAX_NAME} are taken", text.len());
        return Err(Invalid::new(field, problem));
    }
    if let Some(strange) = text.chars().find(|c| c.is_control()) {
        let problem = format!("has the control character {strange:?}; use printable text");
        return Err(Invalid::new(field, problem));
    }
    Ok(())
}

/// A document that fits.
pub(crate) fn document(field: &'static str, json: &str) -> Result<(), Invalid> {
    if json.len() > MAX_PAYLOAD {
        let problem = format!(
            "is {} bytes of JSON; at most {MAX_PAYLOAD} are taken: keep it elsewhere, and its \
             address here",
            json.len()
        );
        return Err(Invalid::new(field, problem));
    }
    // PostgreSQL has no place for it in a text.
    if json.contains("\\u0000") {
        return Err(Invalid::new(field, "has the character U+0000, which a store cannot keep"));
    }
    Ok(())
}

/// A document that can be read again.
pub(crate) fn is_json(field: &'static str, json: &str) -> Result<(), Invalid> {
    match serde_json::from_str::<IgnoredAny>(json) {
        Ok(_) => Ok(()),
        Err(error) => Err(Invalid::new(field, format!("is not JSON: {error}"))),
    }
}
