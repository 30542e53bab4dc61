//! A policy, read out of an answer.
//!
//! One without a name is answered under a name that all such policies share, so that whoever looks
//! sees something there. Whoever reads it back has a policy without a name again, and shows it as
//! the store would. For `#[serde(deserialize_with = "…")]`.

use std::sync::Arc;

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use steadfast::Policy;
use steadfast::policy::Draft;

/// What a policy without a name is answered as.
const UNNAMED: &str = "unnamed";

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<Policy>, D::Error> {
    read(Map::deserialize(from)?)
}

/// The same for one that nobody could read.
pub(crate) mod option {
    use super::*;

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Arc<Policy>>, D::Error> {
        Option::<Map<String, Value>>::deserialize(from)?.map(read).transpose()
    }
}

fn read<E: Error>(mut fields: Map<String, Value>) -> Result<Arc<Policy>, E> {
    if fields.get("id").is_some_and(|id| id == UNNAMED) {
        fields.remove("id");
    }
    let draft = Draft::deserialize(Value::Object(fields)).map_err(E::custom)?;
    draft.build().map(Arc::new).map_err(E::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P1: what is read is what was answered, and who had no name has none.
    #[test]
    fn a_policy_without_a_name_has_none_when_it_is_read() {
        for policy in [Draft::new().max_attempts(7), Draft::new().id("calls")] {
            let policy = policy.build().unwrap();
            let read = deserialize(serde_json::to_value(&policy).unwrap()).unwrap();
            assert_eq!((read.id(), &*read), (policy.id(), &policy));
        }
    }
}
