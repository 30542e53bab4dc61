//! The attributes `#[fault(...)]` of a variant, a struct or a field.

use proc_macro2::{Delimiter, Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};

use crate::fact::{Fact, FieldRef, Name, Value};
use crate::names;
use crate::syntax::{
    Attribute, Error, Expression, Field, Fields, Member, NamedValue, Result, Text, named_values,
};

/// The other attributes of a variant or a struct.
const OTHER_ATTRIBUTES: &[&str] = &["unknown_outcome", "type", "transparent", "gave_up"];

#[derive(Default)]
pub(crate) struct Facts {
    facts: Vec<Fact>,
    unknown_outcome: bool,
    type_name: Option<Text>,
    /// The field that is the cause.
    pub(crate) cause: Option<FieldRef>,
    /// The field that reports everything.
    pub(crate) transparent: Option<FieldRef>,
    /// The attribute that makes this a session that gave up without an error.
    pub(crate) gave_up: Option<GaveUp>,
}

/// The attribute `gave_up`.
pub(crate) struct GaveUp {
    pub(crate) span: Span,
    /// The field that holds the report.
    pub(crate) field: FieldRef,
    /// Whether another derive converts the field into the error.
    pub(crate) is_converted: bool,
}

fn items(attributes: &[Attribute]) -> Result<Vec<NamedValue>> {
    let mut items = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.is("fault")) {
        items.extend(named_values(attribute.arguments.clone())?);
    }
    Ok(items)
}

/// The type name of an enum, the only attribute that an enum can have.
pub(crate) fn enum_type_name(attributes: &[Attribute]) -> Result<Option<Text>> {
    let mut name = None;
    for item in items(attributes)? {
        if item.name != "type" {
            return Err(Error::new(item.name.span(), "put this on a variant of the enum"));
        }
        name = Some(text(&item)?);
    }
    Ok(name)
}

impl Facts {
    /// Reads the attributes of a variant or a struct and of its fields.
    pub(crate) fn read(attributes: &[Attribute], fields: &Fields) -> Result<Self> {
        let mut facts = Self::default();
        facts.read_fields(fields)?;
        for item in items(attributes)? {
            facts.add(&item, fields)?;
        }
        Ok(facts)
    }

    fn read_fields(&mut self, fields: &Fields) -> Result<()> {
        let mut marked: Option<FieldRef> = None;
        for (field_ref, field) in field_refs(fields) {
            let mut is_cause =
                field.attributes.iter().any(|attribute| attribute.is_any(&["source", "from"]));
            for item in items(&field.attributes)? {
                if item.name == "source" && item.value.is_none() {
                    is_cause = true;
                    continue;
                }
                let name = self.fact(&item)?;
                if let Some(value) = &item.value {
                    let message = "the field is the value: remove `= ...`";
                    return Err(Error::spanned(value, message));
                }
                self.facts.push(Fact { name, value: Value::Field(field_ref.clone()) });
            }
            if is_cause && marked.replace(field_ref).is_some() {
                return Err(Error::spanned(field, "only one field can be the cause"));
            }
        }
        let by_name = || {
            field_refs(fields).map(|(field_ref, _)| field_ref).find(
                |field_ref| matches!(&field_ref.member, Member::Named(name) if name == "source"),
            )
        };
        self.cause = marked.or_else(by_name);
        Ok(())
    }

    fn add(&mut self, item: &NamedValue, fields: &Fields) -> Result<()> {
        match item.name.to_string().as_str() {
            "unknown_outcome" => {
                reject_value(item)?;
                self.unknown_outcome = true;
            }
            "transparent" => {
                reject_value(item)?;
                self.transparent = Some(self.only_field(&item.name, fields)?);
            }
            "gave_up" => {
                reject_value(item)?;
                let field = self.only_field(&item.name, fields)?;
                let is_from = |field: &Field| field.attributes.iter().any(|one| one.is("from"));
                let is_converted = fields.all.iter().any(is_from);
                self.transparent = Some(field.clone());
                self.gave_up = Some(GaveUp { span: item.name.span(), field, is_converted });
            }
            "type" => self.type_name = Some(text(item)?),
            _ => {
                let name = self.fact(item)?;
                let Some(value) = &item.value else {
                    let item = &item.name;
                    let message = format!("`{item}` needs a value: `{item} = ...`");
                    return Err(Error::new(item.span(), message));
                };
                let value = match field_of(value, fields)? {
                    Some(field_ref) => Value::Field(field_ref),
                    None => Value::Constant(name.constant(value)?),
                };
                self.facts.push(Fact { name, value });
            }
        }
        Ok(())
    }

    /// The name of the fact; each fact can be set once.
    fn fact(&self, item: &NamedValue) -> Result<Name> {
        let text = item.name.to_string();
        let Some(name) = Name::ALL.iter().find(|name| name.text() == text) else {
            let known: Vec<&str> = Name::ALL
                .iter()
                .map(|name| name.text())
                .chain(OTHER_ATTRIBUTES.iter().copied())
                .collect();
            let message = format!("unknown fact `{text}`; {}", names::suggestion(&text, &known));
            return Err(Error::new(item.name.span(), message));
        };
        if self.facts.iter().any(|fact| fact.name == *name) {
            return Err(Error::new(item.name.span(), format!("duplicate fact `{text}`")));
        }
        Ok(*name)
    }

