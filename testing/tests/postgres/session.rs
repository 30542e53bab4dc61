//! A connection that stays open, as in an application.

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
        let output = BufReader::new(psql.stdout.take().unwrap());
        let (sender, answers) = mpsc::channel();
        std::thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        Self { psql, answers }
    }

    pub(crate) fn ask(&mut self, statement: &str) {
        writeln!(self.psql.stdin.as_ref().unwrap(), "{statement};").unwrap();
    }

    /// The next line of an answer; `None` after the timeout.
    pub(crate) fn answer(&self, within: Duration) -> Option<String> {
        self.answers.recv_timeout(within).ok()
    }

    /// The answer to a statement; `None` if the server has closed the connection.
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
