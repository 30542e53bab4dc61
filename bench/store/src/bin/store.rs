//! The store report: tables of this project and its peers, on PostgreSQL and on SQLite.

use anyhow::Result;
use clap::{Parser, ValueEnum};
use steadfast_bench_store::measure::postgres::Postgres;
use steadfast_bench_store::measure::programs::Programs;
use steadfast_bench_store::report::choice::Choice;
use steadfast_bench_store::report::{Bench, churn, drain, file, future, lateness, machine, submit};

/// Measure durable tasks of this project and its peers.
#[derive(Parser)]
struct Arguments {
    /// The sections to measure [default: all].
    sections: Vec<Section>,
    /// Measure one round of few peers with few tasks.
    #[arg(long)]
    quick: bool,
    /// The number of measurements per row; the report has the medians. Rows with a million scheduled
    /// tasks take minutes to fill and are measured once.
    #[arg(long, default_value_t = 3, conflicts_with = "quick", value_parser = parse_rounds)]
    rounds: usize,
    /// Include the peers that run on Node.js. npm installs them in a temporary directory.
    #[arg(long)]
    node: bool,
    /// Measure only this peer and the raw loop. Can be repeated.
    #[arg(long, value_name = "PEER")]
    only: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Section {
    /// Processing of no-op tasks, on both databases.
    Drain,
    /// Submission, on both databases.
    Submit,
    /// Submission of a task file by the command line.
    File,
    /// Claims among many scheduled tasks.
    Future,
    /// Time from due to handled.
    Lateness,
    /// Throughput under a long-running transaction.
    Churn,
}

impl Section {
    /// Whether filling the database takes minutes.
    const fn is_slow_to_fill(self) -> bool {
        matches!(self, Self::Future | Self::Lateness)
    }
}

fn main() -> Result<()> {
    let Arguments { sections, quick, rounds, node, only } = Arguments::parse();
    let choice = Choice { quick, node, only };
    choice.check()?;
    let rounds = if quick { 1 } else { rounds };
    let (postgres, programs) = (Postgres::start()?, Programs::prepare(node)?);
    let mut bench = Bench { postgres, programs, rounds, choice };
    for section in Section::value_variants() {
        if sections.is_empty() || sections.contains(section) {
            bench.rounds = if section.is_slow_to_fill() { 1 } else { rounds };
            println!("{}", tables(*section, &mut bench)?);
        }
    }
    bench.rounds = rounds;
    println!("{}", machine::description(&mut bench)?);
    Ok(())
}

fn parse_rounds(word: &str) -> Result<usize, String> {
    match word.parse() {
        Ok(rounds) if rounds > 0 => Ok(rounds),
        _ => Err("must be a whole number greater than 0".to_owned()),
    }
}

/// Measures a section and returns its tables.
fn tables(section: Section, bench: &mut Bench) -> Result<String> {
    Ok(match section {
        Section::Drain => drain::postgres_table(bench) + "\n" + &drain::sqlite_table(bench)?,
        Section::Submit => submit::postgres_table(bench) + "\n" + &submit::sqlite_table(bench)?,
        Section::File => file::file_table(bench)?,
        Section::Future => future::postgres_table(bench),
        Section::Lateness => lateness::postgres_table(bench),
        Section::Churn => churn::postgres_table(bench),
    })
}
