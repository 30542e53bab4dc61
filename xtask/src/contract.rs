//! `cargo xtask contract`: the API tested against its OpenAPI description.
//!
//! schemathesis reads `/openapi.json`, sends valid and invalid requests, and checks each response
//! against it. It is installed in its own environment in the build directory.

mod arguments;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::run::{Failure, Run};
use crate::{paths, setup};
use arguments::{Arguments, Engine, Store};

const PACKAGE: &str = "schemathesis==4.32.5";
/// Hooks, in addition to `schemathesis.toml`.
const HOOKS: &str = "xtask/src/contract/source_addresses.py";

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let Arguments { engine, rest } = Arguments::read(arguments)?;
    setup::tools(setup::FOR_CONTRACT)?;
    if engine == Engine::Postgres {
        setup::tools(&[setup::POSTGRES])?;
    }
    search(engine, &rest)
}

/// A deterministic run of about a minute on each store, without stateful tests.
pub(crate) fn short() -> Result<(), Failure> {
    let arguments = ["--phases", "coverage,fuzzing", "--max-examples", "10"].map(str::to_owned);
    [Engine::Sqlite, Engine::Postgres].into_iter().try_for_each(|engine| search(engine, &arguments))
}

fn search(engine: Engine, arguments: &[String]) -> Result<(), Failure> {
    Run::cargo("build --quiet --package steadfast-cli").go()?;
    let schemathesis = installed()?;
    let server = Server::start(engine.store()?)?;
    let seed: &[&str] = if arguments.iter().any(is_seed) { &[] } else { &["--seed", "1"] };
    Run::new(schemathesis)
        .variable("SCHEMATHESIS_HOOKS", HOOKS)
        .arguments(["run", "--checks", "all", "--no-color", "--header"])
        .argument(format!("Authorization: Bearer {}", server.token))
        .arguments(seed)
        .arguments(arguments)
        .argument(format!("{}/openapi.json", server.address))
        .next("send the request it shows with curl and compare the response")
        .go()
}

fn is_seed(argument: &String) -> bool {
    argument == "--seed" || argument.starts_with("--seed=")
}

fn installed() -> Result<PathBuf, Failure> {
    let place = paths::target().join("schemathesis");
    let program = place.join("bin/schemathesis");
    if !program.exists() {
        Run::new("python3").arguments(["-m", "venv"]).argument(&place).go()?;
        Run::new(place.join("bin/pip"))
            .arguments(["install", "--quiet", PACKAGE])
            .next("check that the Python package index is reachable")
            .go()?;
    }
    Ok(program)
}

/// A server with token authentication on a temporary store.
struct Server {
    process: Child,
    address: String,
    token: String,
    /// Dropped after the process.
    _store: Store,
}

impl Server {
    fn start(store: Store) -> Result<Self, Failure> {
        let program = paths::target().join("debug/steadfast");
        let tokens = paths::target().join("contract.toml");
        // A file of an earlier run would only grow.
        let _ = fs::remove_file(&tokens);
        let token = Run::new(&program)
            .arguments(["token", "new", "--name", "contract", "--role", "admin", "--into"])
            .argument(&tokens)
            .read()?;
        let failed = |what: String| Failure::plain(what, "start it by hand: `steadfast serve`");
        let mut process = Command::new(program)
            .args(["serve", "--listen", "127.0.0.1:0", "--no-worker", "--store", store.url()])
            .arg("--tokens")
            .arg(tokens)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| failed(format!("the server did not start: {error}")))?;
        let said = process.stdout.take().map(BufReader::new);
        let address =
            said.into_iter().flat_map(BufRead::lines).map_while(Result::ok).find_map(|line| {
                let begin = line.find("http://")?;
                line.get(begin..)?.split_whitespace().next().map(str::to_owned)
            });
        let token = token.trim().to_owned();
        let mut server = Self { process, address: String::new(), token, _store: store };
        server.address =
            address.ok_or_else(|| failed("the server printed no address".to_owned()))?;
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
