//! `#[fault(...)]`: what a variant, a struct or a field says about the failure.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Error, Expr, Field, Fields, LitStr, Member, Result, Token};

use crate::fact::{Fact, Name, Place, Value};
use crate::{names, values};

/// The words that a variant or a struct takes beside them.
const WORDS: &[&str] = &["unknown_outcome", "type", "transparent"];

/// What a variant or a struct says.
#[derive(Default)]
pub(crate) struct Facts {
    facts: Vec<Fact>,
    unknown_outcome: bool,
    type_name: Option<LitStr>,
    /// The field that is the cause.
    pub(crate) cause: Option<Place>,
    /// The field that tells everything.
    pub(crate) transparent: Option<Place>,
}

/// One word of an attribute.
struct Word {
    name: Ident,
    value: Option<Expr>,
}

impl Parse for Word {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let name = Ident::parse_any(input)?;
        let value = match input.parse::<Option<Token![=]>>()? {
            Some(_) => Some(values::ungrouped(input.parse()?)),
            None => None,
        };
        Ok(Self { name, value })
    }
}

fn words(attributes: &[Attribute]) -> Result<Vec<Word>> {
    let mut words = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("fault")) {
        words.extend(attribute.parse_args_with(Punctuated::<Word, Token![,]>::parse_terminated)?);
    }
    Ok(words)
}

/// The name that a whole enum goes by, which is all that can be said of it.
pub(crate) fn enum_type_name(attributes: &[Attribute]) -> Result<Option<LitStr>> {
    let mut name = None;
    for word in words(attributes)? {
        if word.name != "type" {
            return Err(Error::new(word.name.span(), "write this on a variant of the enum"));
        }
        name = Some(text(&word)?);
    }
    Ok(name)
}

impl Facts {
    /// What the attributes of a variant or a struct, and those of its fields, say.
    pub(crate) fn read(attributes: &[Attribute], fields: &Fields) -> Result<Self> {
        let mut facts = Self::default();
        facts.read_fields(fields)?;
        for word in words(attributes)? {
            facts.add(&word, fields)?;
        }
        Ok(facts)
    }

    fn read_fields(&mut self, fields: &Fields) -> Result<()> {
        let mut marked: Option<Place> = None;
        for (place, field) in places(fields) {
            let mut is_cause =
                field.attrs.iter().any(|attribute| is_any(attribute, &["source", "from"]));
            for word in words(&field.attrs)? {
                if word.name == "source" && word.value.is_none() {
                    is_cause = true;
                    continue;
                }
                let name = self.fact(&word)?;
                if let Some(value) = &word.value {
                    let message = "the field is the value: write the name alone";
                    return Err(Error::new_spanned(value, message));
                }
                self.facts.push(Fact { name, value: Value::Field(place.clone()) });
            }
            if is_cause && marked.replace(place).is_some() {
                return Err(Error::new_spanned(field, "there is one cause only"));
            }
        }
        let by_name = || {
            places(fields)
                .map(|(place, _)| place)
                .find(|place| matches!(&place.member, Member::Named(name) if name == "source"))
        };
        self.cause = marked.or_else(by_name);
        Ok(())
    }

    fn add(&mut self, word: &Word, fields: &Fields) -> Result<()> {
        match word.name.to_string().as_str() {
            "unknown_outcome" => {
                alone(word)?;
                self.unknown_outcome = true;
            }
            "transparent" => {
                alone(word)?;
                self.transparent = Some(self.only_field(word.name.span(), fields)?);
            }
            "type" => self.type_name = Some(text(word)?),
            _ => {
                let name = self.fact(word)?;
                let Some(value) = &word.value else {
                    let word = &word.name;
                    let message = format!("`{word}` needs a value: `{word} = ...`");
                    return Err(Error::new(word.span(), message));
                };
                let value = match field_of(value, fields)? {
                    Some(place) => Value::Field(place),
                    None => Value::Constant(name.constant(value)?),
                };
                self.facts.push(Fact { name, value });
            }
        }
        Ok(())
    }

    /// Which fact this is; each can be told once.
    fn fact(&self, word: &Word) -> Result<Name> {
        let text = word.name.to_string();
        let Some(name) = Name::ALL.iter().find(|name| name.text() == text) else {
            let known: Vec<&str> =
                Name::ALL.iter().map(|name| name.text()).chain(WORDS.iter().copied()).collect();
            let message = format!("no such fact `{text}`; {}", names::suggestion(&text, &known));
            return Err(Error::new(word.name.span(), message));
        };
        if self.facts.iter().any(|told| told.name == *name) {
            return Err(Error::new(word.name.span(), format!("`{text}` is written twice")));
        }
        Ok(*name)
    }

