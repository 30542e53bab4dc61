//! The tokens file: names, roles and hashes of API tokens (K1).
//!
//! ```toml
//! [[token]]
//! name = "ci"
//! role = "operator"
//! hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
//! expires_at = 2027-02-14T00:00:00Z
//! ```
//!
//! It contains no secrets: tokens cannot be recovered from their hashes. In TOML an appended block is a
//! complete entry, so a new token is added by appending.

mod new_token;
mod parse;

use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use steadfast::file::{Problems, Source};
use subtle::{Choice, ConditionallySelectable};

pub use new_token::{NewToken, NewTokenError};

use super::Role;
use super::secret_hash::{SecretHash, is_token_shaped};

/// A token of the tokens file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    name: String,
    role: Role,
    expires_at: Option<Timestamp>,
    hash: SecretHash,
}

impl Token {
    /// The name of the holder in the audit log.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The role of the holder.
    #[must_use]
    pub const fn role(&self) -> Role {
        self.role
    }

    /// When the token expires.
    #[must_use]
    pub const fn expires_at(&self) -> Option<Timestamp> {
        self.expires_at
    }

    /// Whether the token has expired.
    #[must_use]
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|end| end <= now)
    }

    /// The time until the token expires, if it does.
    pub(crate) fn remaining(&self, now: Timestamp) -> Option<Duration> {
        let remaining = self.expires_at?.duration_since(now);
        Some(remaining.try_into().unwrap_or_default())
    }
}

/// The tokens of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens(Vec<Token>);

impl Tokens {
    /// Reads a tokens file.
    ///
    /// # Errors
    /// The file cannot be read or is invalid. All problems are reported.
    pub fn read(path: &Path) -> Result<Self, Problems> {
        Self::parse(&Source::read(path)?)
    }

    /// Parses the text of a tokens file.
    ///
    /// # Errors
    /// The text is invalid. All problems are reported.
    pub fn parse(source: &Source) -> Result<Self, Problems> {
        parse::parse(source).map(Self)
    }

    /// The tokens in file order.
    pub fn iter(&self) -> std::slice::Iter<'_, Token> {
        self.0.iter()
    }

    /// Whether there are no tokens.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Finds a presented token, unless it has expired.
    pub(crate) fn find(&self, presented: &str, now: Timestamp) -> Option<&Token> {
        if !is_token_shaped(presented) {
            return None;
        }
        self.find_hash(&SecretHash::of(presented), now)
    }

    /// Finds a token by its hash. All tokens are compared, so the time does not depend on the match.
    pub(crate) fn find_hash(&self, hash: &SecretHash, now: Timestamp) -> Option<&Token> {
        let mut found = u64::MAX;
        for (index, token) in (0_u64..).zip(&self.0) {
            let same: Choice = token.hash.ct_eq(hash);
            found.conditional_assign(&index, same);
        }
        let token = usize::try_from(found).ok().and_then(|index| self.0.get(index));
        token.filter(|token| !token.is_expired(now))
    }
}

impl<'t> IntoIterator for &'t Tokens {
    type Item = &'t Token;
    type IntoIter = std::slice::Iter<'t, Token>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
