//! Expansion of `#[derive(Fault)]`: an implementation of `Failure`.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::{Attribute, Data, DeriveInput, Error, Fields, Generics, LitStr, Result, WhereClause};

use crate::errors::Errors;
use crate::facts::{Facts, enum_type_name};

/// The implementation, or all errors.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let input = syn::parse2::<DeriveInput>(input);
    input.and_then(|input| implementation(&input)).unwrap_or_else(Error::into_compile_error)
}

/// A variant, or a struct.
struct Shape {
    /// The path of its pattern.
    path: TokenStream,
    facts: Facts,
}

fn implementation(input: &DeriveInput) -> Result<TokenStream> {
    let name = &input.ident;
    let (shapes, own_name) = shapes(input)?;
    let type_name = match own_name {
        Some(own) => quote!(#own),
        None => {
            let name = name.unraw().to_string();
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
    let (implementing, arguments, _) = input.generics.split_for_impl();
    let conditions = conditions(name, &input.generics, &shapes);
    Ok(quote! {
        #[automatically_derived]
        impl #implementing ::steadfast::Failure for #name #arguments #conditions {
            fn fault(&self) -> ::steadfast::Fault {
                #fault
            }

            #cause

            fn message(&self) -> ::core::option::Option<::std::string::String> {
                #message
            }
        }
    })
}

/// All shapes of the type, and its type name if the attributes set one.
fn shapes(input: &DeriveInput) -> Result<(Vec<Shape>, Option<LitStr>)> {
    let shape = |path: TokenStream, attributes: &[Attribute], fields: &Fields| {
        Facts::read(attributes, fields).map(|facts| Shape { path, facts })
    };
    match &input.data {
        Data::Struct(data) => Ok((vec![shape(quote!(Self), &input.attrs, &data.fields)?], None)),
        Data::Enum(data) => {
            let mut errors = Errors::default();
            let own_name = errors.collect(enum_type_name(&input.attrs)).flatten();
            let mut shapes = Vec::new();
            for variant in &data.variants {
                let name = &variant.ident;
                shapes.extend(errors.collect(shape(
                    quote!(Self::#name),
                    &variant.attrs,
                    &variant.fields,
                )));
            }
            errors.finish((shapes, own_name))
        }
        Data::Union(data) => Err(Error::new(
            data.union_token.span,
            "`Fault` can be derived for enums and structs, not for unions",
        )),
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

/// The bounds of the type's parameters.
fn conditions(name: &Ident, generics: &Generics, shapes: &[Shape]) -> Option<WhereClause> {
    let parameters: Vec<&Ident> =
        generics.type_params().map(|parameter| &parameter.ident).collect();
    let mut generics = generics.clone();
    if parameters.is_empty() {
        return generics.where_clause;
    }
    let (_, arguments, _) = generics.split_for_impl();
    let mut bounds = Vec::<syn::WherePredicate>::new();
    if shapes.iter().any(|shape| shape.facts.transparent.is_none()) {
        bounds.push(syn::parse_quote!(#name #arguments: ::core::fmt::Display));
    }
    for (field, bound) in shapes.iter().flat_map(|shape| shape.facts.bounds()) {
        let ty = field.inner().unwrap_or(&field.ty);
        if mentions(ty.to_token_stream(), &parameters) {
            bounds.push(syn::parse_quote!(#ty: #bound));
        }
    }
    generics.make_where_clause().predicates.extend(bounds);
    generics.where_clause
}

/// Whether the tokens contain any of these names.
fn mentions(tokens: TokenStream, names: &[&Ident]) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => names.contains(&&ident),
        TokenTree::Group(group) => mentions(group.stream(), names),
        _ => false,
    })
}
