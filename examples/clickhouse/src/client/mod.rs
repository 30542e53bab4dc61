//! The client: inserts with exactly one effect, and retried queries.
//!
//! Queries are safe to repeat, inserts are not:
//!
//! | | after an unknown outcome |
//! |---|---|
//! | [`query`](Client::query) | is sent again: it changes nothing |
//! | [`insert`](Client::insert) | the query log is checked; sent again only if the rows are not stored |
//! | the same with [tokens](Settings::tokens) | is sent again: the server drops a repeat |
//!
//! A batch that was given up is not lost: the caller can [`settle`](Client::settle) it later.

mod batch;
mod error;
mod lookup;
mod pool;
mod settings;

use std::net::SocketAddr;

use bytes::Bytes;
use http_body_util::Full;
use hyper::Request;
use hyper::header::{CONTENT_ENCODING, HOST};
use steadfast::policy::{Nested, PolicyError};
use steadfast::{Effect, Policy, Report, RetryError, retry};

pub use batch::{Batch, QueryId};
pub use error::{Error, Refusal};
pub use pool::{Connection, Pool};
pub use settings::Settings;

/// A client of one ClickHouse server. All clients of a server in this process share its breaker
/// and its budget.
#[derive(Debug)]
pub struct Client {
    server: SocketAddr,
    pool: Pool,
    policies: Policies,
    tokens: bool,
}

#[derive(Debug)]
struct Policies {
    inserts: Policy,
    queries: Policy,
    /// How long the log is searched.
    looks: Policy,
    /// The policy of each query of the search.
    questions: Policy,
}

impl Client {
    /// A client of this server.
    ///
    /// # Errors
    /// The settings are invalid.
    pub fn new(server: SocketAddr, settings: Settings) -> Result<Self, PolicyError> {
        let requests = settings.requests.id(format!("clickhouse {server}"));
        let policies = Policies {
            inserts: requests.clone().idempotent(false).build()?,
            queries: requests.idempotent(true).build()?,
            looks: settings.looks.nested(Nested::Both).build()?,
            questions: settings.questions.build()?,
        };
        let pool = Pool::new(server, settings.connections, settings.wait_timeout);
        Ok(Self { server, pool, policies, tokens: settings.tokens })
    }

    /// The response to a statement that may be sent more than once.
    ///
    /// # Errors
    /// It was given up.
    pub async fn query(&self, statement: &str) -> Result<String, RetryError<Error>> {
        let session = retry(&self.policies.queries, || self.send_statement(statement));
        session.named("clickhouse.query").await
    }

    /// Stores a batch, once.
    ///
    /// # Errors
    /// It was given up. After [`NotSafeToRetry`](steadfast::Reason::NotSafeToRetry), and with
    /// tokens, it may be stored; otherwise it is not.
    pub async fn insert(&self, batch: &Batch) -> Result<Report, RetryError<Error>> {
        let session = retry(&self.policies.inserts, || self.insert_once(batch))
            .named("clickhouse.insert")
            .maybe_key(self.tokens.then(|| batch.id.as_str().into()))
            .probe(|_| self.resolve(batch))
            .with_report();
        session.await.map(|((), report)| report)
    }

    /// Stores a batch that was given up earlier, unless it turns out to be stored. `false`:
    /// its outcome is still unknown.
    ///
    /// # Errors
    /// It was given up again.
    pub async fn settle(&self, batch: &Batch) -> Result<bool, RetryError<Error>> {
        match self.resolve(batch).await {
            Effect::Yes(()) => Ok(true),
            Effect::Unknown if !self.tokens => Ok(false),
            _ => self.insert(batch).await.map(|_| true),
        }
    }

    /// Its connections.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Whether a batch without a response took effect. With tokens, the server itself drops a
    /// repeat.
    async fn resolve(&self, batch: &Batch) -> Effect<()> {
        if self.tokens { Effect::Unknown } else { self.took_effect(batch).await }
    }

    /// One attempt of [`insert`](Self::insert).
    ///
    /// # Errors
    /// The error of the attempt.
    pub async fn insert_once(&self, batch: &Batch) -> Result<(), Error> {
        let statement = format!("INSERT INTO {} FORMAT JSONEachRow", batch.table);
        let id = batch.id.as_str();
        let mut parameters = vec![("query", &*statement), ("query_id", id)];
        parameters.push(("insert_deduplicate", "1"));
        if self.tokens {
            parameters.push(("insert_deduplication_token", id));
            // The batch is a block already and must not be merged with other clients' rows.
            parameters.push(("async_insert", "0"));
        }
        let request = self.request(&parameters).header(CONTENT_ENCODING, "gzip");
        self.send(request, batch.body.clone()).await.map(drop)
    }

    async fn send_statement(&self, statement: &str) -> Result<String, Error> {
        let request = self.request(&[]);
        let answer = self.send(request, Bytes::copy_from_slice(statement.as_bytes())).await?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }

    /// The parameters of every request: log the query, and respond when it has ended.
    fn request(&self, parameters: &[(&str, &str)]) -> hyper::http::request::Builder {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("log_queries", "1").append_pair("wait_end_of_query", "1");
        query.extend_pairs(parameters);
        Request::post(format!("/?{}", query.finish())).header(HOST, self.server.to_string())
    }

    async fn send(
        &self,
        request: hyper::http::request::Builder,
        body: Bytes,
    ) -> Result<Bytes, Error> {
        let request = request.body(Full::new(body))?;
        let mut connection = self.pool.checkout().await?;
        let answer = connection.exchange(request).await;
        self.pool.checkin(connection, answer.as_ref().err());
        answer
    }
}
