//! Charts in files: what they are is for their extension to say (section 10).

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
fn the_extension_says_how_a_chart_is_drawn() {
    let folder = tempdir().unwrap();
    for (file, beginning) in
        [("a.svg", &b"<svg"[..]), ("a.PNG", b"\x89PNG"), ("a.txt", b"Delay before")]
    {
        let drawn = plot(folder.path(), &format!("-o {file}"));
        assert_eq!(drawn.status.code(), Some(0));
        assert!(drawn.stdout.is_empty());
        assert_eq!(String::from_utf8(drawn.stderr).unwrap(), format!("note: drawn to {file}\n"));
        assert!(fs::read(folder.path().join(file)).unwrap().starts_with(beginning), "{file}");
    }
}

#[test]
fn a_format_that_is_said_wins_over_the_extension() {
    let folder = tempdir().unwrap();
    plot(folder.path(), "-o chart --format svg");
    assert!(fs::read(folder.path().join("chart")).unwrap().starts_with(b"<svg"));
}

/// A picture in a pipe is the picture, byte for byte.
#[test]
fn a_picture_goes_into_a_pipe_as_it_is() {
    let folder = tempdir().unwrap();
    for format in ["svg", "png"] {
        let piped = plot(folder.path(), &format!("-o - --format {format}"));
        plot(folder.path(), &format!("-o chart.{format}"));
        let file = fs::read(folder.path().join(format!("chart.{format}"))).unwrap();
        assert!(piped.stdout == file, "{format}");
        assert!(piped.stderr.is_empty());
    }
}

#[test]
fn a_theme_and_a_size_are_obeyed() {
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

/// Numbers for a machine do not keep a chart from its file.
#[test]
fn a_chart_is_drawn_beside_its_numbers() {
    let folder = tempdir().unwrap();
    let both = plot(folder.path(), "-o chart.svg --json");
    let numbers: serde_json::Value = serde_json::from_slice(&both.stdout).unwrap();
    assert_eq!(numbers["policies"][0]["policy"], "grpc");
    assert!(folder.path().join("chart.svg").exists());
}
