//! Names from other systems, converted for policy files and messages.

pub(super) use steadfast::__private::excerpt;

/// The most characters of a policy's id.
const MAX_ID_CHARS: usize = 80;

/// A policy's id: letters, digits, `_` and `-`, so that an environment variable can name it.
pub(super) fn id(name: &str) -> String {
    let allowed = |letter: &char| letter.is_alphanumeric() || *letter == '_';
    let letters: Vec<char> = name.chars().take(MAX_ID_CHARS).collect();
    let words = letters.split(|letter| !allowed(letter)).filter(|word| !word.is_empty());
    let id = words.map(String::from_iter).collect::<Vec<_>>().join("-");
    if id.is_empty() { "policy".to_owned() } else { id }
}

/// A part of a mapped name, without dots. They become slashes, as in the JVM's class names, so
/// that an export can restore them.
pub(super) fn part(name: &str) -> String {
    if name.is_empty() { "unnamed".to_owned() } else { name.replace('.', "/") }
}

/// The last part of a dotted name.
pub(super) fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}
