//! The faults that the demo injects into the server.
//!
//! After each blow the tasks get through before the next one falls: what is tried is whether
//! they survive each, not how many they survive at once.

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
            Host::External(_) => storm.tell("not restarted: external server"),
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
    fn tell(&self, what: &str) {
        println!("{:>7.1} s  {what}", self.began.elapsed().as_secs_f64());
    }

    /// Whoever has a statement under way gets 57P01.
    async fn terminate(&self, url: &str) -> Result<(), Problem> {
        let all_but_this = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()";
        for _ in 0..3 {
            let mut connection = PgConnection::connect(url).await?;
            let sessions: i64 = sqlx::query_scalar(all_but_this).fetch_one(&mut connection).await?;
            self.tell(&format!("{sessions} sessions terminated"));
            self.load.until_all_got_through().await?;
        }
        Ok(())
    }

    /// They have written, and are not told.
    async fn cut_in_commit(&self, cluster: &Cluster) -> Result<(), Problem> {
        let cut = block_in_place(|| cluster.cut_in_commit())?;
        self.tell(&format!("{cut} sessions terminated during their commit"));
        self.load.until_all_got_through().await
    }

    async fn restart(&self, cluster: &mut Cluster) -> Result<(), Problem> {
        let ways = [
            (Shutdown::Fast, "server restarted"),
            (Shutdown::Immediate, "server crashed and recovered"),
        ];
        for (how, told) in ways {
            block_in_place(|| cluster.restart(how))?;
            self.tell(told);
            self.load.until_all_got_through().await?;
        }
        Ok(())
    }

    /// How often an attempt followed one that got no connection.
    fn waits_for_the_pool(&self) -> usize {
        let rules = self.records.events().into_iter().filter_map(|event| event.why?.rule);
        rules.filter(|rule| rule == "pool").count()
    }

    async fn refuse(&self, cluster: &mut Cluster) -> Result<(), Problem> {
        block_in_place(|| cluster.stop(Shutdown::Fast))?;
        self.tell("connections refused");
        // The pool has some patience of its own before anybody hears of it and tries again.
        let before = self.waits_for_the_pool();
        let tried_again = async {
            while self.waits_for_the_pool() == before {
                sleep(Duration::from_millis(10)).await;
            }
        };
        timeout(load::PATIENCE, tried_again).await?;
        block_in_place(|| cluster.restart(Shutdown::Fast))?;
        self.tell("connections accepted again");
        self.load.until_all_got_through().await
    }
}
