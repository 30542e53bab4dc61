//! Two clients in the same fault scenario: with this library, and with immediate retry.

use std::net::{SocketAddr, ToSocketAddrs};
use std::process::ExitCode;

use clap::Parser;
use example_clickhouse::client::{Client, Settings};
use example_clickhouse::faults::fault_proxy::Capacity;
use example_clickhouse::faults::scenario::{Outcome, Problem, Scenario, Way};
use steadfast_testing::clickhouse::Server;

/// Insert batches into ClickHouse during faults, with this library and with
/// immediate retry, and count the rows.
#[derive(Parser)]
#[command(name = "clickhouse")]
struct Flags {
    /// Server to use instead of starting one. It needs a user `default`
    /// without a password, and a query log.
    #[arg(long, value_name = "HOST:PORT", value_parser = resolve)]
    server: Option<SocketAddr>,
    /// Number of batches. After a fifth of them the server is down for a while
    #[arg(long, default_value_t = 90, value_parser = clap::value_parser!(u64).range(5..=10_000))]
    batches: u64,
    /// Seed of the injected faults
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Flags::parse()).await {
        Ok(code) => code,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}

async fn run(flags: Flags) -> Result<ExitCode, Problem> {
    let throwaway = if flags.server.is_none() { Some(Server::start()?) } else { None };
    let address = flags.server.or(throwaway.as_ref().map(Server::address)).ok_or("no server")?;
    let client = Client::new(address, Settings::default())?;
    let version = client.query("SELECT version()").await.map_err(|error| {
        format!("{error}\n  next: check that a ClickHouse server responds at http://{address}/ping")
    })?;

    let Flags { batches, seed, .. } = flags;
    let usual = Scenario::default();
    let storm = Scenario { batches, seed, outage: (batches / 5, usual.outage.1), ..usual };
    introduce(&storm, version.trim(), address);
    // At the same time, so that other load on the machine affects both. They share only the server:
    // each has its own proxy and with it its own capacity.
    let (ours, naive) =
        tokio::try_join!(storm.run(address, Way::Steadfast), storm.run(address, Way::Immediately))?;
    compare(&ours, &naive);
    Ok(if ours.lost + ours.twice == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn introduce(storm: &Scenario, version: &str, address: SocketAddr) {
    let Scenario { batches, per_second, rows, fault_rate, outage, .. } = storm;
    println!("ClickHouse {version} at {address}, behind a fault-injecting proxy");
    println!(
        "  {batches} batches of {rows} rows, {per_second} a second; the server can handle {} and \
         then rejects requests",
        Capacity::INSERTS_PER_SECOND
    );
    println!(
        "  {:.0} % of requests are dropped, cut, slowed down or refused; after {} batches it is \
         down for {:?}.\n",
        fault_rate * 100.0,
        outage.0,
        outage.1
    );
}

fn compare(ours: &Outcome, naive: &Outcome) {
    let line = |what: &str, of: fn(&Outcome) -> u64| {
        println!("  {what:<34}{:>10}{:>18}", of(ours), of(naive));
    };
    println!("  {:<34}{:>10}{:>18}", "", "steadfast", "immediate retry");
    line("rows stored in time", |outcome| outcome.stored_in_time);
    line("rows per second (goodput)", |outcome| outcome.goodput().round() as u64);
    line("requests", |outcome| outcome.requests);
    line("batches settled later", |outcome| outcome.settled);
    line("rows lost", |outcome| outcome.lost);
    line("rows too many", |outcome| outcome.twice);
    println!("\nGoodput ratio: {:.1} times.", ours.goodput() / naive.goodput());
}

fn resolve(server: &str) -> Result<SocketAddr, String> {
    let server = server.strip_prefix("http://").unwrap_or(server).trim_end_matches('/');
    let mut found = server
        .to_socket_addrs()
        .map_err(|error| format!("{error}; use HOST:PORT, such as 127.0.0.1:8123"))?;
    found.next().ok_or_else(|| "no such host".to_owned())
}
