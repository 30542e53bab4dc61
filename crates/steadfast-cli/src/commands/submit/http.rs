//! `steadfast submit http`: a task that makes an HTTP request.

use std::path::PathBuf;
use std::time::Duration;

use steadfast::duration;
use steadfast_worker::handlers::HttpCall;

use super::content::{self, Content};
use super::single::SingleTask;
use crate::commands::prelude::*;
use crate::policy_flags;

const EXAMPLES: &[Example] = &[
    ("steadfast submit http https://api.example.com/ping", "GET"),
    ("steadfast submit http PUT https://api.example.com/u/1 --body @user.json", "body from a file"),
    ("steadfast submit http https://api.example.com/pay --body {} --key invoice-42", "with a key"),
    ("steadfast submit http https://api.example.com/ --preset patient --dry-run", "preview"),
    ("steadfast submit http https://api.example.com/report --in 2h --expires-in 1d", "delayed"),
];

/// Submit a task that makes an HTTP request.
///
/// A worker makes the request and retries failures under the policy: by default 5xx, 408, 429 and
/// network errors. Every attempt sends the task's key, or its id, as Idempotency-Key. The default
/// method is GET, or POST with a body.
#[derive(Debug, Args)]
#[command(
    after_help = after_help(EXAMPLES, &[]),
    after_long_help = after_help(EXAMPLES, &[policy_flags::VALUES])
)]
pub(super) struct Http {
    /// HTTP method, or the URL
    #[arg(value_name = "METHOD|URL")]
    first: String,

    /// URL, if a method is given
    #[arg(value_name = "URL")]
    second: Option<String>,

    /// Request header, as NAME: VALUE; may be repeated
    #[arg(short = 'H', long, value_name = "HEADER", value_parser = header)]
    header: Vec<(String, String)>,

    /// Request body: JSON if valid, otherwise text; @FILE reads a file, @- stdin
    #[arg(long, value_name = "BODY", conflicts_with = "body_file")]
    body: Option<String>,

    /// File with the request body; - is stdin
    #[arg(long, value_name = "FILE")]
    body_file: Option<PathBuf>,

    /// Timeout of one attempt [default: the worker's]
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    timeout: Option<Duration>,

    #[command(flatten)]
    one: SingleTask,
}

impl Http {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        self.one.run("http", &self.call()?, common)
    }

    fn call(&self) -> Result<HttpCall, CliError> {
        let body = content::of(self.body.as_deref(), self.body_file.as_deref())?;
        let (method, url) = match (&self.second, &body) {
            (Some(url), _) => (self.first.as_str(), url),
            (None, Some(_)) => ("POST", &self.first),
            (None, None) => ("GET", &self.first),
        };
        let mut call = HttpCall::new(method, url);
        for (name, value) in &self.header {
            if call.headers.insert(name.clone(), value.clone()).is_some() {
                return Err(CliError::usage(format!("duplicate header {name}"))
                    .with_help("pass it once, with comma-separated values"));
            }
        }
        call.body = body.map(Content::into_json).transpose()?;
        call.timeout = self.timeout;
        Ok(call)
    }
}

fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once(':').ok_or("must be like `Accept: text/plain`")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}
