//! The files of a store: their sizes, owners and permissions, their filesystem and its free space.

use std::ffi::OsString;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use crate::health::{Fact, Filesystem, Space, StoreFile, Unavailable};

pub(in crate::engine::sqlite) fn with(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// `None` if the file does not exist.
pub(super) fn store_file(path: &Path) -> Option<StoreFile> {
    let found = std::fs::metadata(path).ok().filter(Metadata::is_file)?;
    let (owner, mode) = rights(&found);
    let writable = is_writable(path).unwrap_or(!found.permissions().readonly());
    Some(StoreFile { path: path.to_owned(), bytes: found.len(), owner, mode, writable })
}

/// Whether files can be created in its directory.
pub(super) fn is_directory_writable(path: &Path) -> Fact<bool> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    is_writable(directory.unwrap_or(Path::new(".")))
        .ok_or_else(|| Unavailable::new("not supported on this system"))
}

#[cfg(unix)]
fn rights(file: &Metadata) -> (Option<u32>, Option<u32>) {
    use std::os::unix::fs::MetadataExt;
    (Some(file.uid()), Some(file.mode() & 0o777))
}

#[cfg(unix)]
fn is_writable(path: &Path) -> Option<bool> {
    use rustix::fs::{Access, access};
    Some(access(path, Access::WRITE_OK).is_ok())
}

#[cfg(not(unix))]
fn rights(_: &Metadata) -> (Option<u32>, Option<u32>) {
    (None, None)
}

#[cfg(not(unix))]
fn is_writable(_: &Path) -> Option<bool> {
    None
}

const MOUNTS: &str = "/proc/self/mountinfo";

/// Network filesystems. Those of FUSE (`fuse.sshfs`) are matched after the dot.
const NETWORK_FILESYSTEMS: &str = "9p afs beegfs ceph cifs coda glusterfs lustre ncpfs nfs nfs4 \
     rclone s3fs smb2 smb3 smbfs sshfs vboxsf virtiofs";

pub(super) fn filesystem(path: &Path) -> Fact<Filesystem> {
    let unseen = |error: std::io::Error| Unavailable::new(format!("{MOUNTS}: {error}"));
    let path = path.canonicalize().map_err(unseen)?;
    let mounts = std::fs::read_to_string(MOUNTS).map_err(unseen)?;
    let kind = kind_of(&path, &mounts);
    let kind = kind.ok_or_else(|| Unavailable::new(format!("{MOUNTS} has no mount for it")))?;
    Ok(Filesystem { network: is_network(kind), kind: kind.to_owned() })
}

/// The filesystem of the nearest mount above the path; of several on one path the last.
fn kind_of<'m>(path: &Path, mounts: &'m str) -> Option<&'m str> {
    let mounted = mounts.lines().filter_map(|line| {
        let (place, after) = line.split_once(" - ")?;
        let place = unescaped(place.split(' ').nth(4)?);
        let depth = Path::new(&place).components().count();
        path.starts_with(&place).then_some((depth, after.split(' ').next()?))
    });
    mounted.max_by_key(|(depth, _)| *depth).map(|(_, kind)| kind)
}

/// Decodes escapes such as `\040` for a space.
fn unescaped(place: &str) -> String {
    let escapes = [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")];
    escapes.iter().fold(place.to_owned(), |place, (from, to)| place.replace(from, to))
}

fn is_network(kind: &str) -> bool {
    let kind = kind.strip_prefix("fuse.").unwrap_or(kind);
    NETWORK_FILESYSTEMS.split(' ').any(|network| network == kind)
}

#[cfg(unix)]
pub(super) fn space(path: &Path) -> Fact<Space> {
    let found = rustix::fs::statvfs(path).map_err(|error| Unavailable::new(error.to_string()))?;
    let bytes = |blocks: u64| blocks.saturating_mul(found.f_frsize);
    Ok(Space { free: bytes(found.f_bavail), total: bytes(found.f_blocks) })
}

#[cfg(not(unix))]
pub(super) fn space(_: &Path) -> Fact<Space> {
    Err(Unavailable::new("not supported on this system"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOME: &str = "\
21 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
40 21 0:35 / /srv rw,nosuid - nfs4 files:/export rw,vers=4.2
41 40 0:36 / /srv/my\\040data rw - xfs /dev/vdb rw
42 21 0:37 / /home/ada/far rw - fuse.sshfs ada@far: rw
";

    /// D1: SQLite's locks do not hold over a network.
    #[test]
    fn nearest_mount_above_the_file_counts() {
        let kind = |path: &str| kind_of(Path::new(path), SOME).unwrap();
        assert_eq!(kind("/srv/tasks.db"), "nfs4");
        assert_eq!(kind("/srv/my data/tasks.db"), "xfs");
        assert_eq!(kind("/srvs/tasks.db"), "ext4");
        assert_eq!(kind("/home/ada/far/tasks.db"), "fuse.sshfs");
        assert_eq!(kind_of(Path::new("relative"), SOME), None);
    }

    #[test]
    fn network_filesystems_are_recognised() {
        assert!(["nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "9p"].into_iter().all(is_network));
        assert!(!["ext4", "xfs", "btrfs", "overlay", "tmpfs", "fuse"].into_iter().any(is_network));
    }
}
