//! A store of a million tasks, such as a busy month leaves behind.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use steadfast_bench::programs::{Error, run};

const TASKS: u32 = 1_000_000;
const QUEUES: u32 = 20;

/// Seven of ten are due within a month, one is due now, two were given up.
fn line(number: u32) -> String {
    let queue = number % QUEUES;
    let common = format!(
        r#""kind":"bill","queue":"queue-{queue}","payload":{{"text":"invoice {number}"}},"idempotency_key":"order-{number}""#
    );
    match number % 10 {
        0 => format!("{{{common}}}"),
        1 | 2 => format!(
            r#"{{{common},"policy":{{"max_attempts":1}},"first_fault":{{"kind":"http","http_status":503,"message":"no answer"}}}}"#
        ),
        _ => format!(r#"{{{common},"run_at":"{}h"}}"#, 1 + number % 720),
    }
}

/// Makes it with the command line, as its users would.
pub(crate) fn filled(cli: &Path, folder: &Path) -> Result<PathBuf, Error> {
    let tasks = folder.join("tasks.jsonl");
    let mut file = BufWriter::new(File::create(&tasks)?);
    for number in 0..TASKS {
        writeln!(file, "{}", line(number))?;
    }
    file.into_inner()?.sync_all()?;
    let store = folder.join("full.db");
    run(Command::new(cli).arg("submit").arg(&tasks).arg("--store").arg(url(&store)))?;
    Ok(store)
}

/// What a store in this file is named by.
pub(crate) fn url(store: &Path) -> String {
    format!("sqlite:{}", store.display())
}
