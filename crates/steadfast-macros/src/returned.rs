//! The return type of a function and of its attempts.

use proc_macro2::Span;

use crate::syntax::{Error, PathType, Result, Signature, Type};

/// The return type of a function, as declared.
pub(crate) struct Returned {
    pub(crate) attempt: Type,
    /// Whether the error is a `RetryError`, instead of the last attempt's error.
    pub(crate) is_retry_error: bool,
    /// The span of the error type, or of the whole type.
    pub(crate) span: Span,
    /// Whether the function is not async but returns a future.
    pub(crate) is_future: bool,
}

const NEEDS_RESULT: &str = "`#[retry]` needs a function that returns a `Result`";

impl Returned {
    pub(crate) fn of(signature: &Signature) -> Result<Self> {
        let Some(returned) = &signature.returned else {
            return Err(Error::new(signature.name.span(), NEEDS_RESULT));
        };
        let output = if signature.is_async() { None } else { future_output(returned) };
        let is_future = output.is_some();
        let result = output.unwrap_or_else(|| returned.clone());
        if !may_be_result(&result) {
            return Err(Error::spanned(&result, NEEDS_RESULT));
        }
        let own = retry_error(&result);
        let is_retry_error = own.is_some();
        let attempt = match (&own, result.path()) {
            (Some(own), Some(path)) => path.with_type(1, own),
            _ => result.clone(),
        };
        let span =
            own.or_else(|| error_of(&result)).map_or_else(|| result.span(), |error| error.span());
        Ok(Self { attempt: attempt.without_impl_trait(), is_retry_error, span, is_future })
    }
}

/// Whether it can be a `Result`: an alias can have any name.
fn may_be_result(ty: &Type) -> bool {
    ty.is_macro() || ty.path().is_some_and(|path| path.name != "Option")
}

/// The output of `impl Future<Output = R>`, or of a pinned box of one.
fn future_output(ty: &Type) -> Option<Type> {
    let Some(path) = ty.path() else {
        return ty.bounds().iter().find_map(output_of_bound);
    };
    match path.name.to_string().as_str() {
        "Pin" | "Box" => path.types().find_map(|inner| future_output(&inner)),
        "BoxFuture" | "LocalBoxFuture" => path.types().next(),
        _ => None,
    }
}

fn output_of_bound(bound: &PathType) -> Option<Type> {
    if bound.name == "Future" { bound.associated_type("Output") } else { None }
}

/// The second type of `Result<T, E>`.
fn error_of(result: &Type) -> Option<Type> {
    result.path()?.types().nth(1)
}

/// `E` of `Result<T, RetryError<E>>`.
fn retry_error(result: &Type) -> Option<Type> {
    let error = error_of(result)?.path()?;
    if error.name == "RetryError" { error.types().next() } else { None }
}
