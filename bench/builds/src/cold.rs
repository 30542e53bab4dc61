//! Cold builds: CPU time and crates of a project that only depends on a library.

use crate::library::Library;
use crate::process::Error;
use crate::project::Project;
use crate::table::{Measured, table};

/// The profile of the builds, which is the one of every day.
const PROFILE: &str = "dev";

/// Builds the libraries and returns the table.
///
/// # Errors
/// A library does not build.
pub fn report(libraries: &[Library]) -> Result<String, Error> {
    let rows = libraries.iter().map(row).collect::<Result<Vec<_>, Error>>()?;
    let head = ["cold build, profile `dev`", "CPU seconds", "crates"];
    Ok(table(&head, rows.into_iter()))
}

fn row(library: &Library) -> Result<[String; 3], Error> {
    eprintln!("cold build of {}", library.name);
    let project = Project::create("cold", library, &[])?;
    project.clean()?;
    let seconds = project.build(PROFILE)?.as_secs_f64();
    let crates = project.crates()? as f64;
    Ok([
        library.name.to_owned(),
        Measured { value: seconds, goal: library.goal.map(|goal| goal.seconds) }.cell(1),
        Measured { value: crates, goal: library.goal.map(|goal| goal.crates) }.cell(0),
    ])
}
