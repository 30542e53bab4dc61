//! Facts out of the errors of other crates, one file and one cargo feature each.
//!
//! An extractor reports what it sees and judges nothing (J1). To add one: a
//! file here with a `facts` function and an `impl Failure`, a line in
//! [`link`], a feature in `Cargo.toml`.

mod io;
mod process;

use std::error::Error;

use super::{Fault, MAX_CAUSES, walk};

pub use process::ExitError;

/// The facts of one link of a cause chain. An error that no extractor knows has none.
pub(crate) fn link(error: &(dyn Error + 'static)) -> Fault {
    let known = None.or_else(|| io::facts(error)).or_else(|| process::facts(error));
    known.unwrap_or_default()
}

/// The facts of any error and of its causes.
///
/// For errors that do not tell their facts themselves: hand it to
/// [`Retry::facts`](crate::Retry::facts).
///
/// ```
/// use std::io;
/// use steadfast::{Kind, extract};
///
/// let reset = io::Error::from(io::ErrorKind::ConnectionReset);
/// let wrapped = io::Error::other(reset);
/// let fault = extract::chain(&wrapped);
/// assert_eq!(fault.causes[0].kind, Some(Kind::ConnectionReset));
/// ```
#[must_use]
pub fn chain<E: Error + 'static>(error: &E) -> Fault {
    let mut links = Vec::new();
    walk::<()>(Some(error), MAX_CAUSES, |fault| {
        links.push(fault.clone());
        std::ops::ControlFlow::Continue(())
    });
    let mut links = links.into_iter();
    let mut outermost = links.next().unwrap_or_default();
    outermost.causes = links.collect();
    outermost.type_name = Some(std::any::type_name::<E>().into());
    outermost.message = Some(error.to_string());
    outermost
}
