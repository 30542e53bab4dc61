//! A server, asked as if it were a store in this process.
//!
//! Whoever writes against [`steadfast_api::Api`] should not notice where the store is. So
//! [`Remote`] is the same questions over HTTP: every answer is what the server's own store
//! answers, every refusal arrives with what, where and what next as the server said it.
//!
//! ```no_run
//! # async fn example() -> Result<(), steadfast_api::ApiError> {
//! use steadfast_api::{Api, NewTask};
//! use steadfast_client::Remote;
//!
//! let server = Remote::new("http://127.0.0.1:7700")?;
//! let task = NewTask::from_json(r#"{"kind": "http", "payload": {"url": "https://a.example/"}}"#)?;
//! println!("{}", server.submit(task).await?.task.id);
//! # Ok(())
//! # }
//! ```
//!
//! A network loses requests, and answers. What can be asked twice is, for some seconds: a
//! question, an order that means the same the second time, a task, which goes out under an id
//! or a key of its own. Of everything else a request is repeated only if it surely never
//! arrived (J9).

mod address;
mod answer;
mod api;
mod failed;
mod follow;
mod remote;
mod request;
mod tls;

pub use follow::{Following, Gap};
pub use remote::Remote;
