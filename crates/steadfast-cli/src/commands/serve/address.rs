//! Listen addresses as arguments.

use std::net::SocketAddr;

/// Parses an address with a port. Host names are rejected, as they may resolve to unexpected
/// addresses.
pub(super) fn parse(text: &str) -> Result<SocketAddr, String> {
    if let Some(port) = text.strip_prefix("localhost:") {
        return parse(&format!("127.0.0.1:{port}"));
    }
    text.parse().map_err(|_| {
        "must be an address with a port, such as 127.0.0.1:7700, [::1]:7700, or 0.0.0.0:7700 for all \
         addresses of this machine"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// H1: `--listen` takes an address and a port.
    #[test]
    fn listen_address_requires_ip_and_port() {
        for (text, address) in [
            ("127.0.0.1:80", "127.0.0.1:80"),
            ("localhost:80", "127.0.0.1:80"),
            ("[::1]:0", "[::1]:0"),
        ] {
            assert_eq!(parse(text).map(|read| read.to_string()), Ok(address.to_owned()));
        }
        for text in ["7700", "127.0.0.1", "db.internal:80", "localhost:", "127.0.0.1:70000", ""] {
            assert!(parse(text).unwrap_err().contains("127.0.0.1:7700"), "{text}");
        }
    }
}
