//! Policies, and how one is chosen.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// How something is tried again: the fields of a policy, as in a policy file. Of one that is
/// answered, every value is there.
#[derive(Debug, Serialize, ToSchema)]
pub struct Policy {
    /// Its name. Of one that is sent, a number is the name that its digits make.
    pub id: Option<PolicyId>,
    /// All its other fields.
    #[serde(flatten)]
    pub fields: HashMap<String, Value>,
}

/// The name of a policy.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum PolicyId {
    /// As it is answered.
    Text(String),
    /// As it may be sent.
    Number(f64),
}

/// Which policy: the name of one, or its fields.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum PolicyChoice {
    /// The one of this name.
    Named(String),
    /// This one.
    Given(Policy),
}

/// A name that a policy file maps to a policy.
#[derive(Debug, Serialize, ToSchema)]
pub struct MappedName {
    /// `subsystem.operation.case`.
    pub name: String,
    /// The policy's id.
    pub policy: String,
}
