//! The PostgreSQL server that all test programs of one run share.
//!
//! A test program without one starts its own, which costs a second or two each. The shared
//! server ends with the run, however the run ends.

use std::env;

use steadfast_testing::postgres::{Cluster, Settings, TEST_SERVER};

use crate::run::{Failure, Run};

/// The shared server, started on first use.
#[derive(Default)]
pub(super) struct SharedPostgres(Option<Cluster>);

impl SharedPostgres {
    /// Passes the server's URL to `run`. A server named in the environment takes precedence.
    pub(super) fn provide(&mut self, run: Run) -> Result<Run, Failure> {
        if env::var_os(TEST_SERVER).is_some() {
            return Ok(run);
        }
        let cluster = match &self.0 {
            Some(cluster) => cluster,
            None => self.0.insert(start()?),
        };
        Ok(run.variable(TEST_SERVER, cluster.url("postgres")))
    }
}

fn start() -> Result<Cluster, Failure> {
    eprintln!("    starting PostgreSQL for all tests");
    Cluster::start(Settings::default()).map_err(|error| Failure::plain(error.what(), error.next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_runs_get_the_same_server() {
        let mut server = SharedPostgres::default();
        let mut url = || {
            let shell = Run::new("sh").arguments(["-c", "echo $STEADFAST_TEST_POSTGRES"]);
            server.provide(shell).unwrap().read().unwrap()
        };
        let first = url();
        assert!(first.starts_with("postgres"), "{first}");
        assert_eq!(url(), first);
    }
}
