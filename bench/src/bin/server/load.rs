//! Load: concurrent submissions and many event listeners.

use std::io::Write;
use std::net::SocketAddr;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use steadfast_bench::programs::{Error, run};
use steadfast_bench::report;

use crate::http::{self, Kept};
use crate::milliseconds;
use crate::server::Server;

const FOR: Duration = Duration::from_secs(10);
const CONNECTIONS: usize = 64;
/// Half of what it is to reach.
const EVEN: u32 = 2_500;
const LISTENERS: usize = 10_000;

pub(crate) fn submitting(server: &Server) -> Result<String, Error> {
    let alive = wrk(server, "/healthz", None)?;
    let taken = wrk(server, "/api/v1/tasks", Some(POST))?;
    let mut times = evenly(server.address)?;
    times.sort_unstable();
    let at = |share: usize| times.get(times.len() * share / 1000).copied().unwrap_or_default();
    let head = ["single submissions on SQLite", "measured", "ratio to `GET /healthz`", "reach"];
    let ratio = format!("{:.2}", taken / alive);
    let rows = [
        ["at full load".to_owned(), format!("{taken:.0}/s"), ratio, "≥ 5 000/s".to_owned()],
        [format!("at {EVEN}/s, median"), milliseconds(at(500)), String::new(), String::new()],
        [format!("at {EVEN}/s, 99 %"), milliseconds(at(990)), String::new(), "≤ 50 ms".to_owned()],
    ];
    Ok(report::table(&head, rows.into_iter()))
}

const POST: &str = r#"wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '{"kind":"bill","payload":{"text":"invoice 42"},"run_at":"24h"}'
"#;

/// Requests a second, at full load.
fn wrk(server: &Server, path: &str, script: Option<&str>) -> Result<f64, Error> {
    let mut command = Command::new("wrk");
    command.args(["--threads", "1", "--connections", &CONNECTIONS.to_string()]);
    command.args(["--duration", &format!("{}s", FOR.as_secs())]);
    let mut file = tempfile::NamedTempFile::with_suffix(".lua")?;
    if let Some(script) = script {
        file.write_all(script.as_bytes())?;
        command.arg("--script").arg(file.path());
    }
    let output = run(command.arg(format!("http://{}{path}", server.address)))?;
    let output_text = String::from_utf8(output.stdout)?;
    if output_text.contains("Non-2xx") {
        return Err(format!("some requests were rejected:\n{output_text}").into());
    }
    let rate = output_text.lines().find_map(|line| line.strip_prefix("Requests/sec:"));
    Ok(rate.ok_or("wrk printed no rate")?.trim().parse()?)
}

/// How long each took, counted from when it was to be sent, at an even rate.
fn evenly(address: SocketAddr) -> Result<Vec<Duration>, Error> {
    let each = Duration::from_secs(1) * u32::try_from(CONNECTIONS)? / EVEN;
    let threads: Vec<_> = (0..CONNECTIONS)
        .map(|number| {
            let first = each * u32::try_from(number)? / u32::try_from(CONNECTIONS)?;
            Ok(thread::spawn(move || {
                one_evenly(address, first, each).map_err(|why| why.to_string())
            }))
        })
        .collect::<Result<_, Error>>()?;
    let mut times = Vec::new();
    for thread in threads {
        times.extend(thread.join().map_err(|_| "a client panicked")??);
    }
    Ok(times)
}

fn one_evenly(
    address: SocketAddr,
    first: Duration,
    each: Duration,
) -> Result<Vec<Duration>, Error> {
    let mut connection = Kept::open(address)?;
    let request = http::submission();
    let began = Instant::now();
    let mut times = Vec::new();
    let mut due = first;
    while due < FOR {
        thread::sleep(due.saturating_sub(began.elapsed()));
        connection.ask(&request)?;
        times.push(began.elapsed().saturating_sub(due));
        due += each;
    }
    Ok(times)
}

pub(crate) fn listening(server: &Server) -> Result<String, Error> {
    let before = server.resident()?;
    let mut listeners = Vec::with_capacity(LISTENERS);
    for _ in 0..LISTENERS {
        let mut listener = Kept::open(server.address)?;
        listener.follow("/api/v1/events")?;
        listeners.push(listener);
    }
    let after = server.resident()?;
    let each = (after - before) / u64::try_from(LISTENERS)?;
    let head = ["10 000 idle listeners to events", "measured", "reach"];
    let rows = [
        ["resident memory".to_owned(), format!("{} MB", after >> 20), "≤ 300 MB".to_owned()],
        ["of it for each".to_owned(), format!("{} KB", each >> 10), String::new()],
    ];
    Ok(report::table(&head, rows.into_iter()))
}
