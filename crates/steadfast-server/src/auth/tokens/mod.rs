//! The tokens file: who may come in, and as what (K1).
//!
//! ```toml
//! [[token]]
//! name = "ci"
//! role = "operator"
//! hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
//! expires_at = 2027-02-14T00:00:00Z
//! ```
//!
//! It holds no secret, for what is in it cannot be turned back into a token. It is TOML because
//! a block at its end is a whole entry, so that a new token is added by appending.

mod new_token;
mod parse;
mod problem;

use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use steadfast::file::Source;
use subtle::{Choice, ConditionallySelectable};

pub use new_token::{FreshToken, NoToken};
pub use problem::{TokenProblem, TokenProblems};

use super::Role;
use super::secret_hash::{Kept, is_token};

/// Somebody who may come in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    name: String,
    role: Role,
    expires_at: Option<Timestamp>,
    kept: Kept,
}

impl Token {
    /// What its holder is called in the audit log.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What its holder may do.
    #[must_use]
    pub const fn role(&self) -> Role {
        self.role
    }

    /// From when on it is worth nothing.
    #[must_use]
    pub const fn expires_at(&self) -> Option<Timestamp> {
        self.expires_at
    }

    /// Whether its time is over.
    #[must_use]
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|end| end <= now)
    }

    /// How long it is still worth something, if that ends.
    pub(crate) fn left(&self, now: Timestamp) -> Option<Duration> {
        let left = self.expires_at?.duration_since(now);
        Some(left.try_into().unwrap_or_default())
    }
}

/// Everybody who may come in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens(Vec<Token>);

impl Tokens {
    /// Reads a tokens file.
    ///
    /// # Errors
    /// It cannot be read, or something in it is wrong: everything is told.
    pub fn read(path: &Path) -> Result<Self, TokenProblems> {
        Self::parse(&Source::read(path).map_err(TokenProblems::unreadable)?)
    }

    /// Reads the text of a tokens file.
    ///
    /// # Errors
    /// Something in it is wrong: everything is told.
    pub fn parse(source: &Source) -> Result<Self, TokenProblems> {
        parse::tokens(source).map(Self)
    }

    /// Each of them, in their order.
    pub fn iter(&self) -> std::slice::Iter<'_, Token> {
        self.0.iter()
    }

    /// Whether nobody may come in.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whose token this is, if it is anybody's.
    pub(crate) fn holder(&self, presented: &str, now: Timestamp) -> Option<&Token> {
        if !is_token(presented) {
            return None;
        }
        self.of(&Kept::of(presented), now)
    }

    /// The same by what is kept of it. All are looked at, so the time that it takes does not
    /// tell which it was.
    pub(crate) fn of(&self, kept: &Kept, now: Timestamp) -> Option<&Token> {
        let mut found = u64::MAX;
        for (place, token) in (0_u64..).zip(&self.0) {
            let same: Choice = token.kept.same(kept);
            found.conditional_assign(&place, same);
        }
        let token = usize::try_from(found).ok().and_then(|place| self.0.get(place));
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
