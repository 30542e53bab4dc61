//! The policy file report: the load time of a large file, compared with deserialization alone, and
//! the time from an edit to its effect.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use serde::Deserialize;
use steadfast::file::{Format, Policies, Source};
use steadfast::registry::Loader;
use steadfast_bench::programs::Error;
use steadfast_bench::{generated, report};

const POLICIES: usize = 1000;
const ROUNDS: usize = 21;
const EDITS: usize = 50;

fn main() -> Result<(), Error> {
    let load = load_table()?;
    let reload = reload_table()?;
    print!("{load}\n{reload}");
    Ok(())
}

/// The file as plain deserializers read it: without positions, layers and rules.
#[derive(Deserialize)]
struct Typed {
    #[expect(dead_code, reason = "only deserialized")]
    version: String,
    policies: BTreeMap<String, TypedPolicy>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only deserialized")]
struct TypedPolicy {
    name: String,
    description: String,
    max_attempts: u32,
    backoff_type: String,
    base_delay: f64,
    max_delay: f64,
    enabled: bool,
    #[serde(default)]
    retryable_exceptions: Vec<String>,
}

fn load_table() -> Result<String, Error> {
    let yaml = generated::policies(POLICIES);
    let tree: serde_json::Value = serde_saphyr::from_str(&yaml)?;
    let (json, toml) = (serde_json::to_string_pretty(&tree)?, toml::to_string(&tree)?);
    let load = |text: &str, format| {
        let source = Source::new("generated", text);
        median_time(|| Policies::parse(&source, format).map(|read| read.iter().count()))
    };
    let yaml_time = load(&yaml, Format::Yaml)?;
    let typed = |read: Typed| read.policies.len();
    let rows = [
        ("steadfast, YAML", yaml_time),
        ("steadfast, JSON", load(&json, Format::Json)?),
        ("steadfast, TOML", load(&toml, Format::Toml)?),
        (
            "serde-saphyr, typed values alone",
            median_time(|| serde_saphyr::from_str(&yaml).map(typed))?,
        ),
        (
            "serde_yaml_ng, typed values alone",
            median_time(|| serde_yaml_ng::from_str(&yaml).map(typed))?,
        ),
        ("serde_json, typed values alone", median_time(|| serde_json::from_str(&json).map(typed))?),
    ];
    let head = ["1 000 policies", "milliseconds", "ratio to steadfast, YAML"];
    Ok(report::table(
        &head,
        rows.into_iter().map(|(name, time)| {
            let ratio = time.as_secs_f64() / yaml_time.as_secs_f64();
            [name.to_owned(), format!("{:.1}", time.as_secs_f64() * 1e3), format!("{ratio:.2}")]
        }),
    ))
}

/// The median time of reading the policies.
fn median_time<E: Into<Error>>(
    mut read: impl FnMut() -> Result<usize, E>,
) -> Result<Duration, Error> {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        if black_box(read().map_err(Into::into)?) != POLICIES {
            return Err("the number of policies read differs from the number generated".into());
        }
        times.push(start.elapsed());
    }
    median_of(times)
}

fn median_of(mut times: Vec<Duration>) -> Result<Duration, Error> {
    times.sort();
    times.get(times.len() / 2).copied().ok_or_else(|| "no times measured".into())
}

/// The time from a write to the reloaded version.
fn reload_table() -> Result<String, Error> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("steadfast.yaml");
    std::fs::write(&path, generated::policies(POLICIES))?;
    let (sender, changes) = channel();
    let sender = Mutex::new(sender);
    let on_change = move |_: &_| {
        let sent = sender.lock().map(|sender| sender.send(Instant::now()));
        drop(sent);
    };
    let _registry = Loader::file(&path).on_change(on_change).load()?;
    let mut times = Vec::new();
    for edit in 0..EDITS {
        let start = Instant::now();
        std::fs::write(&path, format!("# {edit}\n{}", generated::policies(POLICIES)))?;
        times.push(changes.recv_timeout(Duration::from_secs(5))?.duration_since(start));
    }
    let longest = times.iter().max().copied().unwrap_or_default();
    let head = ["a change takes effect after", "milliseconds"];
    let rows = [("median", median_of(times)?), ("longest of 50", longest)];
    Ok(report::table(
        &head,
        rows.into_iter()
            .map(|(name, time)| [name.to_owned(), format!("{:.0}", time.as_secs_f64() * 1e3)]),
    ))
}
