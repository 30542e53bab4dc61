//! Policies and the choice of one.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// A retry policy with the fields of a policy file. A response has all fields.
#[derive(Debug, Serialize, ToSchema)]
pub struct Policy {
    /// The id of the policy. In a request a number is accepted and read as a string.
    pub id: Option<PolicyId>,
    /// The other fields.
    #[serde(flatten)]
    pub fields: HashMap<String, Value>,
}

/// The id of a policy.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum PolicyId {
    /// The id in responses.
    Text(String),
    /// Accepted in requests.
    Number(f64),
}

/// The name of a policy, or an inline policy.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum PolicyChoice {
    /// The policy with this name.
    Named(String),
    /// An inline policy.
    Given(Policy),
}

/// A name that a policy file maps to a policy.
#[derive(Debug, Serialize, ToSchema)]
pub struct MappedName {
    /// `subsystem.operation.case`.
    pub name: String,
    /// The id of the policy.
    pub policy: String,
}
