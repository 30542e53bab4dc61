//! Creation of tokens. The token is shown once, and only its hash is stored.

use std::fmt;

use jiff::Timestamp;

use super::parse::invalid_name;
use crate::auth::Role;
use crate::auth::secret_hash::{SecretHash, random_token};

/// A new token and its entry for the tokens file.
pub struct NewToken {
    secret: String,
    name: String,
    role: Role,
    expires_at: Option<Timestamp>,
}

/// An error while creating a token.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NewTokenError {
    /// The name is invalid.
    #[error("{0}")]
    Name(String),
    /// The system has no randomness.
    #[error("cannot get randomness from the system: {0}")]
    Random(#[from] getrandom::Error),
}

impl NewToken {
    /// Creates a token of 256 random bits.
    ///
    /// # Errors
    /// The name is invalid, or the system has no randomness.
    pub fn new(
        name: impl Into<String>,
        role: Role,
        expires_at: Option<Timestamp>,
    ) -> Result<Self, NewTokenError> {
        let name = name.into();
        match invalid_name(&name) {
            Some(problem) => Err(NewTokenError::Name(problem)),
            None => Ok(Self { secret: random_token()?, name, role, expires_at }),
        }
    }

    /// The token itself.
    #[must_use]
    pub fn secret(&self) -> &str {
        &self.secret
    }

    /// The entry for the tokens file, in TOML.
    #[must_use]
    pub fn entry(&self) -> String {
        let Self { secret, name, role, expires_at } = self;
        // A valid name needs no escaping in TOML.
        let mut entry = format!(
            "[[token]]\nname = \"{name}\"\nrole = \"{role}\"\nhash = \"{}\"\n",
            SecretHash::of(secret).to_hex()
        );
        if let Some(expires_at) = expires_at {
            entry.push_str(&format!("expires_at = {expires_at:.0}\n"));
        }
        entry
    }
}

impl fmt::Debug for NewToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, role, expires_at, .. } = self;
        let fields = &mut f.debug_struct("NewToken");
        fields.field("name", name).field("role", role).field("expires_at", expires_at);
        fields.finish_non_exhaustive()
    }
}
