//! Names that another system gave, fit for a policy file and for messages.

/// A text from a file, fit for a message: not too long, and nothing that commands a
/// terminal. That is how a path shows its keys.
pub(super) fn shown(text: &str) -> String {
    steadfast::file::shown(text)
}

/// A policy's id: letters, digits, `_` and `-`, so that an environment variable can name it.
pub(super) fn id(name: &str) -> String {
    let kept = |letter: char| if letter.is_alphanumeric() || letter == '_' { letter } else { '-' };
    let mut id = String::new();
    for letter in name.chars().map(kept).take(80) {
        if letter != '-' || !id.ends_with('-') {
            id.push(letter);
        }
    }
    let id = id.trim_matches('-');
    if id.is_empty() { "policy".to_owned() } else { id.to_owned() }
}

/// A part of a mapped name has no dots. The machine of Java writes a class's name with
/// slashes instead, and it can be turned back.
pub(super) fn part(name: &str) -> String {
    if name.is_empty() { "unnamed".to_owned() } else { name.replace('.', "/") }
}

/// The last name of a path with dots.
pub(super) fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}
