//! The server report: start time on a store of a million tasks, idle memory, response times of pages,
//! and submissions per second.

mod http;
mod load;
mod server;
mod store;

use std::path::PathBuf;
use std::time::Duration;

use steadfast_bench::programs::Error;
use steadfast_bench::report;

use server::Server;

const CLI: &str = "STEADFAST_CLI";
const STARTS: usize = 5;
const ASKED: usize = 51;

/// What people and programs ask of it.
const QUESTIONS: [&str; 14] = [
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
    let cli = std::env::var_os(CLI).ok_or("STEADFAST_CLI must name the program `steadfast`")?;
    let cli = PathBuf::from(cli);
    let folder = tempfile::tempdir()?;
    let full = store::filled(&cli, folder.path())?;
    let empty = folder.path().join("empty.db");
    print!("{}", starting(&cli, &full)?);
    println!("\n{}", asking(&Server::start(&cli, &full)?)?);
    println!("{}", load::submitting(&Server::start(&cli, &empty)?)?);
    print!("{}", load::listening(&Server::start(&cli, &empty)?)?);
    Ok(())
}

fn starting(cli: &std::path::Path, full: &std::path::Path) -> Result<String, Error> {
    let mut times = Vec::new();
    let mut resident = 0;
    for _ in 0..STARTS {
        let server = Server::start(cli, full)?;
        times.push(server.took);
        std::thread::sleep(Duration::from_secs(2));
        resident = resident.max(server.resident()?);
    }
    let head = ["on SQLite with a million tasks", "measured", "reach"];
    let rows = [
        ["ready after".to_owned(), milliseconds(middle(&mut times)), "≤ 300 ms".to_owned()],
        [
            "resident memory, idle".to_owned(),
            format!("{} MB", resident >> 20),
            "≤ 40 MB".to_owned(),
        ],
    ];
    Ok(report::table(&head, rows.into_iter()))
}

fn asking(server: &Server) -> Result<String, Error> {
    let mut rows = Vec::new();
    for question in QUESTIONS {
        let first = http::get(server.address, question)?;
        let mut times = Vec::new();
        for _ in 0..ASKED {
            times.push(http::get(server.address, question)?);
        }
        times.sort_unstable();
        let longest = times.last().copied().unwrap_or_default();
        rows.push([
            format!("`GET {question}`"),
            milliseconds(first),
            milliseconds(middle(&mut times)),
            milliseconds(longest),
        ]);
    }
    let head = ["with a million tasks; reach ≤ 50 ms", "first", "median", "longest of 51"];
    Ok(report::table(&head, rows.into_iter()))
}

fn middle(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}
