//! The kind of a node (W1): `http`, `command`, or the name of a handler.
//!
//! Handlers are registered by workers, which come and go. But a name that is one typo away from a
//! built-in kind is that typo far more often than a handler, and its execution would wait forever. So
//! it is rejected unless the handlers are given.

use steadfast::__private::nearest;

/// The kinds with built-in handlers.
const BUILT_IN: [&str; 2] = ["http", "command"];

/// Other names of the built-in kinds.
const ALIASES: [(&str, &str); 1] = [("api-call", "http")];

/// The type of every node with an effect in S2; its `subType` is the kind.
const ACTION: &str = "action";

/// The handlers that are known to exist.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Handlers<'h> {
    /// Checked when the workflow was stored.
    Checked,
    /// Not known.
    Unknown,
    /// Exactly these.
    Only(&'h [&'h str]),
}

/// Whether the kind has a built-in handler.
pub(super) fn is_built_in(kind: &str) -> bool {
    BUILT_IN.contains(&kind)
}

/// Replaces an alias by its kind.
pub(super) fn canonical(kind: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| *alias == kind).map_or(kind, |(_, kind)| kind)
}

/// Why no worker handles this kind; `field` is the field that sets it.
pub(super) fn problem(field: &str, kind: &str, handlers: Handlers<'_>) -> Option<String> {
    if is_built_in(canonical(kind)) && !matches!(handlers, Handlers::Only(_)) {
        return None;
    }
    match handlers {
        Handlers::Checked => None,
        Handlers::Unknown if field == "type" && kind == ACTION => {
            Some("\"action\" requires a subType, such as \"http\"".into())
        }
        Handlers::Unknown => {
            let meant = typo_of(kind)?;
            Some(format!("unknown kind {kind:?}; did you mean {meant:?}?"))
        }
        Handlers::Only(handlers) if handlers.contains(&canonical(kind)) => None,
        Handlers::Only(handlers) => Some(match nearest(kind, handlers.iter().copied()) {
            Some(near) => format!("no handler for {kind:?}; did you mean {near:?}?"),
            None => format!("no handler for {kind:?}"),
        }),
    }
}

/// The built-in kind or alias that a kind is one typo away from.
fn typo_of(kind: &str) -> Option<&'static str> {
    let lower = kind.to_ascii_lowercase();
    let mut names = BUILT_IN.into_iter().chain(ALIASES.into_iter().map(|(alias, _)| alias));
    names.find(|name| lower == *name || is_one_typo(lower.as_bytes(), name.as_bytes()))
}

/// One letter inserted, deleted or replaced, or two adjacent letters swapped.
fn is_one_typo(one: &[u8], other: &[u8]) -> bool {
    let front = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let one = one.get(front..).unwrap_or_default();
    let other = other.get(front..).unwrap_or_default();
    let back = one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
    let middle = |text: &[u8]| text.get(..text.len() - back).map(<[u8]>::to_vec);
    match (middle(one).as_deref(), middle(other).as_deref()) {
        (Some([_]), Some([_] | [])) | (Some([]), Some([_])) => true,
        (Some([a, b]), Some([c, d])) => a == d && b == c,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typo_of_a_built_in_kind_is_found() {
        for wrong in ["htpp", "htttp", "htp", "hhtp", "thtp", "HTTP", "https", "Http"] {
            assert_eq!(typo_of(wrong), Some("http"), "{wrong}");
        }
        for wrong in ["comand", "commnad", "commands", "Command"] {
            assert_eq!(typo_of(wrong), Some("command"), "{wrong}");
        }
        for wrong in ["api_call", "apicall", "api-cal", "API-call"] {
            assert_eq!(typo_of(wrong), Some("api-call"), "{wrong}");
        }
        for another in ["ftp", "html", "http-get", "do", "send-mail", "recommend", "", "tcp"] {
            assert_eq!(typo_of(another), None, "{another}");
        }
    }
}
