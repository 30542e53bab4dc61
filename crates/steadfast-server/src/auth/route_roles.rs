//! Whom a path is for.
//!
//! A program is told what is wrong as data, a person as a page; what says how the server is, and
//! what the way in looks like, is for everybody, and nobody is asked who they are.

/// Who asks at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Audience {
    /// Whether nobody is asked who they are.
    pub(crate) is_open: bool,
    /// Whether programs ask here, whatever they say that they accept.
    pub(crate) is_programs: bool,
}

impl Audience {
    /// Of this path.
    pub(crate) fn of(path: &str) -> Self {
        let (is_open, is_programs) = match path {
            "/healthz" | "/readyz" | "/openapi.json" => (true, true),
            "/login" => (true, false),
            "/metrics" => (false, true),
            path if path.starts_with("/assets/") => (true, true),
            path => (false, path.starts_with("/api/")),
        };
        Self { is_open, is_programs }
    }
}
