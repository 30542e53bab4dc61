//! Property keys in their two spellings.

use super::settings::Target;

/// The member of an annotation on a target.
pub(super) struct Key {
    pub(super) target: Target,
    /// In the spelling of the specification, such as `Retry`.
    pub(super) annotation: String,
    /// In the spelling of the specification, such as `maxRetries`.
    pub(super) member: String,
    pub(super) by_smallrye: bool,
}

const PREFIXES: [&str; 2] = ["smallrye.faulttolerance.", "quarkus.fault-tolerance."];

impl Key {
    /// Parses a key; `None` if it does not belong to an annotation.
    pub(super) fn read(key: &str) -> Option<Self> {
        match PREFIXES.iter().find_map(|prefix| key.strip_prefix(prefix)) {
            Some(rest) => Self::of_smallrye(rest),
            None => Self::of_specification(key),
        }
    }

    /// `global.retry.max-retries` or `"com.example.Class/method".retry.max-retries`.
    fn of_smallrye(rest: &str) -> Option<Self> {
        let (target, rest) = match rest.strip_prefix('"') {
            Some(quoted) => {
                let (target, rest) = quoted.split_once('"')?;
                (Target::read(target), rest.strip_prefix('.')?)
            }
            None => (Target::default(), rest.strip_prefix("global.")?),
        };
        let (annotation, member) = rest.split_once('.')?;
        let member = match (annotation, member) {
            ("retry", "max-duration-unit") => "durationUnit".to_owned(),
            ("retry", "jitter-unit") => "jitterDelayUnit".to_owned(),
            (_, member) => camel(member),
        };
        Some(Self { target, annotation: capital(&camel(annotation)), member, by_smallrye: true })
    }

    /// `Retry/maxRetries`, with an optional class, or class and method, in front.
    fn of_specification(key: &str) -> Option<Self> {
        let (before, member) = key.rsplit_once('/')?;
        let (target, annotation) = match before.rsplit_once('/') {
            Some((target, annotation)) => (Target::read(target), annotation),
            None => (Target::default(), before),
        };
        let (annotation, member) = (annotation.to_owned(), member.to_owned());
        Some(Self { target, annotation, member, by_smallrye: false })
    }
}

impl Target {
    fn read(text: &str) -> Self {
        match text.split_once('/') {
            Some((class, method)) => {
                Self { class: Some(class.to_owned()), method: Some(method.to_owned()) }
            }
            None => Self { class: Some(text.to_owned()), method: None },
        }
    }
}

/// `max-retries` as `maxRetries`.
fn camel(name: &str) -> String {
    let mut words = name.split('-');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |camel, word| camel + &capital(word))
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
