//! The peers' programs: their paths and builds.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;
use steadfast_bench_drive::{Action, DATABASE};
use tempfile::TempDir;

use super::process::run;
use crate::entry::{Entry, Program};

const PACKAGE: &str = env!("CARGO_MANIFEST_DIR");

/// All of them.
pub struct Programs {
    /// `peer`, and where its neighbours are.
    peer: PathBuf,
    node: Option<Node>,
}

impl Programs {
    /// Those that can be had without a network, and on wish the others.
    pub fn prepare(node: bool) -> Result<Self> {
        let peer = std::env::current_exe()?.with_file_name("peer");
        if !peer.is_file() {
            bail!("{} is missing: build with --bins", peer.display());
        }
        Ok(Programs { peer, node: if node { Some(Node::install()?) } else { None } })
    }

    /// Has a peer do something, with these settings and this database.
    pub fn command(
        &self,
        entry: &Entry,
        action: Action,
        settings: &[&str],
        database: &str,
    ) -> Result<Command> {
        let mut command = match entry.program {
            Program::Here(_) => {
                let mut command = Command::new(&self.peer);
                command.arg(entry.name);
                command
            }
            Program::Effectum => Command::new(self.peer.with_file_name("effectum-peer")),
            Program::Node(script) => {
                let node = self.node.as_ref().context("Node peers need --node")?;
                let mut command = Command::new(node.path("node_modules/node/bin/node"));
                command.arg(node.path(script));
                command
            }
        };
        command.args(action.words()).args(settings).env(DATABASE, database);
        Ok(command)
    }

    /// Builds effectum's program beside the others.
    pub fn build_effectum(&self) -> Result<()> {
        let manifest = Path::new(PACKAGE).join("effectum/Cargo.toml");
        let mut cargo = Command::new("cargo");
        cargo.args(["build", "--quiet", "--locked", "--release", "--manifest-path"]);
        run(cargo.arg(manifest).arg("--target-dir").arg(self.target()?))?;
        if !self.peer.with_file_name("effectum-peer").is_file() {
            bail!("effectum was built, but not beside this program: build it with --release");
        }
        Ok(())
    }

    /// Builds this project's command line beside the others.
    pub fn build_command_line(&self) -> Result<()> {
        let manifest = Path::new(PACKAGE).join("../../Cargo.toml");
        let mut cargo = Command::new("cargo");
        cargo.args(["build", "--quiet", "--locked", "--release", "-p", "steadfast-cli"]);
        run(cargo.arg("--manifest-path").arg(manifest).arg("--target-dir").arg(self.target()?))?;
        if !self.command_line().is_file() {
            bail!("the command line was built, but not beside this program");
        }
        Ok(())
    }

    /// This project's command line, once it is built.
    pub fn command_line(&self) -> PathBuf {
        self.peer.with_file_name("steadfast")
    }

    fn target(&self) -> Result<&Path> {
        self.peer.ancestors().nth(2).context("a program outside a target folder")
    }

    /// The versions of what Node runs.
    pub fn node_versions(&self) -> Vec<String> {
        self.node.as_ref().map(Node::versions).unwrap_or_default()
    }
}

/// The npm packages in a folder that goes with this.
struct Node(TempDir);

impl Node {
    const FILES: [&str; 4] = ["package.json", "protocol.mjs", "pg-boss.mjs", "graphile-worker.mjs"];
    const PACKAGES: [&str; 3] = ["node", "graphile-worker", "pg-boss"];

    fn install() -> Result<Self> {
        let node = Node(tempfile::Builder::new().prefix("steadfast-bench-node-").tempdir()?);
        for file in Self::FILES {
            std::fs::copy(Path::new(PACKAGE).join("node").join(file), node.path(file))?;
        }
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--loglevel=error"]);
        run(npm.current_dir(node.0.path()))
            .context("npm installs the peers that run on Node; leave --node out without it")?;
        Ok(node)
    }

    fn path(&self, file: &str) -> PathBuf {
        self.0.path().join(file)
    }

    fn versions(&self) -> Vec<String> {
        let version = |package: &&str| {
            let path = self.path("node_modules").join(package).join("package.json");
            let manifest: Value =
                serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()?;
            Some(format!("{package} {}", manifest.get("version")?.as_str()?))
        };
        Self::PACKAGES.iter().filter_map(version).collect()
    }
}
