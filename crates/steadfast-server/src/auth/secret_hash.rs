//! Random secrets and their hashes.
//!
//! Tokens and session ids are 256 random bits, so they cannot be guessed and a fast hash is enough: a
//! slow hash protects passwords that people choose, which are not accepted here, and would slow down
//! every request. Text without the form of a token is rejected whatever it hashes to.

use std::fmt;

use data_encoding::{BASE32_NOPAD, HEXLOWER};
use sha2::{Digest, Sha256};
use subtle::{Choice, ConstantTimeEq};

/// The prefix of all tokens, recognizable for people and secret scanners.
const TOKEN_PREFIX: &str = "sf_";
/// 256 bits in base32.
const TOKEN_CHARS: usize = 52;

/// The SHA-256 hash of a secret.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SecretHash([u8; 32]);

impl SecretHash {
    pub(crate) fn of(secret: &str) -> Self {
        Self(Sha256::digest(secret.as_bytes()).into())
    }

    pub(crate) fn from_hex(text: &str) -> Option<Self> {
        let bytes = HEXLOWER.decode(text.to_ascii_lowercase().as_bytes()).ok()?;
        bytes.try_into().ok().map(Self)
    }

    pub(crate) fn to_hex(self) -> String {
        HEXLOWER.encode(&self.0)
    }

    /// Compares in constant time.
    pub(crate) fn ct_eq(&self, other: &Self) -> Choice {
        self.0.ct_eq(&other.0)
    }
}

impl fmt::Debug for SecretHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretHash(…)")
    }
}

/// 256 random bits in base32.
pub(crate) fn random() -> Result<String, getrandom::Error> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes)?;
    Ok(BASE32_NOPAD.encode(&bytes).to_ascii_lowercase())
}

pub(crate) fn random_token() -> Result<String, getrandom::Error> {
    Ok(format!("{TOKEN_PREFIX}{}", random()?))
}

pub(crate) fn is_token_shaped(text: &str) -> bool {
    let chars = text.strip_prefix(TOKEN_PREFIX).map(str::as_bytes);
    chars.is_some_and(|chars| {
        chars.len() == TOKEN_CHARS && chars.iter().all(u8::is_ascii_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K1: tokens have a recognizable form and are unique.
    #[test]
    fn random_token_has_token_form_and_is_unique() {
        let (one, other) = (random_token().unwrap(), random_token().unwrap());
        assert!(is_token_shaped(&one) && is_token_shaped(&other) && one != other);
        let short = one.get(..54).unwrap();
        for malformed in
            ["", "sf_", "sf_hunter2", short, &format!("{one}a"), &one.replace("sf_", "")]
        {
            assert!(!is_token_shaped(malformed), "{malformed}");
        }
    }

    /// K1: the hash is the SHA-256 of the token.
    #[test]
    fn secret_hash_is_sha256() {
        let hex = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(SecretHash::of("abc").to_hex(), hex);
        let hash = SecretHash::from_hex(&hex.to_uppercase()).unwrap();
        assert!(
            bool::from(hash.ct_eq(&SecretHash::of("abc")))
                && !bool::from(hash.ct_eq(&SecretHash::of("abd")))
        );
        assert!(
            SecretHash::from_hex("ba78").is_none()
                && SecretHash::from_hex(&"g".repeat(64)).is_none()
        );
        assert!(!format!("{hash:?}").contains("ba"));
    }
}
