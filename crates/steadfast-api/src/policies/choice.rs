//! The choice of a policy in a request: its name, or its fields.

use std::fmt;
use std::sync::Arc;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::Value;
use steadfast::Policy;
use steadfast::policy::Draft;

/// The name of a policy, or an inline policy.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), serde(untagged))]
pub enum PolicyChoice {
    /// The policy with this name.
    Named(String),
    /// An inline policy: in JSON an object with the fields of a policy file.
    Given(Arc<Policy>),
}

impl<'de> Deserialize<'de> for PolicyChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ChoiceVisitor)
    }
}

struct ChoiceVisitor;

impl<'de> Visitor<'de> for ChoiceVisitor {
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
        let mut value = serde_json::to_value(policy).map_err(S::Error::custom)?;
        // A policy without an id is serialized with a placeholder. Policies that share an id share
        // a breaker (G4), so the placeholder is not sent.
        if let (None, Value::Object(fields)) = (policy.id(), &mut value) {
            fields.remove("id");
        }
        value.serialize(serializer)
    }
}
