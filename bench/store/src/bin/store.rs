//! The report on durable tasks: this project and its peers, on one PostgreSQL and on
//! SQLite, as tables.

use anyhow::{Result, bail};
use clap::{Parser, ValueEnum};
use steadfast_bench_store::measure::postgres::Postgres;
use steadfast_bench_store::measure::programs::Programs;
use steadfast_bench_store::peers;
use steadfast_bench_store::report::{Bench, churn, drain, future, lateness, machine, submit};

/// Measures durable tasks: this project and its peers in one run.
#[derive(Parser)]
struct Arguments {
    /// What to measure; everything if nothing is named.
    sections: Vec<Section>,
    /// One round, few peers, small numbers.
    #[arg(long)]
    quick: bool,
    /// How often each row is measured; the median stands.
    #[arg(long, default_value_t = 3, conflicts_with = "quick")]
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
    /// Claims beside tasks for a later day.
    Future,
    /// From due to handled.
    Lateness,
    /// Under a transaction that stays open.
    Churn,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    for name in &arguments.only {
        if peers::named(name).is_none() {
            let names: Vec<&str> = peers::all().map(|entry| entry.name).collect();
            bail!("no peer is called «{name}». There is: {}", names.join(", "));
        }
    }
    let mut bench = Bench {
        postgres: Postgres::start()?,
        programs: Programs::prepare(arguments.node)?,
        rounds: if arguments.quick { 1 } else { arguments.rounds },
        quick: arguments.quick,
        only: arguments.only,
    };
    for section in Section::value_variants() {
        if arguments.sections.is_empty() || arguments.sections.contains(section) {
            println!("{}", measured(*section, &mut bench)?);
        }
    }
    println!("{}", machine::description(&mut bench)?);
    Ok(())
}

fn measured(section: Section, bench: &mut Bench) -> Result<String> {
    Ok(match section {
        Section::Drain => drain::on_postgres(bench) + "\n" + &drain::on_sqlite(bench)?,
        Section::Submit => submit::on_postgres(bench) + "\n" + &submit::on_sqlite(bench)?,
        Section::Future => future::table_of(bench),
        Section::Lateness => lateness::table_of(bench),
        Section::Churn => churn::table_of(bench),
    })
}
