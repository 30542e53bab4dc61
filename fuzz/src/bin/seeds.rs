//! The program that writes the seed corpus of all targets: `seeds REPOSITORY DIRECTORY`.

use std::path::Path;
use std::process::ExitCode;

// The library is instrumented in a build for libFuzzer, so this program must link it as well.
#[cfg(feature = "libfuzzer")]
use libfuzzer_sys as _;
use steadfast_fuzz::seeds;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [root, directory] = arguments.as_slice() else {
        eprintln!("usage: seeds REPOSITORY DIRECTORY");
        return ExitCode::from(2);
    };
    let written = seeds::all(Path::new(root))
        .and_then(|all| all.iter().try_for_each(|seeds| seeds.write(Path::new(directory))));
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
