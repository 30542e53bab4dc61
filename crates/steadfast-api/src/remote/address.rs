//! Where a server is.

use crate::{ApiError, ErrorKind, path_part};
use url::Url;

/// What every path of the API begins with.
const API: &str = "/api/v1";

/// The address of a server, to which paths can be added.
#[derive(Clone, Debug)]
pub(crate) struct Address(Url);

impl Address {
    /// Reads one: `http://127.0.0.1:7700`, or with a path if the server is behind a proxy.
    pub(crate) fn parse(text: &str) -> Result<Self, ApiError> {
        let url = Url::parse(text).map_err(|error| wrong(text, &error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(wrong(text, "it does not begin with http:// or https://"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(wrong("the server's address", "a user and a password are in it")
                .next("leave them out, and give a token instead"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(wrong(text, "it goes on behind its path"));
        }
        Ok(Self(url))
    }

    /// Whether it is this machine.
    pub(crate) fn is_loopback(&self) -> bool {
        match self.0.host() {
            Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(url::Host::Ipv4(address)) => address.is_loopback(),
            Some(url::Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        }
    }

    /// The address of a question about the server itself, which is not of the API.
    pub(crate) fn of_health(&self, question: &str) -> Url {
        let mut url = self.0.clone();
        url.set_path(&format!("{}/{question}", self.0.path().trim_end_matches('/')));
        url
    }

    /// The address of something of the API. A name is one part of a path, whatever is in it.
    pub(crate) fn of(&self, parts: &[&str]) -> Result<Url, ApiError> {
        if let Some(dots) = parts.iter().find(|part| matches!(**part, "." | ".." | "")) {
            return Err(unnamable(dots));
        }
        let mut url = self.0.clone();
        let own = url.path().trim_end_matches('/');
        // Not by `path_segments_mut`, which drops tabs and line feeds: another name would be sent.
        let parts = parts.iter().map(|part| path_part(part));
        let path = std::iter::once(format!("{own}{API}")).chain(parts).collect::<Vec<_>>();
        url.set_path(&path.join("/"));
        Ok(url)
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

fn wrong(text: &str, why: &str) -> ApiError {
    let next = match text.contains("://") {
        true => "write it like http://127.0.0.1:7700 or https://tasks.example.com".to_owned(),
        false => format!("write http://{text}, or https:// if it has a certificate"),
    };
    ApiError::new(ErrorKind::Invalid, format!("`{text}` is no address of a server: {why}"))
        .field("server")
        .next(next)
}

/// To every reader of URLs these parts mean something else than a name.
fn unnamable(name: &str) -> ApiError {
    ApiError::new(ErrorKind::Invalid, format!("`{name}` cannot be a name in an address"))
        .next("ask the store itself, and not through a server")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Section 10: the address is where the server is, with or without a path of its own.
    #[test]
    fn paths_are_added_to_an_address() {
        for (address, begins) in [
            ("http://127.0.0.1:7700", "http://127.0.0.1:7700/api/v1/"),
            ("https://a.example/ops/", "https://a.example/ops/api/v1/"),
        ] {
            let url = Address::parse(address).unwrap().of(&["queues", "a/b &c?%\t\u{e9}", "pause"]);
            let path = "queues/a%2Fb%20%26c%3F%25%09%C3%A9/pause";
            assert_eq!(url.unwrap().as_str(), format!("{begins}{path}"));
        }
    }

    /// K4: what is no address is told with what would be one.
    #[test]
    fn what_is_no_address_says_what_would_be() {
        for (text, next) in [
            ("localhost:7700", "write http://localhost:7700"),
            ("7700", "write http://7700"),
            ("ftp://a.example", "http://127.0.0.1:7700"),
            ("http://", "http://127.0.0.1:7700"),
            ("http://a.example/?b", "http://127.0.0.1:7700"),
        ] {
            let refused = Address::parse(text).unwrap_err();
            assert_eq!(refused.field.as_deref(), Some("server"));
            assert!(refused.next.as_deref().unwrap().contains(next), "{refused}");
        }
    }

    /// O5: a password in an address is refused, and not told.
    #[test]
    fn a_password_has_no_place_in_an_address() {
        let refused = Address::parse("http://ada:s3cret@a.example").unwrap_err();
        assert!(refused.next.as_deref().unwrap().contains("token"), "{refused}");
        assert!(!refused.to_string().contains("s3cret"));
    }

    /// K4: a name that would lead elsewhere is not sent.
    #[test]
    fn a_name_of_dots_leads_nowhere() {
        let address = Address::parse("http://127.0.0.1:7700").unwrap();
        for name in [".", "..", ""] {
            assert!(address.of(&["queues", name, "pause"]).is_err(), "{name}");
        }
    }
}
