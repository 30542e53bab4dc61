//! System tools needed by the commands.
//!
//! A tool is one entry of a table. Missing tools are installed when xtask runs as root and
//! apt-get exists; otherwise the failure lists the packages to install.

use steadfast_testing::{clickhouse, postgres};

use crate::run::{Failure, Run};

/// A system program and the Debian package that contains it.
#[derive(Clone, Copy)]
pub(crate) struct Tool {
    pub(crate) command: &'static str,
    package: &'static str,
    purpose: &'static str,
    is_there: fn(&str) -> bool,
}

pub(crate) const C_COMPILER: Tool = Tool {
    command: "cc",
    package: "build-essential",
    purpose: "links programs and compiles the C that some dependencies carry",
    is_there: on_path,
};
const CPP_COMPILER: Tool = Tool {
    command: "c++",
    package: "build-essential",
    purpose: "compiles libFuzzer",
    is_there: on_path,
};
const VALGRIND: Tool = Tool {
    command: "valgrind",
    package: "valgrind",
    purpose: "counts instructions",
    is_there: on_path,
};
pub(crate) const POSTGRES: Tool = Tool {
    command: "postgres",
    package: "postgresql",
    purpose: "the server that the store is tested on",
    // Debian keeps it off the PATH.
    is_there: |_| postgres::programs().is_ok(),
};

pub(crate) const CLICKHOUSE: Tool = Tool {
    command: "clickhouse-server",
    package: "clickhouse-server",
    purpose: "the server that the ClickHouse client is tested on",
    // Debian installs it outside the PATH.
    is_there: |_| clickhouse::program().is_ok(),
};
pub(crate) const MMDEBSTRAP: Tool = Tool {
    command: "mmdebstrap",
    package: "mmdebstrap",
    purpose: "fetches a PostgreSQL with Apache AGE and pgvector into a directory of its own",
    is_there: on_path,
};

const WRK: Tool =
    Tool { command: "wrk", package: "wrk", purpose: "generates HTTP load", is_there: on_path };
const FAKETIME: Tool = Tool {
    command: "faketime",
    package: "faketime",
    purpose: "skews the clock of a worker",
    is_there: on_path,
};
const PGBOUNCER: Tool = Tool {
    command: "pgbouncer",
    package: "pgbouncer",
    purpose: "a connection pooler, which `doctor` must detect",
    // Debian keeps it off the PATH.
    is_there: |_| postgres::pgbouncer().is_some(),
};
const BASH: Tool =
    Tool { command: "bash", package: "bash", purpose: "tests its completions", is_there: on_path };
const ZSH: Tool = Tool { command: "zsh", package: "zsh", ..BASH };
const FISH: Tool = Tool { command: "fish", package: "fish", ..BASH };
const GROFF: Tool = Tool {
    command: "groff",
    package: "groff-base",
    purpose: "renders the manual pages",
    is_there: on_path,
};
const PYTHON: Tool = Tool {
    command: "python3",
    package: "python3",
    purpose: "runs a worker in another language over HTTP",
    is_there: on_path,
};

const PYTHON_VENV: Tool = Tool {
    command: "python3 -m venv",
    package: "python3-venv",
    purpose: "installs schemathesis in its own environment",
    is_there: |_| Run::new("python3").arguments(["-c", "import ensurepip"]).answer().is_some(),
};
const NODE: Tool = Tool {
    command: "node",
    package: "nodejs",
    purpose: "runs the tests that drive a browser",
    is_there: on_path,
};
const NPM: Tool =
    Tool { command: "npm", package: "npm", purpose: "installs playwright-core", is_there: on_path };
const CHROMIUM: Tool = Tool {
    command: "chromium",
    package: "chromium",
    purpose: "the browser for tests of the page and for the scraper example",
    is_there: on_path,
};
/// Chromium, or a browser compatible with it.
pub(crate) const ANY_CHROMIUM: Tool = Tool {
    is_there: |_| {
        ["chromium", "chromium-browser", "google-chrome", "chrome"].into_iter().any(on_path)
    },
    ..CHROMIUM
};

