//! `#[derive(Fault)]`: an implementation of `Failure`, as the attributes say.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::{Attribute, Data, DeriveInput, Error, Fields, Generics, LitStr, Result, WhereClause};

use crate::errors::Errors;
use crate::facts::{Facts, enum_type_name};

/// The implementation, or everything that is wrong.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let input = syn::parse2::<DeriveInput>(input);
    input.and_then(|input| implementation(&input)).unwrap_or_else(Error::into_compile_error)
}

/// A variant, or a struct as if it were one.
struct Shape {
    /// The path that its pattern begins with.
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
    let fault = each(&shapes, |facts| facts.fault(&type_name));
    let message = each(&shapes, Facts::message);
    let tells_cause = |facts: &Facts| facts.transparent.is_some() || facts.cause.is_some();
    let cause = shapes.iter().any(|shape| tells_cause(&shape.facts)).then(|| {
        let cause = each(&shapes, Facts::cause);
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

/// All shapes of the type, and the name that it goes by if that is not its own.
fn shapes(input: &DeriveInput) -> Result<(Vec<Shape>, Option<LitStr>)> {
    let shape = |path: TokenStream, attributes: &[Attribute], fields: &Fields| {
        Facts::read(attributes, fields).map(|facts| Shape { path, facts })
    };
    match &input.data {
        Data::Struct(data) => Ok((vec![shape(quote!(Self), &input.attrs, &data.fields)?], None)),
        Data::Enum(data) => {
            let mut errors = Errors::default();
            let own_name = errors.keep(enum_type_name(&input.attrs)).flatten();
            let mut shapes = Vec::new();
            for variant in &data.variants {
                let name = &variant.ident;
                shapes.extend(errors.keep(shape(
                    quote!(Self::#name),
                    &variant.attrs,
                    &variant.fields,
                )));
            }
            errors.none_or((shapes, own_name))
        }
        Data::Union(data) => Err(Error::new(
            data.union_token.span,
            "`Fault` is derived for enums and structs; a union does not know what it holds",
        )),
    }
}

/// A `match` with what each shape says.
fn each(shapes: &[Shape], say: impl Fn(&Facts) -> TokenStream) -> TokenStream {
    if shapes.is_empty() {
        return quote!(match *self {});
    }
    let arms = shapes.iter().map(|Shape { path, facts }| {
        let said = say(facts);
        // A field that two facts are in is bound once.
        let mut fields = Vec::new();
        for (place, _) in facts.needs() {
            if !fields.iter().any(|(member, _)| *member == &place.member) {
                fields.push((&place.member, place.variable()));
            }
        }
        let bound = fields.iter().filter(|(_, variable)| mentions(said.clone(), &[variable]));
        let bindings = bound.map(|(member, variable)| quote!(#member: #variable,));
        quote!(#path { #(#bindings)* .. } => #said,)
    });
    quote!(match self { #(#arms)* })
}

/// What must hold of the type's parameters.
fn conditions(name: &Ident, generics: &Generics, shapes: &[Shape]) -> Option<WhereClause> {
    let parameters: Vec<&Ident> =
        generics.type_params().map(|parameter| &parameter.ident).collect();
    let mut generics = generics.clone();
    if parameters.is_empty() {
        return generics.where_clause;
    }
    let (_, arguments, _) = generics.split_for_impl();
    let mut wanted = Vec::<syn::WherePredicate>::new();
    if shapes.iter().any(|shape| shape.facts.transparent.is_none()) {
        wanted.push(syn::parse_quote!(#name #arguments: ::core::fmt::Display));
    }
    for (place, bound) in shapes.iter().flat_map(|shape| shape.facts.needs()) {
        let ty = place.inner().unwrap_or(&place.ty);
        if mentions(ty.to_token_stream(), &parameters) {
            wanted.push(syn::parse_quote!(#ty: #bound));
        }
    }
    generics.make_where_clause().predicates.extend(wanted);
    generics.where_clause
}

/// Whether any of these names stands in the tokens.
fn mentions(tokens: TokenStream, names: &[&Ident]) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => names.contains(&&ident),
        TokenTree::Group(group) => mentions(group.stream(), names),
        _ => false,
    })
}
