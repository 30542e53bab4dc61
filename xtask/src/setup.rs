//! The system's tools that a way of working needs.
//!
//! A tool is one line of a table. Missing ones are installed where that can be
//! done without asking (root, and apt is there); anywhere else the person is
//! told what to install.

use steadfast_testing::{clickhouse, postgres};

use crate::run::{Failure, Run};

/// A program of the system, and the Debian package that brings it.
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
    purpose: "compiles libFuzzer, which searches for inputs that break a promise",
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
    purpose: "is the real server that tests of the store run on",
    // Debian keeps it off the PATH.
    is_there: |_| postgres::programs().is_ok(),
};

pub(crate) const CLICKHOUSE: Tool = Tool {
    command: "clickhouse-server",
    package: "clickhouse-server",
    purpose: "is the real server that the ClickHouse client runs on",
    // Debian keeps it where not everybody looks.
    is_there: |_| clickhouse::program().is_ok(),
};
pub(crate) const MMDEBSTRAP: Tool = Tool {
    command: "mmdebstrap",
    package: "mmdebstrap",
    purpose: "fetches a PostgreSQL with Apache AGE and pgvector into a directory of its own",
    is_there: on_path,
};

const WRK: Tool = Tool {
    command: "wrk",
    package: "wrk",
    purpose: "asks a server as often as it can answer",
    is_there: on_path,
};
const FAKETIME: Tool = Tool {
    command: "faketime",
    package: "faketime",
    purpose: "gives a worker a clock that is wrong",
    is_there: on_path,
};
const PGBOUNCER: Tool = Tool {
    command: "pgbouncer",
    package: "pgbouncer",
    purpose: "hands one connection to many clients, which the doctor must notice",
    // Debian keeps it off the PATH.
    is_there: |_| postgres::pgbouncer().is_some(),
};
const BASH: Tool =
    Tool { command: "bash", package: "bash", purpose: "tries its completions", is_there: on_path };
const ZSH: Tool = Tool { command: "zsh", package: "zsh", ..BASH };
const FISH: Tool = Tool { command: "fish", package: "fish", ..BASH };
const GROFF: Tool = Tool {
    command: "groff",
    package: "groff-base",
    purpose: "sets the pages of the manual",
    is_there: on_path,
};
const PYTHON: Tool = Tool {
    command: "python3",
    package: "python3",
    purpose: "is a worker in another language, over HTTP",
    is_there: on_path,
};

const PYTHON_VENV: Tool = Tool {
    command: "python3 -m venv",
    package: "python3-venv",
    purpose: "installs schemathesis, which searches the API, in a place of its own",
    is_there: |_| Run::new("python3").arguments(["-c", "import ensurepip"]).answer().is_some(),
};
const NODE: Tool = Tool {
    command: "node",
    package: "nodejs",
    purpose: "runs the tests that drive a browser",
    is_there: on_path,
};
const NPM: Tool = Tool {
    command: "npm",
    package: "npm",
    purpose: "installs what drives the browser",
    is_there: on_path,
};
const CHROMIUM: Tool = Tool {
    command: "chromium",
    package: "chromium",
    purpose: "is the browser that the page is tried in, and the scraper scrapes with",
    is_there: on_path,
};
/// The same for whoever takes any of its kind.
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

/// Makes sure that every tool is there.
pub(crate) fn tools(needed: &[Tool]) -> Result<(), Failure> {
    let missing: Vec<&Tool> = needed.iter().filter(|t| !t.is_there()).collect();
    if missing.is_empty() {
        eprintln!("    all there: {}", list(needed.iter(), |t| t.command, ", "));
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

/// A component of the Rust toolchain that a cargo subcommand comes with.
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
            .next("see that the package archive can be reached, or install by hand")
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
            format!("package {} did not bring `{}`", tool.package, tool.command),
            format!("install `{}` by hand, it {}", tool.command, tool.purpose),
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
             and run this again; as root with apt-get I would have done it"
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
    fn the_shell_is_there_and_nonsense_is_not() {
        assert!(on_path("sh"));
        assert!(!on_path("no-such-program"));
    }

    #[test]
    fn who_may_not_install_is_told_what_to_install() {
        let told = ask_to_install(&[&C_COMPILER, &VALGRIND]).to_string();
        assert!(told.contains("missing on this system: cc, valgrind"), "{told}");
        assert!(told.contains("apt-get install build-essential valgrind"), "{told}");
    }

    #[test]
    fn a_missing_component_is_named() {
        let told = component("no-such-subcommand", "rustfmt").unwrap_err().to_string();
        assert!(told.contains("rustup component add rustfmt"), "{told}");
    }
}
