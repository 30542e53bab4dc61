//! A PostgreSQL with Apache AGE and pgvector, where the machine's own has neither.
//!
//! Debian 13 packs both for PostgreSQL 17; older systems do not, and building them takes a
//! compiler and the server's headers. So a small Debian 13 is fetched into a directory, and
//! the server runs in there. That takes a minute and half a gigabyte once, and root: only
//! root may fetch it and enter it.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::Error;

const SUITE: &str = "trixie";
const PACKAGES: &str = "postgresql-17,postgresql-17-age,postgresql-17-pgvector";
const PROGRAMS: &str = "/usr/lib/postgresql/17/bin";

/// Where it stays, among what cargo builds.
const NAME: &str = "debian-13-postgres-17";

const ELSEWHERE: &str = "or use a server that has both extensions";

/// A system in a directory, for a [`Cluster`](super::Cluster) to run in.
#[derive(Clone, Debug)]
pub struct System {
    root: PathBuf,
}

impl System {
    /// The one with Apache AGE and pgvector. The first time it is fetched, by `mmdebstrap`.
    pub fn with_age_and_pgvector() -> Result<Self, Error> {
        if !rustix::process::geteuid().is_root() {
            return Err(Error::new(
                "only root may run a server in a system of its own",
                format!("run this as root, {ELSEWHERE}"),
            ));
        }
        let target = target();
        let root = target.join(NAME);
        if !root.join("usr").is_dir() {
            fetch_into(&target, &root)?;
        }
        Ok(Self { root })
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Where it keeps what may go away.
    pub(super) fn temporary(&self) -> PathBuf {
        self.root.join("tmp")
    }

    /// One of the server's programs, as a path in the system.
    pub(super) fn program(&self, name: &str) -> PathBuf {
        Path::new(PROGRAMS).join(name)
    }

    /// What a path is called in the system.
    pub(super) fn inside(&self, path: &Path) -> PathBuf {
        path.strip_prefix(&self.root)
            .map_or_else(|_| path.to_owned(), |within| Path::new("/").join(within))
    }
}

/// The directory that cargo builds in.
fn target() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    here.parent().unwrap_or(here).join(target)
}

/// Under another name first: whoever is interrupted leaves nothing that looks whole.
fn fetch_into(target: &Path, root: &Path) -> Result<(), Error> {
    let unusable =
        |error| Error::new(format!("{}: {error}", target.display()), "see that it can be written");
    fs::create_dir_all(target).map_err(unusable)?;
    let open_to_all = Permissions::from_mode(0o755);
    let mut begun = tempfile::Builder::new();
    let begun = begun.prefix(NAME).permissions(open_to_all).tempdir_in(target).map_err(unusable)?;
    let fetched = Command::new("mmdebstrap")
        .args(["--variant=minbase", "--include", PACKAGES, SUITE])
        .arg(begun.path())
        .output();
    match fetched {
        Ok(output) if output.status.success() => {}
        Ok(output) => return Err(not_fetched(&output)),
        Err(error) => return Err(not_started(&error)),
    }
    match fs::rename(begun.path(), root) {
        Ok(()) => Ok(()),
        // Somebody else has fetched it meanwhile.
        Err(_) if root.join("usr").is_dir() => Ok(()),
        Err(error) => Err(unusable(error)),
    }
}

fn not_started(error: &std::io::Error) -> Error {
    Error::new(
        format!("mmdebstrap did not start: {error}"),
        format!("install it (on Debian and Ubuntu: apt-get install mmdebstrap), {ELSEWHERE}"),
    )
}

fn not_fetched(output: &Output) -> Error {
    let said = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<_> = said.lines().collect();
    let end: String = lines
        .iter()
        .skip(lines.len().saturating_sub(5))
        .map(|line| format!("\n    {line}"))
        .collect();
    Error::new(
        format!("mmdebstrap fetched no Debian 13 ({}):{end}", output.status),
        format!("see that Debian's archive can be reached, {ELSEWHERE}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_called_otherwise_in_the_system() {
        let system = System { root: "/target/debian".into() };
        assert_eq!(system.inside(Path::new("/target/debian/tmp/a")), Path::new("/tmp/a"));
        assert_eq!(system.inside(Path::new("/elsewhere")), Path::new("/elsewhere"));
    }

    #[test]
    fn whoever_cannot_fetch_it_is_told_what_else_to_do() {
        let error = not_started(&std::io::ErrorKind::NotFound.into());
        assert!(error.what().starts_with("mmdebstrap did not start: "), "{error}");
        assert!(error.next().contains("apt-get install mmdebstrap"), "{error}");
    }
}
