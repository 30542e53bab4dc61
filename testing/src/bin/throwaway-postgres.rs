//! A PostgreSQL server for as long as this runs, for whoever tries something out.
//!
//! Its URL is the only line on standard output. The server goes away, with all that is
//! in it, at the end of standard input or with this process.

use std::process::ExitCode;

use steadfast_testing::Error;
use steadfast_testing::postgres::{Cluster, Settings, TEST_SERVER};

fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve() -> Result<(), Error> {
    let cluster = Cluster::start(Settings::default())?;
    println!("{}", cluster.url("postgres"));
    eprintln!("PostgreSQL {}, until Ctrl-D.", cluster.version()?);
    eprintln!("Tests use it when {TEST_SERVER} holds its URL.");
    // Whatever ends the input, an error included, ends the server.
    let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
    Ok(())
}
