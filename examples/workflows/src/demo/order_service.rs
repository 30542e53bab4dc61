//! The shop that orders are sent to: a real HTTP server, in a process of its own, that fails
//! often.
//!
//! It does what every service should that is asked over a network: under one `Idempotency-Key`
//! something is done once, and who asks again gets the same receipt. A workflow service calls *at
//! least* once: when it is killed between the answer and its own record of it, nobody can tell
//! whether the call was made, and it has to be made again. The key makes that harmless.

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
use super::ledger::{Deed, Ledger};
use super::wait_for_parent_exit;
use crate::Problem;

/// What the shop is told.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// What goes wrong.
    #[arg(long)]
    seed: u64,
}

/// What any call takes.
const USUAL: Duration = Duration::from_millis(20);
/// Longer than the nodes wait.
const SLOW: Duration = Duration::from_millis(1500);

#[derive(Debug, Default)]
struct Shop {
    seed: u64,
    books: Mutex<Books>,
}

#[derive(Debug, Default)]
struct Books {
    ledger: Ledger,
    /// The keys that asked for a step of an order, and how often they did.
    asked: HashMap<(String, u64), (Vec<String>, usize)>,
}

/// Serves until whoever started it is gone. Says its address first, and last what it did.
///
/// # Errors
/// It cannot listen.
pub async fn run(told: Arguments) -> Result<(), Problem> {
    let shop = Arc::new(Shop { seed: told.seed, ..Shop::default() });
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
    sleep(USUAL).await;
    let answer = shop.books().answer(shop.seed, &step, order, key, &asked);
    match answer {
        Answer::Done => shop.books().done(key),
        Answer::Slow => {
            // Done, but whoever asked will not hear of it, and must ask again.
            shop.books().receipt(key);
            sleep(SLOW).await;
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
        let first = || Deed { asked: asked.clone(), ..Deed::default() };
        let deed = self.ledger.deeds.entry(key.to_owned()).or_insert_with(first);
        deed.calls += 1;
        let is_again = deed.receipt.is_some();
        deed.again += u32::from(is_again);
        let call = Call { step, order, execution, nth: deed.calls as usize, ever: *ever };
        // What is asked under one key does not change.
        let is_other = deed.asked != *asked;
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

    /// Does what was asked for under a key, if it was not done before.
    fn receipt(&mut self, key: &str) -> Option<u64> {
        let deed = self.ledger.deeds.get_mut(key)?;
        if deed.receipt.is_none() {
            self.ledger.receipts += 1;
            deed.receipt = Some(self.ledger.receipts);
        }
        deed.receipt
    }

    fn done(&mut self, key: &str) -> Response {
        let receipt = self.receipt(key);
        if let Some(deed) = self.ledger.deeds.get_mut(key) {
            deed.successes += 1;
        }
        (StatusCode::CREATED, Json(json!({ "receipt": receipt }))).into_response()
    }
}
