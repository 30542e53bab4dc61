//! Server addresses, and the URLs of API paths.

use crate::{ApiError, ErrorKind, path_segment};
use url::Url;

/// The prefix of all API paths.
const API_PREFIX: &str = "/api/v1";

/// The base URL of a server.
#[derive(Clone, Debug)]
pub(crate) struct Address(Url);

impl Address {
    /// Parses an address such as `http://127.0.0.1:7700`, with a path if a proxy adds one.
    pub(crate) fn parse(text: &str) -> Result<Self, ApiError> {
        let url = Url::parse(text).map_err(|error| invalid(text, &error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(invalid(text, "it does not start with http:// or https://"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(invalid("the server's address", "it contains a user and a password")
                .next("remove them, and pass a token instead"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(invalid(text, "it has a query or a fragment"));
        }
        Ok(Self(url))
    }

    /// Whether the server is on this machine.
    pub(crate) fn is_loopback(&self) -> bool {
        match self.0.host() {
            Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(url::Host::Ipv4(address)) => address.is_loopback(),
            Some(url::Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        }
    }

    /// The URL of a health check, which is not part of the API.
    pub(crate) fn health_url(&self, check: &str) -> Url {
        let mut url = self.0.clone();
        url.set_path(&format!("{}/{check}", self.0.path().trim_end_matches('/')));
        url
    }

    /// The URL of an API path. Each segment is percent-encoded.
    pub(crate) fn api_url(&self, segments: &[&str]) -> Result<Url, ApiError> {
        if let Some(name) = segments.iter().find(|name| matches!(**name, "." | ".." | "")) {
            return Err(invalid_segment(name));
        }
        let mut url = self.0.clone();
        let own = url.path().trim_end_matches('/');
        // `path_segments_mut` drops tabs and line feeds, which would send a different name.
        let segments = segments.iter().map(|name| path_segment(name));
        let path =
            std::iter::once(format!("{own}{API_PREFIX}")).chain(segments).collect::<Vec<_>>();
        url.set_path(&path.join("/"));
        Ok(url)
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

fn invalid(text: &str, why: &str) -> ApiError {
    let next = match text.contains("://") {
        true => "use a URL such as http://127.0.0.1:7700 or https://tasks.example.com".to_owned(),
        false => format!("use http://{text}, or https:// if it serves TLS"),
    };
    ApiError::new(ErrorKind::Invalid, format!("`{text}` is not a server URL: {why}"))
        .field("server")
        .next(next)
}

/// The error for a name that URLs cannot carry.
fn invalid_segment(name: &str) -> ApiError {
    ApiError::new(ErrorKind::Invalid, format!("`{name}` cannot be a name in a URL"))
        .next("use the store directly instead of a server")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Section 10: an address may have a path of its own.
    #[test]
    fn api_path_is_appended_to_address() {
        for (address, prefix) in [
            ("http://127.0.0.1:7700", "http://127.0.0.1:7700/api/v1/"),
            ("https://a.example/ops/", "https://a.example/ops/api/v1/"),
        ] {
            let url =
                Address::parse(address).unwrap().api_url(&["queues", "a/b &c?%\t\u{e9}", "pause"]);
            let path = "queues/a%2Fb%20%26c%3F%25%09%C3%A9/pause";
            assert_eq!(url.unwrap().as_str(), format!("{prefix}{path}"));
        }
    }

    /// K4: an invalid address is rejected with a valid example.
    #[test]
    fn invalid_address_is_rejected_with_example() {
        for (text, next) in [
            ("localhost:7700", "use http://localhost:7700"),
            ("7700", "use http://7700"),
            ("ftp://a.example", "http://127.0.0.1:7700"),
            ("http://", "http://127.0.0.1:7700"),
            ("http://a.example/?b", "http://127.0.0.1:7700"),
        ] {
            let error = Address::parse(text).unwrap_err();
            assert_eq!(error.field.as_deref(), Some("server"));
            assert!(error.next.as_deref().unwrap().contains(next), "{error}");
        }
    }

    /// O5: an address with a password is rejected, and the error does not contain it.
    #[test]
    fn address_with_password_is_rejected() {
        let error = Address::parse("http://ada:s3cret@a.example").unwrap_err();
        assert!(error.next.as_deref().unwrap().contains("token"), "{error}");
        assert!(!error.to_string().contains("s3cret"));
    }

    /// K4: a name that would change the path is not sent.
    #[test]
    fn name_of_dots_is_rejected() {
        let address = Address::parse("http://127.0.0.1:7700").unwrap();
        for name in [".", "..", ""] {
            assert!(address.api_url(&["queues", name, "pause"]).is_err(), "{name}");
        }
    }
}
