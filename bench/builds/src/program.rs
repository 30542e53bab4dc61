//! Generated programs with any number of call sites.

use std::fmt;

use crate::library::{Calls, Library};

/// How the operations of a program run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Futures on a runtime.
    Asynchronous,
    /// Results.
    Blocking,
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Mode::Asynchronous => "async",
            Mode::Blocking => "blocking",
        })
    }
}

/// The call of a library in a mode, with the placeholder of its operation.
pub fn call(library: &Library, mode: Mode) -> Option<(&Calls, &'static str)> {
    let calls = library.calls.as_ref()?;
    let call = match mode {
        Mode::Asynchronous => calls.asynchronous,
        Mode::Blocking => calls.blocking,
    };
    Some((calls, call?))
}

/// A program with `count` call sites. Each has its own closure and, in asynchronous programs, its
/// own future; all use one policy and one error type, and convert the error with `?`.
pub fn source(calls: &Calls, call: &str, mode: Mode, count: usize) -> String {
    let parts = mode.parts();
    let call = call.replace("{fetch}", parts.fetch);
    let site = parts.site.replace("{call}", &call);
    let numbered = |template: &str, n: usize| template.replace("{n}", &n.to_string());
    let sites: String = (0..count).map(|n| numbered(&site, n)).collect();
    let pointers: String = (0..count).map(|n| numbered(parts.pointer, n)).collect();
    let Calls { items, policy_type, policy, .. } = calls;
    let main = parts.main;
    format!(
        "{COMMON}{items}\n\
         type SharedPolicy = {policy_type};\n\
         fn policy() -> Result<SharedPolicy, AnyError> {{\n    Ok({policy})\n}}\n\
         {sites}const SITES: &[Site] = &[\n{pointers}];\n{main}"
    )
}

/// The parts of a program that depend on the mode.
struct Parts {
    /// The operation of call site `{n}`.
    fetch: &'static str,
    /// The function of call site `{n}`, with its `{call}`.
    site: &'static str,
    /// The entry of call site `{n}` in the list.
    pointer: &'static str,
    /// The operation, and a main function that runs all sites of the list.
    main: &'static str,
}

impl Mode {
    fn parts(self) -> Parts {
        match self {
            Mode::Asynchronous => ASYNCHRONOUS,
            Mode::Blocking => BLOCKING,
        }
    }
}

const COMMON: &str = "#![allow(unused_imports)]
use std::{hint::black_box, io, pin::Pin, time::Duration};
type AnyError = Box<dyn std::error::Error + Send + Sync>;
type Outcome = Result<usize, AnyError>;
#[inline(never)]
fn request(url: &str, page: usize) -> io::Result<usize> {
    match black_box(url).len() {
        0 => Err(io::ErrorKind::ConnectionReset.into()),
        length => Ok(length + page),
    }
}
";

const ASYNCHRONOUS: Parts = Parts {
    fetch: "fetch(url, {n}).await.map(|page| page ^ {n})",
    site: "async fn site_{n}(policy: &SharedPolicy, url: &str) -> Outcome {
    Ok({call})
}
",
    pointer: "    |policy, url| Box::pin(site_{n}(policy, url)),\n",
    main: "async fn fetch(url: &str, page: usize) -> io::Result<usize> {
    tokio::task::yield_now().await;
    request(url, page)
}
type Session<'a> = Pin<Box<dyn Future<Output = Outcome> + Send + 'a>>;
type Site = for<'a> fn(&'a SharedPolicy, &'a str) -> Session<'a>;
fn main() -> Result<(), AnyError> {
    let policy = policy()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    runtime.block_on(async {
        for site in black_box(SITES) {
            black_box(site(&policy, \"url\").await?);
        }
        Ok(())
    })
}
",
};

const BLOCKING: Parts = Parts {
    fetch: "fetch(url, {n}).map(|page| page ^ {n})",
    site: "fn site_{n}(policy: &SharedPolicy, url: &str) -> Outcome {
    Ok({call})
}
",
    pointer: "    site_{n},\n",
    main: "fn fetch(url: &str, page: usize) -> io::Result<usize> {
    request(url, page)
}
type Site = fn(&SharedPolicy, &str) -> Outcome;
fn main() -> Result<(), AnyError> {
    let policy = policy()?;
    for site in black_box(SITES) {
        black_box(site(&policy, \"url\")?);
    }
    Ok(())
}
",
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::LIBRARIES;

    #[test]
    fn every_call_site_has_its_own_operation() {
        for library in LIBRARIES {
            for mode in [Mode::Asynchronous, Mode::Blocking] {
                let Some((calls, call)) = call(library, mode) else { continue };
                let source = source(calls, call, mode, 2);
                for operation in ["fetch(url, 0)", "fetch(url, 1)"] {
                    assert_eq!(source.matches(operation).count(), 1, "{}: {source}", library.name);
                }
                assert!(!source.contains("{call}") && !source.contains("{n}"), "{source}");
            }
        }
    }
}
