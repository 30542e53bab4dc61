//! The store report: this project and its peers, on one PostgreSQL and on SQLite, as tables.

use anyhow::Result;
use clap::{Parser, ValueEnum};
use steadfast_bench_store::measure::postgres::Postgres;
use steadfast_bench_store::measure::programs::Programs;
use steadfast_bench_store::report::choice::Choice;
use steadfast_bench_store::report::{Bench, churn, drain, file, future, lateness, machine, submit};

/// Measures durable tasks: this project and its peers in one run.
#[derive(Parser)]
struct Arguments {
    /// What to measure; everything if nothing is named.
    sections: Vec<Section>,
    /// One round, few peers, small numbers.
    #[arg(long)]
    quick: bool,
    /// How often each row is measured; the median stands. Those with a million tasks in the
    /// future take minutes to fill, and are measured once.
    #[arg(long, default_value_t = 3, conflicts_with = "quick", value_parser = at_least_one)]
    rounds: usize,
    /// Peers that run on Node as well, which npm installs in a temporary folder.
    #[arg(long)]
    node: bool,
    /// These peers alone, beside what they are compared with.
    #[arg(long, value_name = "PEER")]
    only: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Section {
    /// No-op tasks worked off, on both stores.
    Drain,
    /// Tasks submitted, on both stores.
    Submit,
    /// A file of tasks, submitted by the command line.
    File,
    /// Claims beside tasks for a later day.
    Future,
    /// From due to handled.
    Lateness,
    /// Under a transaction that stays open.
    Churn,
}

impl Section {
    const fn fills_for_minutes(self) -> bool {
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
            bench.rounds = if section.fills_for_minutes() { 1 } else { rounds };
            println!("{}", measured(*section, &mut bench)?);
        }
    }
    bench.rounds = rounds;
    println!("{}", machine::description(&mut bench)?);
    Ok(())
}

fn at_least_one(word: &str) -> Result<usize, String> {
    match word.parse() {
        Ok(rounds) if rounds > 0 => Ok(rounds),
        _ => Err("a number from 1".to_owned()),
    }
}

fn measured(section: Section, bench: &mut Bench) -> Result<String> {
    Ok(match section {
        Section::Drain => drain::on_postgres(bench) + "\n" + &drain::on_sqlite(bench)?,
        Section::Submit => submit::on_postgres(bench) + "\n" + &submit::on_sqlite(bench)?,
        Section::File => file::table_of(bench)?,
        Section::Future => future::table_of(bench),
        Section::Lateness => lateness::table_of(bench),
        Section::Churn => churn::table_of(bench),
    })
}
