//! What a program is called in the audit log when it did something that nobody asked it for (K3).
//!
//! The names are kept together because nobody else may have one: who reads the log could not tell
//! a person of that name from the program.

use crate::control::Actor;

/// A part of Steadfast that acts by itself, or for somebody who is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Program {
    /// Whoever has not said who they are.
    Anonymous,
    /// A server, for itself.
    Server,
    /// `steadfast serve`, which was given another policy file.
    Serve,
    /// What moves executions of workflows on.
    Flow,
    /// A store that forgets what is past its retention.
    Store,
}

impl Program {
    /// Every one of them.
    pub const ALL: [Self; 5] =
        [Self::Anonymous, Self::Server, Self::Serve, Self::Flow, Self::Store];

    /// What it is called.
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

    /// Whether somebody of this name would be taken for one of them.
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
