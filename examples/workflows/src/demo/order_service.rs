//! The order service: an HTTP server in its own process, with injected faults.
//!
//! It handles an `Idempotency-Key` as every network service should: a request is done once per key,
//! and a repeated call gets the same receipt. A workflow service calls *at least* once: when it is
//! killed after the response and before it has recorded it, it must repeat the call. The key makes that
//! harmless.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::{Json, Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::time::sleep;

use super::faults::{Answer, Call, answer};
use super::ledger::{Ledger, RequestRecord};
use super::wait_for_parent_exit;
use crate::Problem;

/// The arguments of the order service.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Seed of the injected faults.
    #[arg(long)]
    seed: u64,
}

/// The duration of a call.
const CALL_DURATION: Duration = Duration::from_millis(20);
/// Longer than the nodes' timeout.
const SLOW_DURATION: Duration = Duration::from_millis(1500);

#[derive(Debug, Default)]
struct Shop {
    seed: u64,
    books: Mutex<Books>,
}

#[derive(Debug, Default)]
struct Books {
    ledger: Ledger,
    /// The keys used for a step of an order, and the number of calls.
    asked: HashMap<(String, u64), (Vec<String>, usize)>,
}

/// Serves until the parent process ends. Prints its address first, and its ledger last.
///
/// # Errors
/// It cannot listen.
pub async fn run(arguments: Arguments) -> Result<(), Problem> {
    let shop = Arc::new(Shop { seed: arguments.seed, ..Shop::default() });
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}", listener.local_addr()?);
    let routes = Router::new().route("/{step}", post(serve)).with_state(shop.clone());
    tokio::select! {
        served = axum::serve(listener, routes) => served?,
        () = wait_for_parent_exit() => {}
    }
    println!("{}", serde_json::to_string(&shop.books().ledger)?);
    Ok(())
}

async fn serve(
    State(shop): State<Arc<Shop>>,
    Path(step): Path<String>,
    headers: HeaderMap,
    Json(asked): Json<Value>,
) -> Response {
    let key = headers.get("idempotency-key").and_then(|key| key.to_str().ok());
    let (Some(key), Some(order)) = (key, asked.get("order").and_then(Value::as_u64)) else {
        return (StatusCode::BAD_REQUEST, "send an Idempotency-Key and an order").into_response();
    };
    sleep(CALL_DURATION).await;
    let answer = shop.books().answer(shop.seed, &step, order, key, &asked);
    match answer {
        Answer::Done => shop.books().done(key),
        Answer::Slow => {
            // Done, but the response comes after the caller's timeout, so the call is repeated.
            shop.books().receipt(key);
            sleep(SLOW_DURATION).await;
            shop.books().done(key)
        }
        Answer::TooMany => (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "1")]).into_response(),
        Answer::Status(status) => StatusCode::from_u16(status)
            .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
            .into_response(),
    }
}

impl Shop {
    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Books {
    fn answer(&mut self, seed: u64, step: &str, order: u64, key: &str, asked: &Value) -> Answer {
        let (keys, ever) = self.asked.entry((step.to_owned(), order)).or_default();
        *ever += 1;
        if !keys.iter().any(|known| known == key) {
            keys.push(key.to_owned());
        }
        let execution = keys.iter().take_while(|known| *known != key).count() + 1;
        let first = || RequestRecord { asked: asked.clone(), ..RequestRecord::default() };
        let request = self.ledger.requests.entry(key.to_owned()).or_insert_with(first);
        request.calls += 1;
        let is_again = request.receipt.is_some();
        request.again += u32::from(is_again);
        let call = Call { step, order, execution, nth: request.calls as usize, ever: *ever };
        // The body must be the same for all calls under one key.
        let is_other = request.asked != *asked;
        let answer = if is_other { Answer::Status(422) } else { answer(seed, call) };
        self.ledger.count(match answer {
            Answer::Done if is_again => "done before".to_owned(),
            Answer::Done => "done".to_owned(),
            Answer::Slow => "too late".to_owned(),
            Answer::TooMany => "429".to_owned(),
            Answer::Status(status) => status.to_string(),
        });
        answer
    }

    /// Does the request of a key, if it was not done before.
    fn receipt(&mut self, key: &str) -> Option<u64> {
        let request = self.ledger.requests.get_mut(key)?;
        if request.receipt.is_none() {
            self.ledger.receipts += 1;
            request.receipt = Some(self.ledger.receipts);
        }
        request.receipt
    }

    fn done(&mut self, key: &str) -> Response {
        let receipt = self.receipt(key);
        if let Some(request) = self.ledger.requests.get_mut(key) {
            request.successes += 1;
        }
        (StatusCode::CREATED, Json(json!({ "receipt": receipt }))).into_response()
    }
}
