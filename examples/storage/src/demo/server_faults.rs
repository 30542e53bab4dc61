//! The faults that the demo injects into the server.
//!
//! After each fault the writers succeed again before the next one: the demo tests each fault by
//! itself, not many at once.

use std::time::{Duration, Instant};

use sqlx::{Connection, PgConnection};
use steadfast::observe::Memory;
use steadfast_testing::postgres::{Cluster, Host, Shutdown};
use tokio::task::block_in_place;
use tokio::time::{sleep, timeout};

use super::load::{self, Load};
use crate::Problem;

pub(crate) async fn play(
    host: &mut Host,
    url: &str,
    load: &Load,
    records: &Memory,
    rounds: u32,
) -> Result<(), Problem> {
    let storm = Storm { load, records, began: Instant::now() };
    load.until_all_got_through().await?;
    for _ in 0..rounds {
        storm.terminate(url).await?;
        match host {
            Host::Started(cluster) => {
                storm.cut_in_commit(cluster).await?;
                storm.restart(cluster).await?;
                storm.refuse(cluster).await?;
            }
            Host::External(_) => storm.log("not restarted: external server"),
        }
    }
    Ok(())
}

struct Storm<'l> {
    load: &'l Load,
    records: &'l Memory,
    began: Instant,
}

impl Storm<'_> {
    fn log(&self, what: &str) {
        println!("{:>7.1} s  {what}", self.began.elapsed().as_secs_f64());
    }

    /// Sessions with a running statement get 57P01.
    async fn terminate(&self, url: &str) -> Result<(), Problem> {
        let all_but_this = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()";
        for _ in 0..3 {
            let mut connection = PgConnection::connect(url).await?;
            let sessions: i64 = sqlx::query_scalar(all_but_this).fetch_one(&mut connection).await?;
            self.log(&format!("{sessions} sessions terminated"));
            self.load.until_all_got_through().await?;
        }
        Ok(())
    }

    /// Their transactions are committed, but the response is lost.
    async fn cut_in_commit(&self, cluster: &Cluster) -> Result<(), Problem> {
        let cut = block_in_place(|| cluster.cut_in_commit())?;
        self.log(&format!("{cut} sessions terminated during their commit"));
        self.load.until_all_got_through().await
    }

    async fn restart(&self, cluster: &mut Cluster) -> Result<(), Problem> {
        let ways = [
            (Shutdown::Fast, "server restarted"),
            (Shutdown::Immediate, "server crashed and recovered"),
        ];
        for (how, what) in ways {
            block_in_place(|| cluster.restart(how))?;
            self.log(what);
            self.load.until_all_got_through().await?;
        }
        Ok(())
    }

    /// How many retries followed a pool timeout.
    fn waits_for_the_pool(&self) -> usize {
        let rules = self.records.events().into_iter().filter_map(|event| event.why?.rule);
        rules.filter(|rule| rule == "pool").count()
    }

    async fn refuse(&self, cluster: &mut Cluster) -> Result<(), Problem> {
        block_in_place(|| cluster.stop(Shutdown::Fast))?;
        self.log("connections refused");
        // The pool waits for its own timeout first.
        let before = self.waits_for_the_pool();
        let tried_again = async {
            while self.waits_for_the_pool() == before {
                sleep(Duration::from_millis(10)).await;
            }
        };
        timeout(load::RECOVERY_TIMEOUT, tried_again).await?;
        block_in_place(|| cluster.restart(Shutdown::Fast))?;
        self.log("connections accepted again");
        self.load.until_all_got_through().await
    }
}
