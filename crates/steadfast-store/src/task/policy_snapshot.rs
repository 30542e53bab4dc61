//! A policy as a row has it (P1).
//!
//! A policy that travels has a name, because whoever reads it wants to know which one it is. In a
//! row it is only the task's own: were one without a name given the same name as all others, then
//! all of them would share a breaker (G4).

use serde_json::Value;
use steadfast::Policy;
use steadfast::policy::Draft;

use crate::error::Invalid;
use crate::task::{has_nul, name};

/// The longest that is kept, in bytes of JSON. One is remembered by every process that meets it.
const LONGEST: usize = 16 << 10;

/// As it is written.
pub(crate) fn write(policy: &Policy) -> Result<String, serde_json::Error> {
    let mut written = serde_json::to_value(policy)?;
    if let (None, Value::Object(fields)) = (policy.id(), &mut written) {
        fields.remove("id");
    }
    serde_json::to_string(&written)
}

/// Whether a policy that a task brings along can be kept, and be found in the figures (K4).
pub(crate) fn check(policy: &Policy) -> Result<(), Invalid> {
    policy.id().map_or(Ok(()), |id| name("policy.id", id))?;
    let written = write(policy).map_err(|error| Invalid::new("policy", error.to_string()))?;
    if written.len() > LONGEST {
        let problem = format!("is {} bytes of JSON; at most {LONGEST} are taken", written.len());
        return Err(Invalid::new("policy", problem));
    }
    match has_nul(&written) {
        true => Err(Invalid::new("policy", "has the character U+0000, which a store cannot keep")),
        false => Ok(()),
    }
}

/// As it was.
pub(crate) fn read(text: &str) -> Result<Policy, serde_json::Error> {
    let draft: Draft = serde_json::from_str(text)?;
    draft.build().map_err(serde::de::Error::custom)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// K4: what cannot be kept is told by its field.
    #[test]
    fn a_policy_has_a_longest_and_no_character_that_cannot_be_kept() {
        let refused = |policy: Draft| check(&policy.build().unwrap()).unwrap_err();
        assert_eq!(refused(Draft::new().id("x".repeat(256))).field(), "policy.id");
        assert_eq!(refused(Draft::new().id("a\0b")).field(), "policy.id");
        assert_eq!(refused(Draft::new().description("a\0b")).field(), "policy");
        let long = refused(Draft::new().description("x".repeat(LONGEST))).to_string();
        assert!(long.contains("at most 16384"), "{long}");
        let spelled = Draft::new().id("x".repeat(255)).description(r"C:\u0000").build().unwrap();
        assert_eq!(check(&spelled), Ok(()));
    }

    /// P1, G4: what is read is what was written, and who had no name has none.
    #[test]
    fn a_policy_is_read_as_it_was_written() {
        let named = Policy::fixed(Duration::from_secs(1)).id("calls").build().unwrap();
        let unnamed = Policy::exponential(Duration::from_secs(2)).multiplier(1.6).build().unwrap();
        for policy in [named, unnamed] {
            let read = read(&write(&policy).unwrap()).unwrap();
            assert_eq!((read.id(), &read), (policy.id(), &policy));
        }
        assert!(read("{\"max_attempts\": 0}").is_err());
    }
}
