//! The actor of an operator action.

use serde::{Deserialize, Serialize};

/// The actor that the audit log names: a person, a token's name or a program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Actor {
    /// The actor's name.
    #[serde(rename = "actor", alias = "name")]
    pub name: String,
    /// The address or host that the request came from, if known.
    #[serde(rename = "from", alias = "origin")]
    pub origin: Option<String>,
}

impl Actor {
    /// An actor of this name, without an origin.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), origin: None }
    }
}
