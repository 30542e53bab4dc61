//! Completion scripts and man pages (section 10), tested with their shells and formatter.
//!
//! PowerShell is in no distribution's archive, so its script is only inspected.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::tempdir;

fn steadfast(line: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_steadfast"));
    let output = command.args(line.split(' ')).output().unwrap();
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a program with a text on stdin. A program that is not installed fails the test.
fn run_with_stdin(program: &str, arguments: &[&str], text: &str) -> Output {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|why| {
        panic!("{program} cannot be run ({why}): install it, or let `cargo xtask test` do so")
    });
    let mut input = child.stdin.take().unwrap();
    input.write_all(text.as_bytes()).unwrap();
    drop(input);
    child.wait_with_output().unwrap()
}

/// The output of a successful run.
fn successful_output(program: &str, arguments: &[&str], text: &str) -> String {
    let output = run_with_stdin(program, arguments, text);
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && complaints.is_empty(), "{program}: {complaints}");
    String::from_utf8(output.stdout).unwrap()
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// Section 10: bash completes commands, flags and the names of presets.
#[test]
fn bash_completes_commands_flags_and_presets() {
    let script = steadfast("completions bash");
    successful_output("bash", &["-n"], &script);
    let complete = |line: &str| {
        let asked = format!(
            "{script}\nCOMP_WORDS=({line})\nCOMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n\
             _steadfast steadfast \"${{COMP_WORDS[COMP_CWORD]}}\" \
             \"${{COMP_WORDS[COMP_CWORD-1]}}\"\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n"
        );
        successful_output("bash", &["--norc"], &asked)
    };
    assert_eq!(words(&complete("steadfast pol")), ["policy"]);
    assert_eq!(words(&complete("steadfast policy plan --max-att")), ["--max-attempts"]);
    assert!(words(&complete("steadfast policy plan --preset ''")).contains(&"sql"));
    assert!(words(&complete("steadfast completions ''")).contains(&"powershell"));
}

/// Section 10: zsh loads the script from `fpath` and by sourcing it.
#[test]
fn zsh_loads_the_script() {
    let script = steadfast("completions zsh");
    successful_output("zsh", &["-f", "-n"], &script);
    let directory = tempdir().unwrap();
    std::fs::write(directory.path().join("_steadfast"), &script).unwrap();
    let asked = format!(
        "fpath=('{}' $fpath)\nautoload -U compinit\ncompinit -D -u\nprint $_comps[steadfast]\n\
         autoload +X _steadfast\nprint $+functions[_steadfast]\n",
        directory.path().display()
    );
    assert_eq!(words(&successful_output("zsh", &["-f"], &asked)), ["_steadfast", "1"]);
    assert!(script.contains("--preset") && script.contains("patient"));
}

/// Section 10: fish completes commands, flags and the names of presets.
#[test]
fn fish_completes_commands_flags_and_presets() {
    let script = steadfast("completions fish");
    successful_output("fish", &["--no-config", "--no-execute"], &script);
    let complete = |line: &str| {
        let asked = format!("{script}\ncomplete -C '{line}'\n");
        successful_output("fish", &["--no-config"], &asked)
    };
    assert!(
        complete("steadfast pol").starts_with("policy\tCheck, inspect and convert retry policies")
    );
    assert!(complete("steadfast policy plan --max-att").starts_with("--max-attempts\t"));
    assert!(words(&complete("steadfast policy plan --preset ")).contains(&"sql"));
}

#[test]
fn powershell_script_names_all_commands() {
    let script = steadfast("completions powershell");
    assert!(script.contains("Register-ArgumentCompleter -Native -CommandName 'steadfast'"));
    assert!(["'policy'", "'--json'", "'steadfast;policy;plan'"].iter().all(|w| script.contains(w)));
}

/// Formats a page as plain text, as `man` does; warnings other than overlong words fail the test.
fn formatted(page: &str) -> String {
    let plain = ["-P-c", "-P-b", "-P-u"];
    let arguments = [&["-K", "utf8", "-man", "-Tutf8", "-ww", "-Wbreak"][..], &plain].concat();
    successful_output("groff", &arguments, page)
}

/// Section 10: every command has a page, without formatter warnings.
#[test]
fn every_command_has_a_valid_man_page() {
    let directory = tempdir().unwrap();
    let printed = steadfast(&format!("man {}", directory.path().display()));
    let pages: Vec<_> =
        directory.path().read_dir().unwrap().map(|page| page.unwrap().path()).collect();
    assert_eq!(
        printed,
        format!("{} pages written to {}\n", pages.len(), directory.path().display())
    );
    for page in &pages {
        let text = std::fs::read_to_string(page).unwrap();
        assert!(formatted(&text).contains("SYNOPSIS"), "{}", page.display());
    }
    for name in ["steadfast.1", "steadfast-policy.1", "steadfast-policy-plan.1"] {
        assert!(pages.iter().any(|page| page.file_name().unwrap() == name), "{name}");
    }
}

#[test]
fn main_page_is_printed_without_directory() {
    let page = steadfast("man");
    assert!(page.contains(".TH steadfast 1") && page.contains("steadfast\\-policy(1)"), "{page}");
    let set = successful_output(
        "groff",
        &["-K", "utf8", "-man", "-Tascii", "-P-c", "-P-b", "-P-u", "-ww"],
        &page,
    );
    assert!(set.contains("EXIT CODES") && set.contains("EXAMPLES"), "{set}");
}

#[test]
fn missing_directory_is_rejected() {
    let directory = tempdir().unwrap();
    let missing = directory.path().join("man1");
    let mut command = Command::new(env!("CARGO_BIN_EXE_steadfast"));
    let refused = command.arg("man").arg(&missing).output().unwrap();
    let printed = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(printed.contains("does not exist") && printed.contains("mkdir -p"), "{printed}");
    assert!(!Path::new(&missing).exists());
}