    /// The cause if there is one, or else the only field.
    fn only_field(&self, attribute: &Ident, fields: &Fields) -> Result<FieldRef> {
        let mut all = field_refs(fields).map(|(field_ref, _)| field_ref);
        match (&self.cause, all.next(), all.next()) {
            (Some(cause), ..) => Ok(cause.clone()),
            (None, Some(only), None) => Ok(only),
            _ => Err(Error::new(
                attribute.span(),
                format!("`{attribute}` needs exactly one field, or a field that is the source"),
            )),
        }
    }

    /// The fields that are used, with the trait bounds of their types.
    pub(crate) fn bounds(&self) -> Vec<(&FieldRef, TokenStream)> {
        let transparent = self.transparent.iter().map(|p| (p, quote!(::steadfast::Failure)));
        if self.transparent.is_some() {
            return transparent.collect();
        }
        let cause = self.cause.iter().map(|p| (p, quote!(::std::error::Error + 'static)));
        let facts = self.facts.iter().filter_map(Fact::bounds);
        cause.chain(facts).collect()
    }

    /// The fault, given the variables that hold the fields.
    pub(crate) fn fault(&self, default_name: &TokenStream) -> TokenStream {
        if let Some(fault) = self.transparent_call("fault") {
            return fault;
        }
        let type_name =
            self.type_name.as_ref().map_or_else(|| default_name.clone(), ToTokens::to_token_stream);
        let mut setters: Vec<TokenStream> = self.facts.iter().map(Fact::set).collect();
        if self.unknown_outcome {
            setters.push(quote!(fault.unknown_outcome = true;));
        }
        let start = quote!(::steadfast::Fault::default().with_type(#type_name));
        if setters.is_empty() {
            return start;
        }
        quote!({ let mut fault = #start; #(#setters)* fault })
    }

    /// The cause, given the variables that hold the fields.
    pub(crate) fn cause(&self) -> TokenStream {
        if let Some(cause) = self.transparent_call("cause") {
            return cause;
        }
        let Some(field_ref) = &self.cause else {
            return quote!(::core::option::Option::None);
        };
        let variable = field_ref.variable();
        if field_ref.inner().is_some() {
            return quote_spanned! {field_ref.ty.span()=>
                #variable.as_ref().map(|cause| cause.as_cause())
            };
        }
        quote_spanned!(field_ref.ty.span()=> ::core::option::Option::Some(#variable.as_cause()))
    }

    /// The message, given the variables that hold the fields.
    pub(crate) fn message(&self) -> TokenStream {
        self.transparent_call("message").unwrap_or_else(|| {
            quote!(::core::option::Option::Some(::std::string::ToString::to_string(self)))
        })
    }

    /// A call of this method of the transparent field's `Failure`, if there is such a field.
    fn transparent_call(&self, method: &str) -> Option<TokenStream> {
        let field_ref = self.transparent.as_ref()?;
        let (variable, method) = (field_ref.variable(), format_ident!("{method}"));
        Some(quote_spanned!(field_ref.ty.span()=> ::steadfast::Failure::#method(#variable)))
    }
}

fn reject_value(item: &NamedValue) -> Result<()> {
    match &item.value {
        Some(value) => Err(Error::spanned(value, format!("`{}` takes no value", item.name))),
        None => Ok(()),
    }
}

fn text(item: &NamedValue) -> Result<Text> {
    item.value.as_ref().and_then(Expression::text).ok_or_else(|| {
        Error::new(item.name.span(), "a type's name is a string: `type = \"TimeoutError\"`")
    })
}

/// The field that the value names, if it names one.
fn field_of(value: &Expression, fields: &Fields) -> Result<Option<FieldRef>> {
    let Some(name) = value.name() else {
        return Ok(None);
    };
    let found = field_refs(fields)
        .map(|(field_ref, _)| field_ref)
        .find(|field_ref| matches!(&field_ref.member, Member::Named(member) if *member == name));
    match found {
        Some(field_ref) => Ok(Some(field_ref)),
        None => Err(Error::new(name.span(), unknown_field(&name, fields))),
    }
}

fn unknown_field(name: &Ident, fields: &Fields) -> String {
    match fields.delimiter {
        Some(Delimiter::Brace) => {
            let members = fields.all.iter().map(|field| &field.member);
            let known: Vec<String> = members.map(|m| m.to_token_stream().to_string()).collect();
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            format!("unknown field `{name}`; {}", names::suggestion(&name.to_string(), &known))
        }
        Some(_) => {
            format!(
                "unknown field `{name}`; for fields without names, put the fact on the field: `#[fault(http)] u16`"
            )
        }
        None => format!("unknown field `{name}`; there are no fields"),
    }
}

fn field_refs(fields: &Fields) -> impl Iterator<Item = (FieldRef, &Field)> {
    let field_ref = |field: &Field| FieldRef { member: field.member.clone(), ty: field.ty.clone() };
    fields.all.iter().map(move |field| (field_ref(field), field))
}
