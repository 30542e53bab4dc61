//! Who does a node (W1): `http`, `command`, or a handler of that name.
//!
//! Which handlers there are is the workers' matter, and workers come and go. But a name that is one
//! slip away from what is built in is that slip far more often than a handler, and its execution
//! would wait for ever. So it is refused where nobody says which handlers there are.

use steadfast::nearest;

/// What a worker can do without a handler of one's own.
const BUILT_IN: [&str; 2] = ["http", "command"];

/// What others call it.
const CALLED_HERE: [(&str, &str); 1] = [("api-call", "http")];

/// What S2 calls every step that does something. What it does, its `subType` says.
const ACTION: &str = "action";

/// What is known of the handlers that there are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Handlers<'h> {
    /// It was asked when the workflow was kept.
    Settled,
    /// Nothing.
    Unknown,
    /// There are these and no others.
    These(&'h [&'h str]),
}

/// Whether a worker needs no handler for it.
pub(super) fn is_built_in(kind: &str) -> bool {
    BUILT_IN.contains(&kind)
}

/// What a step is called here.
pub(super) fn here(kind: &str) -> &str {
    CALLED_HERE.iter().find(|(there, _)| *there == kind).map_or(kind, |(_, here)| here)
}

/// Why nobody does a step of this type; `field` is the one that says it.
pub(super) fn problem(field: &str, kind: &str, handlers: Handlers<'_>) -> Option<String> {
    if is_built_in(here(kind)) && !matches!(handlers, Handlers::These(_)) {
        return None;
    }
    match handlers {
        Handlers::Settled => None,
        Handlers::Unknown if field == "type" && kind == ACTION => {
            Some("is no step by itself: say in its subType what it does, such as \"http\"".into())
        }
        Handlers::Unknown => {
            let meant = slip(kind)?;
            Some(format!("there is no {kind:?}; did you mean {meant:?}?"))
        }
        Handlers::These(these) if these.contains(&here(kind)) => None,
        Handlers::These(these) => Some(match nearest(kind, these.iter().copied()) {
            Some(near) => format!("nobody handles {kind:?}; did you mean {near:?}?"),
            None => format!("nobody handles {kind:?}"),
        }),
    }
}

/// The name that a type is one slip away from.
fn slip(kind: &str) -> Option<&'static str> {
    let lower = kind.to_ascii_lowercase();
    let mut names = BUILT_IN.into_iter().chain(CALLED_HERE.into_iter().map(|(there, _)| there));
    names.find(|name| lower == *name || is_one_slip(lower.as_bytes(), name.as_bytes()))
}

/// A letter too many, too few or wrong, or two in the wrong order.
fn is_one_slip(one: &[u8], other: &[u8]) -> bool {
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
    fn one_slip_is_one() {
        for wrong in ["htpp", "htttp", "htp", "hhtp", "thtp", "HTTP", "https", "Http"] {
            assert_eq!(slip(wrong), Some("http"), "{wrong}");
        }
        for wrong in ["comand", "commnad", "commands", "Command"] {
            assert_eq!(slip(wrong), Some("command"), "{wrong}");
        }
        for wrong in ["api_call", "apicall", "api-cal", "API-call"] {
            assert_eq!(slip(wrong), Some("api-call"), "{wrong}");
        }
        for another in ["ftp", "html", "http-get", "do", "send-mail", "recommend", "", "tcp"] {
            assert_eq!(slip(another), None, "{another}");
        }
    }
}
