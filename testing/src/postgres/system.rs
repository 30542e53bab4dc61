//! A Debian system in a directory, for a PostgreSQL with Apache AGE and pgvector.
//!
//! Debian 13 packages both for PostgreSQL 17; older systems do not, and building them needs a compiler
//! and the server's headers. So a small Debian 13 is downloaded into a directory, and the server runs
//! in a chroot there. That takes a minute and half a gigabyte once, and needs root.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::Error;

const SUITE: &str = "trixie";
const PACKAGES: &str = "postgresql-17,postgresql-17-age,postgresql-17-pgvector";
const PROGRAMS: &str = "/usr/lib/postgresql/17/bin";

/// Its directory, in cargo's target directory.
const NAME: &str = "debian-13-postgres-17";

const ALTERNATIVE: &str = "or use a server that has both extensions";

/// A system in a directory, for a [`Cluster`](super::Cluster) to run in.
#[derive(Clone, Debug)]
pub struct System {
    root: PathBuf,
}

impl System {
    /// The system with Apache AGE and pgvector, downloaded by `mmdebstrap` on first use.
    pub fn with_age_and_pgvector() -> Result<Self, Error> {
        if !rustix::process::geteuid().is_root() {
            return Err(Error::new(
                "running a server in a chroot needs root",
                format!("run this as root, {ALTERNATIVE}"),
            ));
        }
        let target = target();
        let root = target.join(NAME);
        if !root.join("usr").is_dir() {
            download(&target, &root)?;
        }
        Ok(Self { root })
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Its directory for temporary files.
    pub(super) fn temporary(&self) -> PathBuf {
        self.root.join("tmp")
    }

    /// The path of a server program in the system.
    pub(super) fn program(&self, name: &str) -> PathBuf {
        Path::new(PROGRAMS).join(name)
    }

    /// A path as seen in the system.
    pub(super) fn inside(&self, path: &Path) -> PathBuf {
        path.strip_prefix(&self.root)
            .map_or_else(|_| path.to_owned(), |within| Path::new("/").join(within))
    }
}

/// Cargo's target directory.
fn target() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    here.parent().unwrap_or(here).join(target)
}

/// Downloads under a temporary name first, so that an interrupted download is not used.
fn download(target: &Path, root: &Path) -> Result<(), Error> {
    let unusable = |error| Error::new(format!("{}: {error}", target.display()), "make it writable");
    fs::create_dir_all(target).map_err(unusable)?;
    let open_to_all = Permissions::from_mode(0o755);
    let mut partial = tempfile::Builder::new();
    let partial =
        partial.prefix(NAME).permissions(open_to_all).tempdir_in(target).map_err(unusable)?;
    let result = Command::new("mmdebstrap")
        .args(["--variant=minbase", "--include", PACKAGES, SUITE])
        .arg(partial.path())
        .output();
    match result {
        Ok(output) if output.status.success() => {}
        Ok(output) => return Err(download_failed(&output)),
        Err(error) => return Err(not_started(&error)),
    }
    match fs::rename(partial.path(), root) {
        Ok(()) => Ok(()),
        // Another process has downloaded it meanwhile.
        Err(_) if root.join("usr").is_dir() => Ok(()),
        Err(error) => Err(unusable(error)),
    }
}

fn not_started(error: &std::io::Error) -> Error {
    Error::new(
        format!("mmdebstrap did not start: {error}"),
        format!("install it (on Debian and Ubuntu: apt-get install mmdebstrap), {ALTERNATIVE}"),
    )
}

fn download_failed(output: &Output) -> Error {
    let output_text = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<_> = output_text.lines().collect();
    let end: String = lines
        .iter()
        .skip(lines.len().saturating_sub(5))
        .map(|line| format!("\n    {line}"))
        .collect();
    Error::new(
        format!("mmdebstrap failed to download Debian 13 ({}):{end}", output.status),
        format!("check that Debian's archive is reachable, {ALTERNATIVE}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_inside_the_system_is_translated() {
        let system = System { root: "/target/debian".into() };
        assert_eq!(system.inside(Path::new("/target/debian/tmp/a")), Path::new("/tmp/a"));
        assert_eq!(system.inside(Path::new("/elsewhere")), Path::new("/elsewhere"));
    }

    #[test]
    fn missing_mmdebstrap_error_has_hints() {
        let error = not_started(&std::io::ErrorKind::NotFound.into());
        assert!(error.what().starts_with("mmdebstrap did not start: "), "{error}");
        assert!(error.next().contains("apt-get install mmdebstrap"), "{error}");
    }
}
