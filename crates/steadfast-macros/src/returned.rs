//! The return type of a function and of its attempts.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{
    AngleBracketedGenericArguments, Error, GenericArgument, PathArguments, Result, ReturnType,
    Signature, Type, TypeParamBound,
};

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
        let ReturnType::Type(_, returned) = &signature.output else {
            return Err(Error::new(signature.ident.span(), NEEDS_RESULT));
        };
        let output = match future_output(returned) {
            Some(_) if signature.asyncness.is_some() => None,
            output => output,
        };
        let is_future = output.is_some();
        let result = output.unwrap_or(returned);
        if !may_be_result(result) {
            return Err(Error::new_spanned(result, NEEDS_RESULT));
        }
        let mut attempt = result.clone();
        let is_retry_error = take_retry_error(&mut attempt);
        let span = error_of(&mut attempt).map_or_else(|| result.span(), |error| error.span());
        InferImplTrait.visit_type_mut(&mut attempt);
        Ok(Self { attempt, is_retry_error, span, is_future })
    }
}

/// Whether it can be a `Result`: an alias can have any name.
fn may_be_result(ty: &Type) -> bool {
    match ty {
        Type::Group(group) => may_be_result(&group.elem),
        Type::Paren(paren) => may_be_result(&paren.elem),
        Type::Path(path) => path.path.segments.last().is_some_and(|last| last.ident != "Option"),
        Type::Macro(_) => true,
        _ => false,
    }
}

/// The output of `impl Future<Output = R>`, or of a pinned box of one.
fn future_output(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Group(group) => future_output(&group.elem),
        Type::Paren(paren) => future_output(&paren.elem),
        Type::ImplTrait(bounds) => bounds.bounds.iter().find_map(output_of_bound),
        Type::TraitObject(bounds) => bounds.bounds.iter().find_map(output_of_bound),
        Type::Path(path) => {
            let last = path.path.segments.last()?;
            let PathArguments::AngleBracketed(arguments) = &last.arguments else {
                return None;
            };
            match last.ident.to_string().as_str() {
                "Pin" | "Box" => types(arguments).find_map(future_output),
                "BoxFuture" | "LocalBoxFuture" => types(arguments).next(),
                _ => None,
            }
        }
        _ => None,
    }
}

fn output_of_bound(bound: &TypeParamBound) -> Option<&Type> {
    let TypeParamBound::Trait(bound) = bound else {
        return None;
    };
    let last = bound.path.segments.last().filter(|last| last.ident == "Future")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::AssocType(output) if output.ident == "Output" => Some(&output.ty),
        _ => None,
    })
}

fn types(arguments: &AngleBracketedGenericArguments) -> impl Iterator<Item = &Type> {
    arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

/// Turns `Result<T, RetryError<E>>` into `Result<T, E>`; returns whether it did.
fn take_retry_error(ty: &mut Type) -> bool {
    let Some(error) = error_of(ty) else {
        return false;
    };
    let Type::Path(path) = &*error else {
        return false;
    };
    let Some(last) = path.path.segments.last().filter(|last| last.ident == "RetryError") else {
        return false;
    };
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return false;
    };
    let Some(own) = types(arguments).next().cloned() else {
        return false;
    };
    *error = own;
    true
}

/// The second type of `Result<T, E>`.
fn error_of(ty: &mut Type) -> Option<&mut Type> {
    match ty {
        Type::Group(group) => error_of(&mut group.elem),
        Type::Paren(paren) => error_of(&mut paren.elem),
        Type::Path(path) => {
            let PathArguments::AngleBracketed(arguments) =
                &mut path.path.segments.last_mut()?.arguments
            else {
                return None;
            };
            let mut types = arguments.args.iter_mut().filter_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            });
            types.nth(1)
        }
        _ => None,
    }
}

/// Replaces `impl Trait` by `_`, because a body cannot name it.
struct InferImplTrait;

impl VisitMut for InferImplTrait {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        if let Type::ImplTrait(_) = ty {
            *ty = syn::parse_quote!(_);
            return;
        }
        visit_mut::visit_type_mut(self, ty);
    }
}
