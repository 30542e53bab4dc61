//! Public addresses (K1).

use steadfast_server::{ServeError, Server};
use steadfast_store::Store;

use crate::Tokens;

async fn server(listen: &str) -> Server {
    let store = Store::open("sqlite::memory:").await.unwrap();
    Server::new(store).listen(listen.parse().unwrap()).without_worker()
}

/// K1: a public address requires authentication.
#[tokio::test]
async fn public_address_requires_tokens() {
    for listen in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0", "[::ffff:192.0.2.1]:0"] {
        let rejected = server(listen).await.bind().await.unwrap_err();
        assert!(matches!(rejected, ServeError::Public(_)), "{listen}: {rejected}");
        let message = rejected.to_string();
        assert!(message.contains("token new") && message.contains("--tokens"), "{message}");
    }
}

/// K1: with tokens it is accepted.
#[tokio::test]
async fn public_address_with_tokens_is_accepted() {
    let tokens = Tokens::new();
    let bound = server("0.0.0.0:0").await.tokens(tokens.file()).bind().await.unwrap();
    assert!(bound.address().ip().is_unspecified());
}
