//! A generated package that depends on one library.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::library::Library;
use crate::process::{self, Error};

/// A generated package, with its own build directory.
#[derive(Debug)]
pub struct Project {
    directory: PathBuf,
}

impl Project {
    /// A project with one library and other dependencies, locked to the versions of the
    /// benchmarks. What an earlier run has built there remains.
    ///
    /// # Errors
    /// Its files cannot be written, or its dependencies cannot be downloaded.
    pub fn create(kind: &str, library: &Library, others: &[&str]) -> Result<Self, Error> {
        let name = package_name(library.name);
        let directory = bench().join("target/builds").join(kind).join(&name);
        fs::create_dir_all(directory.join("src"))?;
        fs::write(directory.join("Cargo.toml"), manifest(&name, library, others))?;
        fs::copy(bench().join("Cargo.lock"), directory.join("Cargo.lock"))?;
        let project = Project { directory };
        project.write("lib.rs", "")?;
        process::run(&mut project.cargo("fetch"))?;
        Ok(project)
    }

    /// Deletes what has been built.
    ///
    /// # Errors
    /// A file cannot be deleted.
    pub fn clean(&self) -> Result<(), Error> {
        process::run(&mut self.cargo("clean"))?;
        Ok(())
    }

    /// Writes a source file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, file: &str, source: &str) -> Result<(), Error> {
        Ok(fs::write(self.directory.join("src").join(file), source)?)
    }

    /// Builds what is not yet built and returns the CPU time it took.
    ///
    /// # Errors
    /// The project does not compile.
    pub fn build(&self, profile: &str) -> Result<Duration, Error> {
        process::cpu_time(self.cargo("build").args(["--profile", profile]))
    }

    /// The number of crates that a build compiles, without the project itself.
    ///
    /// # Errors
    /// The dependencies cannot be listed.
    pub fn crates(&self) -> Result<usize, Error> {
        let list = ["--edges", "normal,build", "--prefix", "none", "--no-dedupe"];
        let output = process::run(self.cargo("tree").args(list))?;
        let listed = String::from_utf8(output.stdout)?;
        let crates: BTreeSet<&str> = listed.lines().collect();
        Ok(crates.len().saturating_sub(1))
    }

    /// The size in bytes of the code and the constants of the built program.
    ///
    /// # Errors
    /// The program is not built, or `size` is not installed.
    pub fn text_bytes(&self) -> Result<u64, Error> {
        let name = self.directory.file_name().unwrap_or_default();
        let program = self.directory.join("target/release").join(name);
        let output = process::run(Command::new("size").arg(&program))?;
        let printed = String::from_utf8(output.stdout)?;
        text_column(&printed).ok_or_else(|| format!("size: unexpected output `{printed}`").into())
    }

    /// A cargo command in this project, without what the environment would add to a build.
    fn cargo(&self, command: &str) -> Command {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut cargo = Command::new(cargo);
        cargo.arg(command).current_dir(&self.directory);
        // A library from a registry is never built incrementally, so ours is not either.
        cargo.env("CARGO_INCREMENTAL", "0");
        for variable in ["CARGO_TARGET_DIR", "RUSTC_WRAPPER", "RUSTFLAGS"] {
            cargo.env_remove(variable);
        }
        cargo
    }
}

/// The directory of the benchmarks.
fn bench() -> &'static Path {
    let builds = Path::new(env!("CARGO_MANIFEST_DIR"));
    builds.parent().unwrap_or(builds)
}

/// The name of a package: the words of a library's name.
fn package_name(library: &str) -> String {
    let words = library.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    format!("with-{}", words.collect::<Vec<_>>().join("-"))
}

fn manifest(name: &str, library: &Library, others: &[&str]) -> String {
    let crates = bench().join("../crates");
    let dependency = library.dependency.replace("{crates}", &crates.display().to_string());
    let others = others.join("\n");
    format!(
        "[workspace]\n\n\
         [package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [dependencies]\n{dependency}\n{others}\n"
    )
}

/// The first column of the second line that `size` prints: text, which includes constants.
fn text_column(printed: &str) -> Option<u64> {
    printed.lines().nth(1)?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::LIBRARIES;

    #[test]
    fn text_is_read_from_the_output_of_size() {
        let printed = "   text\t   data\t    bss\n 402910\t   9184\t    777\n";
        assert_eq!(text_column(printed), Some(402_910));
        assert_eq!(text_column("size: no such file"), None);
    }

    #[test]
    fn package_name_has_no_blanks_or_commas() {
        assert_eq!(package_name("steadfast, no features"), "with-steadfast-no-features");
    }

    #[test]
    fn manifest_names_the_directory_of_this_library() {
        let manifest = manifest("x", &LIBRARIES[0], &["tokio = \"1\""]);
        assert!(manifest.contains("bench/../crates/steadfast\" }"), "{manifest}");
        assert!(!manifest.contains("{crates}"), "{manifest}");
    }
}
