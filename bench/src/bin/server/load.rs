//! Load tests: concurrent submissions, and many event listeners.

use std::io::Write;
use std::net::SocketAddr;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use steadfast_bench::programs::{Error, run};
use steadfast_bench::report;

use crate::http::{self, Connection};
use crate::milliseconds;
use crate::server::Server;

const LOAD_DURATION: Duration = Duration::from_secs(10);
const CONNECTIONS: usize = 64;
/// The rate of the latency measurement: half of the goal at full load.
const PACED_REQUESTS_PER_SECOND: u32 = 2_500;
const LISTENERS: usize = 10_000;

/// Submissions at full load and at a fixed rate.
pub(crate) fn submit_table(server: &Server) -> Result<String, Error> {
    let health_rate = wrk(server, "/healthz", None)?;
    let submit_rate = wrk(server, "/api/v1/tasks", Some(SUBMIT_SCRIPT))?;
    let mut times = paced_latencies(server.address)?;
    times.sort_unstable();
    let at =
        |permille: usize| times.get(times.len() * permille / 1000).copied().unwrap_or_default();
    let head = ["single submissions on SQLite", "measured", "ratio to `GET /healthz`", "goal"];
    let ratio = format!("{:.2}", submit_rate / health_rate);
    let rows = [
        ["at full load".to_owned(), format!("{submit_rate:.0}/s"), ratio, "≥ 5 000/s".to_owned()],
        [
            format!("at {PACED_REQUESTS_PER_SECOND}/s, median"),
            milliseconds(at(500)),
            String::new(),
            String::new(),
        ],
        [
            format!("at {PACED_REQUESTS_PER_SECOND}/s, 99 %"),
            milliseconds(at(990)),
            String::new(),
            "≤ 50 ms".to_owned(),
        ],
    ];
    Ok(report::table(&head, rows.into_iter()))
}

/// The wrk script that submits tasks.
const SUBMIT_SCRIPT: &str = r#"wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '{"kind":"bill","payload":{"text":"invoice 42"},"run_at":"24h"}'
"#;

/// Requests per second at full load.
fn wrk(server: &Server, path: &str, script: Option<&str>) -> Result<f64, Error> {
    let mut command = Command::new("wrk");
    command.args(["--threads", "1", "--connections", &CONNECTIONS.to_string()]);
    command.args(["--duration", &format!("{}s", LOAD_DURATION.as_secs())]);
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
    Ok(rate.ok_or("no rate in the output of wrk")?.trim().parse()?)
}

/// The latencies at a fixed rate, each from the scheduled time of its request.
fn paced_latencies(address: SocketAddr) -> Result<Vec<Duration>, Error> {
    let interval = Duration::from_secs(1) * u32::try_from(CONNECTIONS)? / PACED_REQUESTS_PER_SECOND;
    let threads: Vec<_> = (0..CONNECTIONS)
        .map(|number| {
            let first = interval * u32::try_from(number)? / u32::try_from(CONNECTIONS)?;
            Ok(thread::spawn(move || {
                paced_client(address, first, interval).map_err(|error| error.to_string())
            }))
        })
        .collect::<Result<_, Error>>()?;
    let mut times = Vec::new();
    for thread in threads {
        times.extend(thread.join().map_err(|_| "a client panicked")??);
    }
    Ok(times)
}

/// One client of [`paced_latencies`].
fn paced_client(
    address: SocketAddr,
    first: Duration,
    interval: Duration,
) -> Result<Vec<Duration>, Error> {
    let mut connection = Connection::open(address)?;
    let request = http::submit_request();
    let start = Instant::now();
    let mut times = Vec::new();
    let mut due = first;
    while due < LOAD_DURATION {
        thread::sleep(due.saturating_sub(start.elapsed()));
        connection.send(&request)?;
        times.push(start.elapsed().saturating_sub(due));
        due += interval;
    }
    Ok(times)
}

/// The memory of idle event listeners.
pub(crate) fn listener_table(server: &Server) -> Result<String, Error> {
    let before = server.resident()?;
    let mut listeners = Vec::with_capacity(LISTENERS);
    for _ in 0..LISTENERS {
        let mut listener = Connection::open(server.address)?;
        listener.open_stream("/api/v1/events")?;
        listeners.push(listener);
    }
    let after = server.resident()?;
    let per_listener = (after - before) / u64::try_from(LISTENERS)?;
    let head = ["10 000 idle listeners to events", "measured", "goal"];
    let rows = [
        ["resident memory".to_owned(), format!("{} MB", after >> 20), "≤ 300 MB".to_owned()],
        ["per listener".to_owned(), format!("{} KB", per_listener >> 10), String::new()],
    ];
    Ok(report::table(&head, rows.into_iter()))
}
