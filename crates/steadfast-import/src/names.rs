//! Names from other systems, converted for policy files and messages.

pub(super) use steadfast::file::excerpt;

/// The most characters of a policy's id.
const MAX_ID_CHARS: usize = 80;

/// A policy's id: letters, digits, `_` and `-`, so that an environment variable can name it.
pub(super) fn id(name: &str) -> String {
    let allowed =
        |letter: char| if letter.is_alphanumeric() || letter == '_' { letter } else { '-' };
    let mut id = String::new();
    for letter in name.chars().map(allowed).take(MAX_ID_CHARS) {
        if letter != '-' || !id.ends_with('-') {
            id.push(letter);
        }
    }
    let id = id.trim_matches('-');
    if id.is_empty() { "policy".to_owned() } else { id.to_owned() }
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
