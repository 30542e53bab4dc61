//! The stored form of a policy (P1).
//!
//! A policy without a name stays without: with a shared default name, all such policies would share a
//! breaker (G4).

use std::sync::Arc;

use steadfast::Policy;
use steadfast::policy::Draft;

use crate::error::InputError;
use crate::task::{has_nul, name};

/// The longest policy, in bytes of JSON. Every process caches the policies that it uses.
const MAX_POLICY_BYTES: usize = 16 << 10;

pub(crate) fn write(policy: &Policy) -> Result<String, InputError> {
    let written = serde_json::to_string(policy);
    written.map_err(|error| InputError::new("policy", error.to_string()))
}

/// Validates an inline policy (K4).
pub(crate) fn check(policy: &Policy) -> Result<(), InputError> {
    policy.id().map_or(Ok(()), |id| name("policy.id", id))?;
    let written = write(policy)?;
    if written.len() > MAX_POLICY_BYTES {
        let problem =
            format!("is {} bytes of JSON; the limit is {MAX_POLICY_BYTES}", written.len());
        return Err(InputError::new("policy", problem));
    }
    match has_nul(&written) {
        true => Err(InputError::new("policy", "has the character U+0000, which cannot be stored")),
        false => Ok(()),
    }
}

/// Decodes a policy. The error says what is wrong with its task.
pub(crate) fn decode(text: &str) -> Result<Arc<Policy>, String> {
    let draft = serde_json::from_str::<Draft>(text).map_err(|error| error.to_string());
    let policy = draft.and_then(|draft| draft.build().map_err(|error| error.to_string()));
    policy.map(Arc::new).map_err(|error| format!("cannot decode its policy: {error}"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// K4: a policy that cannot be stored is rejected with its field.
    #[test]
    fn policy_that_cannot_be_stored_is_rejected() {
        let refused = |policy: Draft| check(&policy.build().unwrap()).unwrap_err();
        assert_eq!(refused(Draft::new().id("x".repeat(256))).field(), "policy.id");
        assert_eq!(refused(Draft::new().id("a\0b")).field(), "policy.id");
        assert_eq!(refused(Draft::new().description("a\0b")).field(), "policy");
        let long = refused(Draft::new().description("x".repeat(MAX_POLICY_BYTES))).to_string();
        assert!(long.contains("the limit is 16384"), "{long}");
        let spelled = Draft::new().id("x".repeat(255)).description(r"C:\u0000").build().unwrap();
        assert_eq!(check(&spelled), Ok(()));
    }

    /// P1, G4: a decoded policy is the same, with or without a name.
    #[test]
    fn policy_survives_encoding() {
        let named = Policy::fixed(Duration::from_secs(1)).id("calls").build().unwrap();
        let unnamed = Policy::exponential(Duration::from_secs(2)).multiplier(1.6).build().unwrap();
        for policy in [named, unnamed] {
            let read = decode(&write(&policy).unwrap()).unwrap();
            assert_eq!((read.id(), &*read), (policy.id(), &policy));
        }
        assert!(decode("{\"max_attempts\": 0}").is_err());
    }
}
