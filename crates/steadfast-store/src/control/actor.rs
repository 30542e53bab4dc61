//! The actors of operator actions, and of Steadfast's own.

use serde::{Deserialize, Serialize};

/// The actor of an action: a person, the name of a token, or a program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Actor {
    /// The name of the actor.
    #[serde(alias = "actor")]
    pub name: String,
    /// The address or host of the actor, if it is recorded.
    #[serde(alias = "from")]
    pub origin: Option<String>,
}

impl Actor {
    /// An actor of this name, without an origin.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), origin: None }
    }
}

/// A part of Steadfast that acts by itself, or for an unknown client. Their names are reserved, so
/// that the audit log does not confuse a person with a program (K3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Program {
    /// A client without a name.
    Anonymous,
    /// The server itself.
    Server,
    /// `steadfast serve`, which reloads its policy file.
    Serve,
    /// The engine of workflows.
    Flow,
    /// The store, which prunes the audit log.
    Store,
}

impl Program {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Anonymous, Self::Server, Self::Serve, Self::Flow, Self::Store];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Anonymous => "anonymous",
            Self::Server => "server",
            Self::Serve => "serve",
            Self::Flow => "steadfast-flow",
            Self::Store => "store",
        }
    }

    /// Whether this name is reserved.
    #[must_use]
    pub fn is_called(name: &str) -> bool {
        Self::ALL.iter().any(|one| one.name().eq_ignore_ascii_case(name))
    }
}

impl From<Program> for Actor {
    fn from(program: Program) -> Self {
        Self::new(program.name())
    }
}
