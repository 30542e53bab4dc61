//! The server report: startup time and idle memory on a store of a million tasks, response times,
//! submissions per second, and memory per event listener.

mod http;
mod load;
mod server;
mod store;

use std::path::PathBuf;
use std::time::Duration;

use steadfast_bench::programs::Error;
use steadfast_bench::report;

use server::Server;

/// The variable with the path of the program `steadfast`.
const CLI: &str = "STEADFAST_CLI";
const STARTS: usize = 5;
const REQUESTS_PER_PATH: usize = 51;

/// The measured pages and API calls.
const PATHS: [&str; 14] = [
    "/",
    "/tasks",
    "/tasks?status=failed",
    "/tasks?status=scheduled&queue=queue-7",
    "/search?q=request-77777",
    "/tasks?text=sendmail",
    "/queues",
    "/events",
    "/sessions",
    "/api/v1/tasks?limit=50",
    "/api/v1/tasks?status=failed&limit=50",
    "/api/v1/stats",
    "/api/v1/metrics/summary",
    "/metrics",
];

fn main() -> Result<(), Error> {
    let cli = std::env::var_os(CLI)
        .ok_or("STEADFAST_CLI: must be the path of the program `steadfast`")?;
    let cli = PathBuf::from(cli);
    let folder = tempfile::tempdir()?;
    let full = store::create_full(&cli, folder.path())?;
    let empty = folder.path().join("empty.db");
    print!("{}", startup_table(&cli, &full)?);
    println!("\n{}", response_time_table(&Server::start(&cli, &full)?)?);
    println!("{}", load::submit_table(&Server::start(&cli, &empty)?)?);
    print!("{}", load::listener_table(&Server::start(&cli, &empty)?)?);
    Ok(())
}

/// The startup time and the idle memory.
fn startup_table(cli: &std::path::Path, full: &std::path::Path) -> Result<String, Error> {
    let mut times = Vec::new();
    let mut resident = 0;
    for _ in 0..STARTS {
        let server = Server::start(cli, full)?;
        times.push(server.startup_time);
        std::thread::sleep(Duration::from_secs(2));
        resident = resident.max(server.resident()?);
    }
    let head = ["on SQLite with a million tasks", "measured", "goal"];
    let rows = [
        ["ready after".to_owned(), milliseconds(median(&mut times)), "≤ 300 ms".to_owned()],
        [
            "resident memory, idle".to_owned(),
            format!("{} MB", resident >> 20),
            "≤ 40 MB".to_owned(),
        ],
    ];
    Ok(report::table(&head, rows.into_iter()))
}

fn response_time_table(server: &Server) -> Result<String, Error> {
    let mut rows = Vec::new();
    for path in PATHS {
        let first = http::get(server.address, path)?;
        let mut times = Vec::new();
        for _ in 0..REQUESTS_PER_PATH {
            times.push(http::get(server.address, path)?);
        }
        times.sort_unstable();
        let longest = times.last().copied().unwrap_or_default();
        rows.push([
            format!("`GET {path}`"),
            milliseconds(first),
            milliseconds(median(&mut times)),
            milliseconds(longest),
        ]);
    }
    let head = ["with a million tasks; goal ≤ 50 ms", "first", "median", "longest of 51"];
    Ok(report::table(&head, rows.into_iter()))
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}
