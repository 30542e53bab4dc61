//! The programs of the peers: paths, builds and command lines.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;
use steadfast_bench_drive::{Action, DATABASE_URL};
use tempfile::TempDir;

use super::process::run;
use crate::entry::{Entry, Program};

/// The directory of this package.
const PACKAGE: &str = env!("CARGO_MANIFEST_DIR");

/// The programs of all peers.
pub struct Programs {
    /// The path of `peer`. The other programs are built in the same directory.
    peer: PathBuf,
    node: Option<Node>,
}

impl Programs {
    /// Finds the program `peer`, and installs the Node.js peers if `node` is set, which needs network
    /// access.
    pub fn prepare(node: bool) -> Result<Self> {
        let peer = std::env::current_exe()?.with_file_name("peer");
        if !peer.is_file() {
            bail!("{} is missing: build with --bins", peer.display());
        }
        Ok(Programs { peer, node: if node { Some(Node::install()?) } else { None } })
    }

    /// The command that performs an action of a peer, with settings and a database.
    pub fn command(
        &self,
        entry: &Entry,
        action: Action,
        settings: &[&str],
        database: &str,
    ) -> Result<Command> {
        let mut command = match entry.program {
            Program::Builtin(_) => {
                let mut command = Command::new(&self.peer);
                command.arg(entry.name);
                command
            }
            Program::Effectum => Command::new(self.peer.with_file_name("effectum-peer")),
            Program::Node(script) => {
                let node = self.node.as_ref().context("the peers on Node.js need --node")?;
                let mut command = Command::new(node.path("node_modules/node/bin/node"));
                command.arg(node.path(script));
                command
            }
        };
        command.args(action.arguments()).args(settings).env(DATABASE_URL, database);
        Ok(command)
    }

    /// Builds effectum's program in the directory of the others.
    pub fn build_effectum(&self) -> Result<()> {
        let manifest = Path::new(PACKAGE).join("effectum/Cargo.toml");
        let mut cargo = Command::new("cargo");
        cargo.args(["build", "--quiet", "--locked", "--release", "--manifest-path"]);
        run(cargo.arg(manifest).arg("--target-dir").arg(self.target()?))?;
        if !self.peer.with_file_name("effectum-peer").is_file() {
            bail!(
                "effectum-peer is not in the directory of this program: build this program with --release"
            );
        }
        Ok(())
    }

    /// Builds the program `steadfast` in the directory of the others.
    pub fn build_command_line(&self) -> Result<()> {
        let manifest = Path::new(PACKAGE).join("../../Cargo.toml");
        let mut cargo = Command::new("cargo");
        cargo.args(["build", "--quiet", "--locked", "--release", "-p", "steadfast-cli"]);
        run(cargo.arg("--manifest-path").arg(manifest).arg("--target-dir").arg(self.target()?))?;
        if !self.command_line().is_file() {
            bail!(
                "steadfast is not in the directory of this program: build this program with --release"
            );
        }
        Ok(())
    }

    /// The path of the program `steadfast`, after its build.
    pub fn command_line(&self) -> PathBuf {
        self.peer.with_file_name("steadfast")
    }

    fn target(&self) -> Result<&Path> {
        self.peer.ancestors().nth(2).context("the program is not in a target directory")
    }

    /// The versions of Node.js and its peers.
    pub fn node_versions(&self) -> Vec<String> {
        self.node.as_ref().map(Node::versions).unwrap_or_default()
    }
}

/// The npm packages, in a temporary directory that is removed on drop.
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
            .context("npm is required for the peers on Node.js: install it, or omit --node")?;
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
