//! Roles.

use std::fmt;
use std::str::FromStr;

/// A role. Each role includes the permissions of the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Reads everything except the audit log.
    Viewer,
    /// Submits, claims, settles and controls tasks.
    Operator,
    /// Also reads the audit log.
    Admin,
}

impl Role {
    /// Every role, least privileged first.
    pub const ALL: [Self; 3] = [Self::Viewer, Self::Operator, Self::Admin];

    /// The name of the role.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Operator => "operator",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A role name that does not exist.
#[derive(Debug, thiserror::Error)]
#[error("unknown role `{0}`; expected viewer, operator or admin")]
pub struct UnknownRoleError(String);

impl FromStr for Role {
    type Err = UnknownRoleError;

    fn from_str(text: &str) -> Result<Self, UnknownRoleError> {
        let found = Self::ALL.into_iter().find(|role| role.name() == text);
        found.ok_or_else(|| UnknownRoleError(text.to_owned()))
    }
}
