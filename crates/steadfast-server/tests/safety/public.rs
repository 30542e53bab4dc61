//! Addresses that others can reach (K1).

use steadfast_server::{ServeError, Server};
use steadfast_store::Store;

use crate::Tokens;

async fn server(listen: &str) -> Server {
    let store = Store::open("sqlite::memory:").await.unwrap();
    Server::new(store).listen(listen.parse().unwrap()).without_worker()
}

/// K1: an address that others can reach is not listened on unless everybody is asked who they are.
#[tokio::test]
async fn a_public_address_needs_tokens() {
    for listen in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0", "[::ffff:192.0.2.1]:0"] {
        let refused = server(listen).await.bind().await.unwrap_err();
        assert!(matches!(refused, ServeError::Public(_)), "{listen}: {refused}");
        let told = refused.to_string();
        assert!(told.contains("token new") && told.contains("--tokens"), "{told}");
    }
}

/// K1: with tokens it is.
#[tokio::test]
async fn with_tokens_a_public_address_is_taken() {
    let tokens = Tokens::new();
    let bound = server("0.0.0.0:0").await.tokens(tokens.file()).bind().await.unwrap();
    assert!(bound.address().ip().is_unspecified());
}