/// What `cargo xtask test` needs.
pub(crate) const FOR_TESTS: &[Tool] = &[
    C_COMPILER,
    CPP_COMPILER,
    POSTGRES,
    PGBOUNCER,
    CLICKHOUSE,
    FAKETIME,
    BASH,
    ZSH,
    FISH,
    GROFF,
    PYTHON,
    PYTHON_VENV,
    NODE,
    NPM,
    CHROMIUM,
];
/// What `cargo xtask test --full` needs beside that.
pub(crate) const FOR_FULL: &[Tool] = &[MMDEBSTRAP];
/// What `cargo xtask browser` needs.
pub(crate) const FOR_BROWSER: &[Tool] = &[C_COMPILER, NODE, NPM, CHROMIUM];
/// What `cargo xtask contract` needs.
pub(crate) const FOR_CONTRACT: &[Tool] = &[C_COMPILER, PYTHON, PYTHON_VENV];
/// What `cargo xtask fault` needs.
pub(crate) const FOR_FAULT: &[Tool] = &[C_COMPILER, POSTGRES, FAKETIME];
/// What `cargo xtask fuzz` needs.
pub(crate) const FOR_FUZZ: &[Tool] = &[C_COMPILER, CPP_COMPILER];
/// What `cargo xtask bench core` needs.
pub(crate) const FOR_BENCH_CORE: &[Tool] = &[C_COMPILER, VALGRIND];
/// What `cargo xtask bench file` needs.
pub(crate) const FOR_BENCH_FILE: &[Tool] = &[C_COMPILER, CPP_COMPILER];
/// What `cargo xtask bench server` needs.
pub(crate) const FOR_BENCH_SERVER: &[Tool] = &[C_COMPILER, CPP_COMPILER, WRK];

impl Tool {
    fn is_there(&self) -> bool {
        (self.is_there)(self.command)
    }
}

/// Installs the tools that are missing.
pub(crate) fn tools(needed: &[Tool]) -> Result<(), Failure> {
    let missing: Vec<&Tool> = needed.iter().filter(|t| !t.is_there()).collect();
    if missing.is_empty() {
        eprintln!("    found: {}", list(needed.iter(), |t| t.command, ", "));
        return Ok(());
    }
    for tool in &missing {
        eprintln!("    missing: {} ({})", tool.command, tool.purpose);
    }
    if !may_install() {
        return Err(ask_to_install(&missing));
    }
    install(&missing)?;
    still_missing(&missing)
}

/// Checks that a cargo subcommand is installed with its toolchain component.
pub(crate) fn component(subcommand: &str, component: &str) -> Result<(), Failure> {
    if Run::cargo(subcommand).argument("--version").answer().is_some() {
        return Ok(());
    }
    Err(Failure::plain(
        format!("`cargo {subcommand}` is not installed"),
        format!("run `rustup component add {component}`, or install it with your Rust toolchain"),
    ))
}

fn install(missing: &[&Tool]) -> Result<(), Failure> {
    let apt = |arguments: &str| {
        Run::new("apt-get")
            .arguments(arguments.split_whitespace())
            .variable("DEBIAN_FRONTEND", "noninteractive")
            .next("check that the package archive is reachable, or install by hand")
    };
    apt("update -q").go()?;
    apt("install -y -q --no-install-recommends")
        .arguments(missing.iter().map(|tool| tool.package))
        .go()?;
    Ok(())
}

fn still_missing(installed: &[&Tool]) -> Result<(), Failure> {
    match installed.iter().find(|tool| !tool.is_there()) {
        None => Ok(()),
        Some(tool) => Err(Failure::plain(
            format!("package {} does not contain `{}`", tool.package, tool.command),
            format!("install `{}` by hand ({})", tool.command, tool.purpose),
        )),
    }
}

fn ask_to_install(missing: &[&Tool]) -> Failure {
    let commands = list(missing.iter().copied(), |t| t.command, ", ");
    let packages = list(missing.iter().copied(), |t| t.package, " ");
    Failure::plain(
        format!("missing on this system: {commands}"),
        format!(
            "install {packages} (on Debian and Ubuntu: sudo apt-get install {packages}) \
             and run this again (as root with apt-get, xtask installs them)"
        ),
    )
}

fn list<'a>(
    tools: impl Iterator<Item = &'a Tool>,
    part: fn(&Tool) -> &'static str,
    between: &str,
) -> String {
    tools.map(part).collect::<Vec<_>>().join(between)
}

fn may_install() -> bool {
    on_path("apt-get") && is_root()
}

fn is_root() -> bool {
    Run::new("id").argument("-u").answer().as_deref() == Some("0")
}

fn on_path(command: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join(command).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_path_finds_existing_programs_only() {
        assert!(on_path("sh"));
        assert!(!on_path("no-such-program"));
    }

    #[test]
    fn missing_tools_are_listed_with_their_packages() {
        let text = ask_to_install(&[&C_COMPILER, &VALGRIND]).to_string();
        assert!(text.contains("missing on this system: cc, valgrind"), "{text}");
        assert!(text.contains("apt-get install build-essential valgrind"), "{text}");
    }

    #[test]
    fn missing_component_is_named() {
        let text = component("no-such-subcommand", "rustfmt").unwrap_err().to_string();
        assert!(text.contains("rustup component add rustfmt"), "{text}");
    }
}