    /// The cause if one is marked, else the only field.
    fn only_field(&self, span: Span, fields: &Fields) -> Result<Place> {
        let mut all = places(fields).map(|(place, _)| place);
        match (&self.cause, all.next(), all.next()) {
            (Some(cause), ..) => Ok(cause.clone()),
            (None, Some(only), None) => Ok(only),
            _ => Err(Error::new(span, "`transparent` needs one field, or one that is the source")),
        }
    }

    /// Every field that is looked at, with what is asked of its type.
    pub(crate) fn needs(&self) -> Vec<(&Place, TokenStream)> {
        let transparent = self.transparent.iter().map(|p| (p, quote!(::steadfast::Failure)));
        if self.transparent.is_some() {
            return transparent.collect();
        }
        let cause = self.cause.iter().map(|p| (p, quote!(::std::error::Error + 'static)));
        let facts = self.facts.iter().filter_map(Fact::needs);
        cause.chain(facts).collect()
    }

    /// The fault, given the variables that hold the fields.
    pub(crate) fn fault(&self, default_name: &TokenStream) -> TokenStream {
        if let Some(place) = &self.transparent {
            let variable = place.variable();
            return quote_spanned!(place.ty.span()=> ::steadfast::Failure::fault(#variable));
        }
        let type_name =
            self.type_name.as_ref().map_or_else(|| default_name.clone(), ToTokens::to_token_stream);
        let mut tell: Vec<TokenStream> = self.facts.iter().map(Fact::tell).collect();
        if self.unknown_outcome {
            tell.push(quote!(fault.unknown_outcome = true;));
        }
        let start = quote!(::steadfast::Fault::default().with_type(#type_name));
        if tell.is_empty() {
            return start;
        }
        quote!({ let mut fault = #start; #(#tell)* fault })
    }

    /// The cause, given the variables that hold the fields.
    pub(crate) fn cause(&self) -> TokenStream {
        if let Some(place) = &self.transparent {
            let variable = place.variable();
            return quote_spanned!(place.ty.span()=> ::steadfast::Failure::cause(#variable));
        }
        let Some(place) = &self.cause else {
            return quote!(::core::option::Option::None);
        };
        let variable = place.variable();
        if place.inner().is_some() {
            return quote_spanned! {place.ty.span()=>
                #variable.as_ref().map(|cause| cause.as_cause())
            };
        }
        quote_spanned!(place.ty.span()=> ::core::option::Option::Some(#variable.as_cause()))
    }

    /// Its own words, given the variables that hold the fields.
    pub(crate) fn message(&self) -> TokenStream {
        match &self.transparent {
            Some(place) => {
                let variable = place.variable();
                quote_spanned!(place.ty.span()=> ::steadfast::Failure::message(#variable))
            }
            None => quote! {
                ::core::option::Option::Some(::std::string::ToString::to_string(self))
            },
        }
    }
}

fn alone(word: &Word) -> Result<()> {
    match &word.value {
        Some(value) => {
            Err(Error::new_spanned(value, format!("`{}` stands without a value", word.name)))
        }
        None => Ok(()),
    }
}

fn text(word: &Word) -> Result<LitStr> {
    word.value.as_ref().and_then(values::text_of).ok_or_else(|| {
        Error::new(word.name.span(), "a type's name is a text: `type = \"TimeoutError\"`")
    })
}

/// The field that the value names, if it names one.
fn field_of(value: &Expr, fields: &Fields) -> Result<Option<Place>> {
    let Expr::Path(path) = value else {
        return Ok(None);
    };
    let Some(name) = path.path.get_ident().filter(|_| path.qself.is_none()) else {
        return Ok(None);
    };
    let found = places(fields)
        .map(|(place, _)| place)
        .find(|place| matches!(&place.member, Member::Named(member) if member == name));
    match found {
        Some(place) => Ok(Some(place)),
        None => Err(Error::new(name.span(), no_such_field(name, fields))),
    }
}

fn no_such_field(name: &Ident, fields: &Fields) -> String {
    match fields {
        Fields::Named(_) => {
            let known: Vec<String> =
                fields.members().map(|m| m.to_token_stream().to_string()).collect();
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            format!("no such field `{name}`; {}", names::suggestion(&name.to_string(), &known))
        }
        Fields::Unnamed(_) => {
            format!(
                "no such field `{name}`; where fields have no names, write the fact on the field: `#[fault(http)] u16`"
            )
        }
        Fields::Unit => format!("no such field `{name}`; there are none"),
    }
}

fn places(fields: &Fields) -> impl Iterator<Item = (Place, &Field)> {
    fields
        .members()
        .zip(fields)
        .map(|(member, field)| (Place { member, ty: Box::new(field.ty.clone()) }, field))
}

fn is_any(attribute: &Attribute, names: &[&str]) -> bool {
    names.iter().any(|name| attribute.path().is_ident(name))
}
