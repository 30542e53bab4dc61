//! A connection that stays open, as an application holds it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use steadfast_testing::postgres::programs;

use crate::LONG;

pub(crate) struct Session {
    psql: Child,
    answers: Receiver<String>,
}

impl Session {
    pub(crate) fn open(url: &str) -> Self {
        let mut psql = Command::new(programs().unwrap().join("psql"))
            .args(["-XqAt", url])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let said = BufReader::new(psql.stdout.take().unwrap());
        let (tell, answers) = mpsc::channel();
        std::thread::spawn(move || {
            said.lines().map_while(Result::ok).try_for_each(|line| tell.send(line))
        });
        Self { psql, answers }
    }

    pub(crate) fn ask(&mut self, statement: &str) {
        writeln!(self.psql.stdin.as_ref().unwrap(), "{statement};").unwrap();
    }

    /// The next line of an answer, if one comes in time.
    pub(crate) fn answer(&self, within: Duration) -> Option<String> {
        self.answers.recv_timeout(within).ok()
    }

    /// What a statement answers; nothing, if the server has cut the connection.
    pub(crate) fn query(&mut self, statement: &str) -> Option<String> {
        self.ask(statement);
        self.answer(LONG)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.psql.kill();
        let _ = self.psql.wait();
    }
}
