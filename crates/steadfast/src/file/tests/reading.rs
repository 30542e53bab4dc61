//! Reading a file, whatever it turns out to be.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::super::limits::MAX_BYTES;
use super::super::source::unreadable;
use super::super::{Format, Source};

fn problem(path: &Path) -> String {
    let name = path.display().to_string();
    let problem = Source::read(path).unwrap_err().to_string();
    problem.strip_prefix(&name).unwrap().to_owned()
}

/// F1
#[test]
fn format_follows_the_extension() {
    for (path, format) in [
        ("a.yaml", Format::Yaml),
        ("dir.json/a.yml", Format::Yaml),
        ("a.JSON", Format::Json),
        ("a.b.toml", Format::Toml),
    ] {
        assert_eq!(Format::of(path.as_ref()).unwrap(), format, "{path}");
    }
    for (path, expected) in
        [("a.ini", "a.ini: unknown file extension .ini"), ("yaml", "yaml: no file extension")]
    {
        let advice = "use .yaml, .yml, .json or .toml";
        let problem = Format::of(path.as_ref()).unwrap_err().to_string();
        assert_eq!(problem, format!("{expected}; {advice}"));
    }
}

/// F2
#[test]
fn file_is_read_completely() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.yaml");
    fs::write(&path, "a: ä\n").unwrap();
    let source = Source::read(&path).unwrap();
    assert_eq!(source.text(), "a: ä\n");
    assert_eq!(source.name(), path.display().to_string());
}

/// F2
#[test]
fn unreadable_path_is_rejected_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(
        problem(&folder.path().join("a.yaml")),
        ": no such file; check the path, or create the file"
    );
    assert_eq!(problem(folder.path()), ": is a directory; name a file in it");
}

/// F2: root may read everything, so the system's answer is made up here.
#[test]
fn file_without_permission_is_rejected_with_a_reason() {
    let denied = io::ErrorKind::PermissionDenied.into();
    assert_eq!(
        unreadable("f", &denied).to_string(),
        "f: permission denied; grant read access to the user of this process"
    );
    let other = io::Error::other("the disk is on fire");
    assert_eq!(
        unreadable("f", &other).to_string(),
        "f: cannot read the file: the disk is on \
                                                     fire"
    );
}

/// F2: what is too long is not read to its end.
#[test]
fn file_over_the_size_limit_is_rejected() {
    let too_long = ": the file is larger than 8 MiB; check that it is the right file, or split \
                    it";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.yaml");
    let file = File::create(&path).unwrap();
    file.set_len(100 * 1024 * 1024).unwrap();
    assert_eq!(problem(&path), too_long);
    file.set_len(MAX_BYTES as u64 + 1).unwrap();
    assert_eq!(problem(&path), too_long);
    file.set_len(MAX_BYTES as u64).unwrap();
    assert_eq!(Source::read(&path).unwrap().text().len(), MAX_BYTES);
}

/// F2: it would never end.
#[cfg(unix)]
#[test]
fn endless_device_is_rejected_at_the_size_limit() {
    let too_long = ": the file is larger than 8 MiB; check that it is the right file, or split \
                    it";
    assert_eq!(problem(Path::new("/dev/zero")), too_long);
}

/// F2: the place is that of the first bad byte, in characters.
#[test]
fn invalid_utf_8_is_rejected_with_its_position() {
    for (bytes, expected) in [
        (&b"a: 1\n\xc3\xa4: \xff\n"[..], "f:2:4: invalid UTF-8; save the file as UTF-8"),
        (b"\xef\xbb\xbfa: \xff", "f:1:4: invalid UTF-8; save the file as UTF-8"),
        (b"\xe2\x82", "f:1:1: invalid UTF-8; save the file as UTF-8"),
        (b"\xff\xfea\0", "f:1:1: the file is UTF-16, not UTF-8; save the file as UTF-8"),
    ] {
        let problem = Source::from_bytes("f", bytes.to_vec()).unwrap_err();
        assert_eq!(problem.to_string(), expected);
        let source = problem.source().unwrap();
        assert_eq!(&source.text()[problem.span().unwrap()], "\u{fffd}");
    }
}
