//! Deserialization of policies in responses.
//!
//! Earlier versions serialized a policy without an id with a placeholder id. Reading it back removes
//! the placeholder. For `#[serde(deserialize_with = "…")]`.

use std::sync::Arc;

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use steadfast::Policy;
use steadfast::policy::Draft;

/// The placeholder id of a policy without an id.
const UNNAMED: &str = "unnamed";

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<Policy>, D::Error> {
    read(Map::deserialize(from)?)
}

/// The same for a policy that may be `null`.
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

    /// P1: a policy is read as it was serialized, also one without an id.
    #[test]
    fn policy_without_id_is_read_without_id() {
        for policy in [Draft::new().max_attempts(7), Draft::new().id("calls")] {
            let policy = policy.build().unwrap();
            let read = deserialize(serde_json::to_value(&policy).unwrap()).unwrap();
            assert_eq!((read.id(), &*read), (policy.id(), &policy));
        }
    }
}
