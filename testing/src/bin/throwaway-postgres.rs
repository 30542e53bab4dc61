//! A temporary PostgreSQL server for experiments.
//!
//! Its URL is the only line on standard output. The server is removed, with all its data, at the end of
//! standard input or with this process.

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
    eprintln!("PostgreSQL {} is running; press Ctrl-D to stop it", cluster.version()?);
    eprintln!("set {TEST_SERVER} to its URL to use it in tests");
    // The end of the input, or an error, stops the server.
    let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
    Ok(())
}
