//! A token that is made now. It is shown once, and only its hash is kept.

use std::fmt;

use jiff::Timestamp;

use super::parse::wrong_name;
use crate::auth::Role;
use crate::auth::secret_hash::{Kept, fresh_token};

/// A new token, and the entry for its file.
pub struct FreshToken {
    secret: String,
    name: String,
    role: Role,
    expires_at: Option<Timestamp>,
}

/// Why no token can be made.
#[derive(Debug, thiserror::Error)]
pub enum NoToken {
    /// Nobody can be called that.
    #[error("{0}")]
    Name(String),
    /// The system has no random bits.
    #[error("the system gives no random bits: {0}")]
    Random(#[from] getrandom::Error),
}

impl FreshToken {
    /// Makes a token of 256 random bits.
    ///
    /// # Errors
    /// Nobody can have this name, or the system has no random bits.
    pub fn new(
        name: impl Into<String>,
        role: Role,
        expires_at: Option<Timestamp>,
    ) -> Result<Self, NoToken> {
        let name = name.into();
        match wrong_name(&name) {
            Some(problem) => Err(NoToken::Name(problem)),
            None => Ok(Self { secret: fresh_token()?, name, role, expires_at }),
        }
    }

    /// The token itself.
    #[must_use]
    pub fn secret(&self) -> &str {
        &self.secret
    }

    /// What belongs into the tokens file.
    #[must_use]
    pub fn entry(&self) -> String {
        let Self { secret, name, role, expires_at } = self;
        // A name has no letter that TOML would have to be told about.
        let mut entry = format!(
            "[[token]]\nname = \"{name}\"\nrole = \"{role}\"\nhash = \"{}\"\n",
            Kept::of(secret).to_hex()
        );
        if let Some(end) = expires_at {
            entry.push_str(&format!("expires_at = {end:.0}\n"));
        }
        entry
    }
}

impl fmt::Debug for FreshToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, role, expires_at, .. } = self;
        let fields = &mut f.debug_struct("FreshToken");
        fields.field("name", name).field("role", role).field("expires_at", expires_at);
        fields.finish_non_exhaustive()
    }
}
