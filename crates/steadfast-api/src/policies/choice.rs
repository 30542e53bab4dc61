//! The policy of a new task: a name, or the policy itself.

use std::fmt;
use std::sync::Arc;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::Value;
use steadfast::Policy;
use steadfast::policy::Draft;

/// Which policy a task is to have.
#[derive(Clone, Debug, PartialEq)]
pub enum PolicyChoice {
    /// The one of this name.
    Named(String),
    /// This one. In JSON it is a mapping of a policy's fields, as in a policy file.
    Given(Arc<Policy>),
}

impl<'de> Deserialize<'de> for PolicyChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Forms)
    }
}

struct Forms;

impl<'de> Visitor<'de> for Forms {
    type Value = PolicyChoice;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a policy, or its fields")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<PolicyChoice, E> {
        Ok(PolicyChoice::Named(name.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<PolicyChoice, A::Error> {
        let draft = Draft::deserialize(MapAccessDeserializer::new(fields))?;
        let policy = draft.build().map_err(A::Error::custom)?;
        Ok(PolicyChoice::Given(Arc::new(policy)))
    }
}

impl Serialize for PolicyChoice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let policy = match self {
            Self::Named(name) => return serializer.serialize_str(name),
            Self::Given(policy) => policy,
        };
        let mut written = serde_json::to_value(policy).map_err(S::Error::custom)?;
        // One without a name is written with a name that all such policies would share, and
        // with it their breaker (G4).
        if let (None, Value::Object(fields)) = (policy.id(), &mut written) {
            fields.remove("id");
        }
        written.serialize(serializer)
    }
}
