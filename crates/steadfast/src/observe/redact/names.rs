//! Names of secrets.

/// A name that contains one of these is secret: `DB_PASSWORD`, `accessToken`, `X-Api-Key`.
const PARTS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "privatekey",
    "credential",
    "authorization",
    "cookie",
    "signature",
    "jwt",
];

/// These are too short to match within a word: they match a whole name, or its end after a `_` or
/// `-`.
const ENDS: &[&str] = &["pass", "auth", "sig"];

/// Headers whose value extends to the end of the line.
const HEADERS: &[&str] = &["authorization", "cookie"];

/// Whether this is the name of a secret, one of `extra` (in [normal form](normal)) included.
pub(super) fn is_secret(name: &str, extra: &[String]) -> bool {
    PARTS.iter().any(|part| contains(name, part))
        || ENDS.iter().any(|end| ends_with(name, end))
        || extra.iter().any(|key| letters(name).eq(key.bytes()))
}

/// Whether this is a header whose value may have spaces in it.
pub(super) fn is_header(name: &str) -> bool {
    HEADERS.iter().any(|part| contains(name, part))
}

/// A configured key in normal form: without case, `_` and `-`.
pub(super) fn normal(key: &str) -> String {
    key.chars()
        .filter(|letter| !matches!(letter, '_' | '-'))
        .map(|letter| letter.to_ascii_lowercase())
        .collect()
}

/// The compared bytes, in ASCII lower case.
fn letters(name: &str) -> impl Iterator<Item = u8> + Clone + '_ {
    name.bytes().filter(|byte| !matches!(byte, b'_' | b'-')).map(|byte| byte.to_ascii_lowercase())
}

fn contains(name: &str, part: &str) -> bool {
    let mut rest = letters(name);
    loop {
        let mut here = rest.clone();
        if part.bytes().all(|byte| here.next() == Some(byte)) {
            return true;
        }
        if rest.next().is_none() {
            return false;
        }
    }
}

fn ends_with(name: &str, end: &str) -> bool {
    let Some(start) = name.len().checked_sub(end.len()) else {
        return false;
    };
    let (Some(before), Some(last)) = (name.get(..start), name.get(start..)) else {
        return false;
    };
    last.eq_ignore_ascii_case(end) && (before.is_empty() || before.ends_with(['_', '-']))
}
