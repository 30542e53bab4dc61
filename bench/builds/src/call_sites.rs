//! Call sites: what each call of a library adds to a program, and to its compile time.

use crate::library::{Calls, Library};
use crate::process::Error;
use crate::program::{self, Mode};
use crate::project::Project;
use crate::table::{DASH, Measured, table};

/// The profile of the builds. Sizes matter in what is shipped.
const PROFILE: &str = "release";
/// Call sites of the small program; the large one has [`MEASURED`] more.
const SMALL: usize = 1;
/// Measured call sites.
const MEASURED: usize = 50;

/// The maximum number of bytes per asynchronous call site of this library.
const ASYNCHRONOUS_BYTES: f64 = 3000.0;
/// The maximum number of bytes per blocking call site of this library.
const BLOCKING_BYTES: f64 = 1500.0;
/// The maximum CPU seconds to compile a program with [`MEASURED`] call sites of this library.
const SECONDS: f64 = 4.0;

/// A runtime for asynchronous programs.
const TOKIO: &str = r#"tokio = { version = "1", features = ["rt", "time"] }"#;

/// The operations alone.
const BARE: Library = Library {
    name: "bare",
    dependency: "",
    goal: None,
    calls: Some(Calls {
        items: "",
        policy_type: "()",
        policy: "()",
        asynchronous: Some("{ let _ = policy; {fetch}? }"),
        blocking: Some("{ let _ = policy; {fetch}? }"),
    }),
};

/// Builds the programs of the libraries and returns the table.
///
/// # Errors
/// A program does not build.
pub fn report(libraries: &[Library]) -> Result<String, Error> {
    let called: Vec<&Library> =
        libraries.iter().filter(|library| library.calls.is_some()).collect();
    let asynchronous = column(&called, Mode::Asynchronous, ASYNCHRONOUS_BYTES)?;
    let blocking = column(&called, Mode::Blocking, BLOCKING_BYTES)?;
    let names = [&BARE].into_iter().chain(called).map(|library| library.name.to_owned());
    let rows = names.zip(asynchronous).zip(blocking).map(|((name, left), right)| {
        let [bytes, seconds] = left;
        let [blocking_bytes, blocking_seconds] = right;
        [name, bytes, seconds, blocking_bytes, blocking_seconds]
    });
    let head = [
        "call sites, profile `release`",
        "bytes per async call",
        "CPU seconds to compile 50",
        "bytes per blocking call",
        "CPU seconds to compile 50",
    ];
    Ok(table(&head, rows))
}

/// The cells of one mode: the bare operation first, then what each library adds to it.
fn column(libraries: &[&Library], mode: Mode, max_bytes: f64) -> Result<Vec<[String; 2]>, Error> {
    let bare = measure(&BARE, mode)?;
    let bare_bytes = bare.map_or(0.0, |bare| bare.bytes);
    let mut cells = vec![bare.map_or_else(dashes, |bare| bare.cells(None, None))];
    for library in libraries {
        let goal = |goal: f64| library.is_ours().then_some(goal);
        let measured = measure(library, mode)?.map(|cost| cost.beyond(bare_bytes));
        cells.push(measured.map_or_else(dashes, |cost| cost.cells(goal(max_bytes), goal(SECONDS))));
    }
    Ok(cells)
}

/// The cost of call sites.
#[derive(Debug, Clone, Copy)]
struct Cost {
    /// Bytes per call site.
    bytes: f64,
    /// CPU seconds to compile the large program.
    seconds: f64,
}

impl Cost {
    fn beyond(self, bytes: f64) -> Self {
        Cost { bytes: self.bytes - bytes, ..self }
    }

    fn cells(self, max_bytes: Option<f64>, max_seconds: Option<f64>) -> [String; 2] {
        let bytes = Measured { value: self.bytes, goal: max_bytes };
        let seconds = Measured { value: self.seconds, goal: max_seconds };
        [bytes.cell(0), seconds.cell(1)]
    }
}

fn dashes() -> [String; 2] {
    [DASH, DASH].map(str::to_owned)
}

/// Builds the small and the large program of a library that has calls of this mode.
fn measure(library: &Library, mode: Mode) -> Result<Option<Cost>, Error> {
    let Some((calls, call)) = program::call(library, mode) else {
        return Ok(None);
    };
    eprintln!("call sites of {}, {mode}", library.name);
    let project = Project::create("sites", library, &[TOKIO])?;
    let build = |count| {
        project.write("main.rs", &program::source(calls, call, mode, count))?;
        let seconds = project.build(PROFILE)?.as_secs_f64();
        Ok::<_, Error>((project.text_bytes()?, seconds))
    };
    // The small program also builds the dependencies.
    let (small, _) = build(SMALL)?;
    let (large, seconds) = build(SMALL + MEASURED)?;
    let bytes = large.saturating_sub(small) as f64 / MEASURED as f64;
    Ok(Some(Cost { bytes, seconds }))
}
