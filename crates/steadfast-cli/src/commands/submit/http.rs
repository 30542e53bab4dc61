//! `steadfast submit http`: a task that calls a service.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use steadfast::duration;
use steadfast_worker::handlers::HttpCall;

use super::content::{self, Content};
use super::single::SingleTask;
use crate::cli::Common;
use crate::error::CliError;
use crate::exit::Exit;
use crate::help::{Example, after_help};
use crate::policy_flags;

const EXAMPLES: &[Example] = &[
    ("steadfast submit http https://api.example.com/ping", "GET, as soon as can be"),
    ("steadfast submit http PUT https://api.example.com/u/1 --body @user.json", "a body of a file"),
    ("steadfast submit http https://api.example.com/pay --body {} --key invoice-42", "only once"),
    ("steadfast submit http https://api.example.com/ --preset patient --dry-run", "see when first"),
    ("steadfast submit http https://api.example.com/report --in 2h --expires-in 1d", "not now"),
];

/// Submit a call of an HTTP API.
///
/// A worker makes the request, and tries again what its policy says is worth it: by default
/// 5xx, 408, 429 and what went wrong on the way. The task's key, or its id if it has none, goes
/// with every attempt as Idempotency-Key. Without a method it is GET, or POST with a body.
#[derive(Debug, Args)]
#[command(
    after_help = after_help(EXAMPLES, &[]),
    after_long_help = after_help(EXAMPLES, &[policy_flags::VALUES])
)]
pub(super) struct Http {
    /// The method, or the URL if there is no method
    #[arg(value_name = "METHOD|URL")]
    first: String,

    /// The URL
    #[arg(value_name = "URL")]
    second: Option<String>,

    /// A header, as NAME: VALUE; may be repeated
    #[arg(short = 'H', long, value_name = "HEADER", value_parser = header)]
    header: Vec<(String, String)>,

    /// The body: JSON if it is JSON, else a text; @FILE is a file, @- is stdin
    #[arg(long, value_name = "BODY", conflicts_with = "body_file")]
    body: Option<String>,

    /// The body, out of a file; - is stdin
    #[arg(long, value_name = "FILE")]
    body_file: Option<PathBuf>,

    /// How long one attempt may take [default: the worker's]
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
                return Err(CliError::usage(format!("the header {name} is there twice"))
                    .with_help("give it once, with both values and a comma between".to_owned()));
            }
        }
        call.body = body.map(Content::into_json).transpose()?;
        call.timeout = self.timeout;
        Ok(call)
    }
}

fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once(':').ok_or("write it like `Accept: text/plain`")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}
