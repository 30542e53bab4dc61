//! Secrets that nobody can guess, and what is kept of them.
//!
//! A token and the id of a session are 256 random bits. Nobody finds one by trying, however fast
//! the hash, so a fast one is right: a slow one would make every request slow, and protect
//! nothing but passwords that people think of themselves. Those cannot be presented here: what
//! has not the form of a token is none, whatever it hashes to.

use std::fmt;

use data_encoding::{BASE32_NOPAD, HEXLOWER};
use sha2::{Digest, Sha256};
use subtle::{Choice, ConstantTimeEq};

/// What all tokens begin with, so that people and scanners of leaked secrets know one.
const PREFIX: &str = "sf_";
/// 256 bits, in letters of five.
const LETTERS: usize = 52;

/// What is kept of a secret.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Kept([u8; 32]);

impl Kept {
    pub(crate) fn of(secret: &str) -> Self {
        Self(Sha256::digest(secret.as_bytes()).into())
    }

    /// As it is written in a file.
    pub(crate) fn from_hex(text: &str) -> Option<Self> {
        let bytes = HEXLOWER.decode(text.to_ascii_lowercase().as_bytes()).ok()?;
        bytes.try_into().ok().map(Self)
    }

    pub(crate) fn to_hex(self) -> String {
        HEXLOWER.encode(&self.0)
    }

    /// Whether they are the same, in a time that does not tell how much of them is.
    pub(crate) fn same(&self, other: &Self) -> Choice {
        self.0.ct_eq(&other.0)
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Kept(…)")
    }
}

/// 256 random bits as letters and figures.
pub(crate) fn random() -> Result<String, getrandom::Error> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes)?;
    Ok(BASE32_NOPAD.encode(&bytes).to_ascii_lowercase())
}

/// A token that was never there.
pub(crate) fn fresh_token() -> Result<String, getrandom::Error> {
    Ok(format!("{PREFIX}{}", random()?))
}

/// Whether this can be a token.
pub(crate) fn is_token(text: &str) -> bool {
    let letters = text.strip_prefix(PREFIX).map(str::as_bytes);
    letters.is_some_and(|letters| {
        letters.len() == LETTERS && letters.iter().all(u8::is_ascii_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K1: a token has a form of its own, and no two are alike.
    #[test]
    fn a_fresh_token_has_the_form_of_one() {
        let (one, other) = (fresh_token().unwrap(), fresh_token().unwrap());
        assert!(is_token(&one) && is_token(&other) && one != other);
        let short = one.get(..54).unwrap();
        for wrong in ["", "sf_", "sf_hunter2", short, &format!("{one}a"), &one.replace("sf_", "")] {
            assert!(!is_token(wrong), "{wrong}");
        }
    }

    /// K1: what is kept is the SHA-256 of the token, as any other program computes it.
    #[test]
    fn what_is_kept_is_a_hash() {
        let hex = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Kept::of("abc").to_hex(), hex);
        let kept = Kept::from_hex(&hex.to_uppercase()).unwrap();
        assert!(
            bool::from(kept.same(&Kept::of("abc"))) && !bool::from(kept.same(&Kept::of("abd")))
        );
        assert!(Kept::from_hex("ba78").is_none() && Kept::from_hex(&"g".repeat(64)).is_none());
        assert!(!format!("{kept:?}").contains("ba"));
    }
}
