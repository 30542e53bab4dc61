//! Access rules by path: which routes are public, and which serve programs.
//!
//! Public routes need no authentication. Routes for programs report errors as JSON; the others report
//! them as pages and redirect unauthenticated clients to the login.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RouteAccess {
    pub(crate) is_public: bool,
    /// Whether the route serves programs, whatever they accept.
    pub(crate) is_api: bool,
}

impl RouteAccess {
    pub(crate) fn of(path: &str) -> Self {
        let (is_public, is_api) = match path {
            "/healthz" | "/readyz" | "/openapi.json" => (true, true),
            "/login" => (true, false),
            "/metrics" => (false, true),
            path if path.starts_with("/assets/") => (true, true),
            path => (false, path.starts_with("/api/")),
        };
        Self { is_public, is_api }
    }
}
