//! Expansion of `#[derive(Fault)]`: an implementation of `Failure`.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};

use crate::facts::{Facts, enum_type_name};
use crate::syntax::{self, Attribute, Error, Errors, Fields, Generics, Item, Result, Text, unraw};

/// The implementation, or all errors.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let item = Item::read(input);
    item.and_then(|item| implementation(&item)).unwrap_or_else(Error::into_compile_error)
}

/// A variant, or a struct.
struct Shape {
    /// The path of its pattern.
    path: TokenStream,
    facts: Facts,
}

fn implementation(item: &Item) -> Result<TokenStream> {
    let Item { name, generics, .. } = item;
    let (shapes, own_name) = shapes(item)?;
    let type_name = match own_name {
        Some(own) => quote!(#own),
        None => {
            let name = unraw(name);
            quote!(::core::concat!(::core::module_path!(), "::", #name))
        }
    };
    let fault = match_shapes(&shapes, |facts| facts.fault(&type_name));
    let message = match_shapes(&shapes, Facts::message);
    let has_cause = |facts: &Facts| facts.transparent.is_some() || facts.cause.is_some();
    let cause = shapes.iter().any(|shape| has_cause(&shape.facts)).then(|| {
        let cause = match_shapes(&shapes, Facts::cause);
        quote! {
            fn cause(
                &self,
            ) -> ::core::option::Option<&(dyn ::std::error::Error + 'static)> {
                #[allow(unused_imports)]
                use ::steadfast::__private::AsCause as _;
                #cause
            }
        }
    });
    let (declarations, arguments) = (generics.declarations(), generics.arguments());
    let conditions = conditions(name, generics, &shapes);
    let conversions = conversions(item, &shapes)?;
    // A type with parameters may be no standard error for some of them.
    let as_error = arguments.is_none().then(|| {
        quote! {
            fn as_error(
                &self,
            ) -> ::core::option::Option<&(dyn ::std::error::Error + 'static)> {
                #[allow(unused_imports)]
                use ::steadfast::__private::{IsError as _, IsNoError as _};
                (&::steadfast::__private::MaybeError(self)).as_error()
            }
        }
    });
    Ok(quote! {
        #[automatically_derived]
        impl #declarations ::steadfast::Failure for #name #arguments where #(#conditions),* {
            fn fault(&self) -> ::steadfast::Fault {
                #fault
            }

            #cause

            fn message(&self) -> ::core::option::Option<::std::string::String> {
                #message
            }

            #as_error
        }

        #conversions
    })
}

/// The conversions that `gave_up` adds: of the report, and of the error of a session.
fn conversions(item: &Item, shapes: &[Shape]) -> Result<TokenStream> {
    let mut all = shapes.iter().filter_map(|shape| Some((shape, shape.facts.gave_up.as_ref()?)));
    let Some((Shape { path, .. }, gave_up)) = all.next() else {
        return Ok(TokenStream::new());
    };
    if let Some((_, second)) = all.next() {
        return Err(Error::new(second.span, "only one variant can be `gave_up`"));
    }
    if item.generics.arguments().is_some() {
        let message = "`gave_up` needs a type without parameters; implement \
                       `From<steadfast::GaveUp>` by hand";
        return Err(Error::new(gave_up.span, message));
    }
    let (name, member) = (&item.name, &gave_up.field.member);
    let of_report = (!gave_up.is_converted).then(|| {
        quote! {
            #[automatically_derived]
            impl ::core::convert::From<::steadfast::GaveUp> for #name {
                fn from(gave_up: ::steadfast::GaveUp) -> Self {
                    #path { #member: gave_up }
                }
            }
        }
    });
    Ok(quote! {
        #of_report

        #[automatically_derived]
        impl<__Value> ::core::convert::From<::steadfast::RetryError<#name, __Value>> for #name {
            fn from(error: ::steadfast::RetryError<#name, __Value>) -> Self {
                error.into_own()
            }
        }
    })
}

/// All shapes of the type, and its type name if the attributes set one.
fn shapes(item: &Item) -> Result<(Vec<Shape>, Option<Text>)> {
    let shape = |path: TokenStream, attributes: &[Attribute], fields: &Fields| {
        Facts::read(attributes, fields).map(|facts| Shape { path, facts })
    };
    match &item.shape {
        syntax::Shape::Struct(fields) => {
            Ok((vec![shape(quote!(Self), &item.attributes, fields)?], None))
        }
        syntax::Shape::Enum(variants) => {
            let mut errors = Errors::default();
            let own_name = errors.collect(enum_type_name(&item.attributes)).flatten();
            let mut shapes = Vec::new();
            for variant in variants {
                let name = &variant.name;
                let path = quote!(Self::#name);
                shapes.extend(errors.collect(shape(path, &variant.attributes, &variant.fields)));
            }
            errors.finish((shapes, own_name))
        }
    }
}

/// A `match` over the shapes, with the code of `arm` for each.
fn match_shapes(shapes: &[Shape], arm: impl Fn(&Facts) -> TokenStream) -> TokenStream {
    if shapes.is_empty() {
        return quote!(match *self {});
    }
    let arms = shapes.iter().map(|Shape { path, facts }| {
        let code = arm(facts);
        // A field that holds two facts is bound once.
        let mut fields = Vec::new();
        for (field, _) in facts.bounds() {
            if !fields.iter().any(|(member, _)| *member == &field.member) {
                fields.push((&field.member, field.variable()));
            }
        }
        let bound = fields.iter().filter(|(_, variable)| mentions(code.clone(), &[variable]));
        let bindings = bound.map(|(member, variable)| quote!(#member: #variable,));
        quote!(#path { #(#bindings)* .. } => #code,)
    });
    quote!(match self { #(#arms)* })
}

/// The conditions of the type, and the bounds of its parameters.
fn conditions(name: &Ident, generics: &Generics, shapes: &[Shape]) -> Vec<TokenStream> {
    let parameters = generics.type_names();
    let mut conditions = generics.conditions.clone();
    if parameters.is_empty() {
        return conditions;
    }
    if shapes.iter().any(|shape| shape.facts.transparent.is_none()) {
        let arguments = generics.arguments();
        conditions.push(quote!(#name #arguments: ::core::fmt::Display));
    }
    for (field, bound) in shapes.iter().flat_map(|shape| shape.facts.bounds()) {
        let ty = field.inner().unwrap_or_else(|| field.ty.clone());
        if mentions(ty.to_token_stream(), &parameters) {
            conditions.push(quote!(#ty: #bound));
        }
    }
    conditions
}

/// Whether the tokens contain any of these names.
fn mentions(tokens: TokenStream, names: &[&Ident]) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => names.contains(&&ident),
        TokenTree::Group(group) => mentions(group.stream(), names),
        _ => false,
    })
}
