//! Chart files (section 10).

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::tempdir;

fn plot(folder: &Path, flags: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_steadfast"));
    command.current_dir(folder).args(["policy", "plot", "--preset", "grpc"]);
    command.args(flags.split(' ')).output().unwrap()
}

#[test]
fn extension_selects_the_chart_format() {
    let folder = tempdir().unwrap();
    let formats = [("a.svg", &b"<svg"[..]), ("a.txt", b"Delay before"), ("a.PNG", b"\x89PNG")];
    let built = if cfg!(feature = "png") { &formats[..] } else { &formats[..2] };
    for (file, beginning) in built {
        let drawn = plot(folder.path(), &format!("-o {file}"));
        assert_eq!(drawn.status.code(), Some(0));
        assert!(drawn.stdout.is_empty());
        assert_eq!(
            String::from_utf8(drawn.stderr).unwrap(),
            format!("note: chart written to {file}\n")
        );
        assert!(fs::read(folder.path().join(file)).unwrap().starts_with(beginning), "{file}");
    }
}

#[test]
fn format_flag_overrides_the_extension() {
    let folder = tempdir().unwrap();
    plot(folder.path(), "-o chart --format svg");
    assert!(fs::read(folder.path().join("chart")).unwrap().starts_with(b"<svg"));
}

/// An image is written to a pipe byte for byte.
#[test]
fn image_is_piped_unchanged() {
    let folder = tempdir().unwrap();
    let built: &[&str] = if cfg!(feature = "png") { &["svg", "png"] } else { &["svg"] };
    for format in built {
        let piped = plot(folder.path(), &format!("-o - --format {format}"));
        plot(folder.path(), &format!("-o chart.{format}"));
        let file = fs::read(folder.path().join(format!("chart.{format}"))).unwrap();
        assert!(piped.stdout == file, "{format}");
        assert!(piped.stderr.is_empty());
    }
}

#[test]
fn theme_and_size_are_applied() {
    let folder = tempdir().unwrap();
    let svg = |flags: &str| {
        let drawn = plot(folder.path(), &format!("--format svg {flags}"));
        String::from_utf8(drawn.stdout).unwrap()
    };
    assert!(svg("--width 500 --height 300").contains("viewBox=\"0 0 500 300\""));
    assert!(svg("--theme auto").contains("prefers-color-scheme"));
    assert!(!svg("--theme dark").contains("prefers-color-scheme"));
    assert_ne!(svg("--theme dark"), svg("--theme light"));
}

/// `--json` prints the data and still writes the chart file.
#[test]
fn json_output_does_not_suppress_the_chart_file() {
    let folder = tempdir().unwrap();
    let both = plot(folder.path(), "-o chart.svg --json");
    let numbers: serde_json::Value = serde_json::from_slice(&both.stdout).unwrap();
    assert_eq!(numbers["policies"][0]["policy"], "grpc");
    assert!(folder.path().join("chart.svg").exists());
}

#[test]
#[cfg(not(feature = "png"))]
fn png_without_the_feature_is_rejected_with_advice() {
    let folder = tempdir().unwrap();
    for flags in ["-o chart.png", "--format png"] {
        let refused = plot(folder.path(), flags);
        let error = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(2));
        assert!(error.contains("this build has no PNG support"), "{error}");
        assert!(error.contains("--features png"), "{error}");
    }
}

#[test]
#[cfg(feature = "png")]
fn oversized_png_is_rejected() {
    let folder = tempdir().unwrap();
    let refused = plot(folder.path(), "--format png --width 8000");
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8(refused.stderr).unwrap().contains("8192"));
}
