//! A policy as a row has it (P1).
//!
//! A policy that travels has a name, because whoever reads it wants to know which one it is. In a
//! row it is only the task's own: were one without a name given the same name as all others, then
//! all of them would share a breaker (G4).

use serde_json::Value;
use steadfast::Policy;
use steadfast::policy::Draft;

/// As it is written.
pub(crate) fn write(policy: &Policy) -> Result<String, serde_json::Error> {
    let mut written = serde_json::to_value(policy)?;
    if let (None, Value::Object(fields)) = (policy.id(), &mut written) {
        fields.remove("id");
    }
    serde_json::to_string(&written)
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
