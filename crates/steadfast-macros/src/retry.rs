//! `#[retry]`: the function around the body that is tried.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{
    AttrStyle, Attribute, Block, Error, Expr, ExprAsync, Result, Signature, Stmt, Token, Visibility,
};

use crate::arguments::Arguments;
use crate::errors::Errors;
use crate::parameters::Parameters;
use crate::policy;
use crate::returned::Returned;
use crate::values::reference;

/// The function with its retries, or as it is with everything that is wrong.
pub(crate) fn expand(parameters: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let parameters = errors.keep(Parameters::read(parameters));
    let function = errors.keep(syn::parse2::<Function>(item.clone()));
    let expanded = parameters
        .zip(function)
        .and_then(|(parameters, function)| errors.keep(function.retried(&parameters)));
    match errors.none_or(()) {
        Ok(()) => expanded.to_token_stream(),
        Err(error) => {
            let error = error.into_compile_error();
            quote!(#item #error)
        }
    }
}

/// A function with a body, wherever it stands.
struct Function {
    attributes: Vec<Attribute>,
    visibility: Visibility,
    signature: Signature,
    body: Block,
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        let place = input.span();
        let signature: Signature =
            input.parse().map_err(|_| Error::new(place, "`#[retry]` goes on a function"))?;
        if input.peek(Token![;]) {
            return Err(Error::new(
                signature.ident.span(),
                "`#[retry]` needs a body: write it where the function is implemented",
            ));
        }
        let statements;
        let brace_token = syn::braced!(statements in input);
        for mut inner in Attribute::parse_inner(&statements)? {
            inner.style = AttrStyle::Outer;
            attributes.push(inner);
        }
        let body = Block { brace_token, stmts: Block::parse_within(&statements)? };
        Ok(Self { attributes, visibility, signature, body })
    }
}

impl Function {
    fn retried(mut self, parameters: &Parameters) -> Result<TokenStream> {
        if let Some(constant) = &self.signature.constness {
            return Err(Error::new(constant.span(), "a `const fn` cannot wait"));
        }
        let returned = Returned::of(&self.signature)?;
        let is_async = self.signature.asyncness.is_some() || returned.is_future;
        if !is_async {
            check_timeout(parameters)?;
        }
        let name = self.signature.ident.unraw().to_string();
        let session = Session { parameters, returned, is_async, name };
        let body = if session.returned.is_future {
            self.future_body(&session)?
        } else {
            let statements = session.of(&mut self.signature, &mut self.body);
            quote!({ #statements })
        };
        let Self { attributes, visibility, signature, .. } = &self;
        Ok(quote!(#(#attributes)* #visibility #signature #body))
    }

    /// The body of a plain function that returns a future: the `async` block in its last
    /// expression is what is tried. That is also what `async_trait` makes of a method.
    fn future_body(&mut self, session: &Session<'_>) -> Result<TokenStream> {
        let mut found = AsyncBlock { session, signature: &mut self.signature, done: false };
        if let Some(Stmt::Expr(last, None)) = self.body.stmts.last_mut() {
            found.visit_expr_mut(last);
        }
        if found.done {
            return Ok(self.body.to_token_stream());
        }
        Err(Error::new_spanned(
            &self.signature.output,
            "the function returns a future, but no `async` block is its last expression",
        ))
    }
}

/// Nothing can cut off a thread, so a timeout that nobody sees would be an empty promise.
fn check_timeout(parameters: &Parameters) -> Result<()> {
    let timeout = parameters.fields.iter().find(|field| field.name == "attempt_timeout");
    match timeout {
        Some(timeout) if parameters.attempt.is_none() => Err(Error::new(
            timeout.name.span(),
            "nothing can cut off a plain function: make it async, or take the attempt \
             (`attempt = attempt`) and mind its deadline",
        )),
        _ => Ok(()),
    }
}

/// Replaces the first `async` block by a session of it.
struct AsyncBlock<'f> {
    session: &'f Session<'f>,
    signature: &'f mut Signature,
    done: bool,
}

impl VisitMut for AsyncBlock<'_> {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        if !self.done {
            visit_mut::visit_expr_mut(self, expression);
        }
    }

    fn visit_expr_async_mut(&mut self, tried: &mut ExprAsync) {
        let statements = self.session.of(self.signature, &mut tried.block);
        tried.block = syn::parse_quote!({ #statements });
        self.done = true;
    }
}

/// All that is known about the session.
struct Session<'f> {
    parameters: &'f Parameters,
    returned: Returned,
    is_async: bool,
    /// What the operation is called unless the parameters say.
    name: String,
}

impl Session<'_> {
    /// The statements that try `body`.
    fn of(&self, signature: &mut Signature, body: &mut Block) -> TokenStream {
        let arguments = Arguments::take(signature, body, self.is_async);
        let before = &arguments.before;
        let operation = self.operation(&arguments, body);
        let Settings { first, policy, calls } = self.settings();
        // Whatever is wrong with the error that is returned is said where it is written.
        let place = self.returned.place;
        let session = quote_spanned!(place=> ::steadfast::retry(#policy, #operation) #calls);
        let ended = match self.is_async {
            true => quote_spanned!(place=> ::steadfast::__private::future(#session).await),
            false => quote_spanned!(place=> ::steadfast::__private::call(#session)),
        };
        let original = match self.returned.whole {
            true => TokenStream::new(),
            false => quote_spanned!(place=> .map_err(::steadfast::__private::FromGaveUp::original)),
        };
        let result = Ident::new("__result", Span::mixed_site());
        quote! {
            #first
            #before
            let #result = #ended #original;
            #result
        }
    }

    /// The closure that is tried.
    fn operation(&self, arguments: &Arguments, body: &Block) -> TokenStream {
        let Arguments { each, within, .. } = arguments;
        let body = &body.stmts;
        let returned = &self.returned.attempt;
        let attempt = self.parameters.attempt.as_ref();
        let attempt = attempt.map(|name| quote!(#name: ::steadfast::Attempt));
        if !self.is_async {
            return quote!(|#attempt| -> #returned { #each #within #(#body)* });
        }
        // An `async` block has nowhere to say what it returns but a `return`.
        quote! {
            |#attempt| {
                #each
                async move {
                    if let ::core::option::Option::Some(never) =
                        ::core::option::Option::None::<#returned>
                    {
                        return never;
                    }
                    #within
                    #(#body)*
                }
            }
        }
    }

    fn settings(&self) -> Settings {
        let Parameters { name, facts, judge, environment, .. } = self.parameters;
        let Parameters { breaker, budget, instrument, .. } = self.parameters;
        let mut first = TokenStream::new();
        let mut variable = |name: &str, ty: TokenStream, value: TokenStream| {
            let name = Ident::new(name, Span::mixed_site());
            first.extend(quote!(let #name: #ty = #value;));
            name
        };
        let policy = policy::expression(self.parameters);
        let policy = variable("__policy", quote!(&::steadfast::Policy), policy);
        let own_name = &self.name;
        let name = name.as_ref().map_or_else(|| quote!(#own_name), |name| quote!(#name));
        let mut calls = quote!(.named(#name));
        if let Some(facts) = facts {
            calls.extend(quote!(.facts(#facts)));
        }
        if let Some(judge) = judge {
            calls.extend(quote!(.judge(#judge)));
        }
        if let Some(breaker) = breaker {
            let ty = quote!(&::steadfast::guard::Breaker);
            let breaker = variable("__breaker", ty, reference(breaker));
            calls.extend(quote!(.breaker(#breaker)));
        }
        if let Some(budget) = budget {
            let ty = quote!(&::steadfast::guard::Budget);
            let budget = variable("__budget", ty, reference(budget));
            calls.extend(quote!(.budget(#budget)));
        }
        // After the guards: it is told of attempts that they have let pass.
        if let Some(instrument) = instrument {
            // What is none is refused where it is written.
            let place = Span::mixed_site().located_at(instrument.span());
            let made = Ident::new("__instrument", place);
            first.extend(quote!(let #made = #instrument;));
            calls.extend(quote!(.instrument(#made)));
        }
        if let Some(environment) = environment {
            calls.extend(quote!(.environment(#environment)));
        }
        Settings { first, policy, calls }
    }
}

/// What the parameters say, as code.
struct Settings {
    /// What is worked out before the arguments are taken: so `self` is still there.
    first: TokenStream,
    /// The variable that refers to the policy.
    policy: Ident,
    /// The calls that say the rest.
    calls: TokenStream,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(parameters: TokenStream) -> String {
        let function = quote!(
            fn save(row: u32) -> io::Result<()> {
                Ok(())
            }
        );
        expand(parameters, function).to_string()
    }

    /// I8: the operation has the function's name, unless it is given another.
    #[test]
    fn the_operation_has_a_name() {
        assert!(expanded(quote!()).contains(r#". named ("save")"#));
        let named = expanded(quote!(name = "storage.save"));
        assert!(named.contains(r#". named ("storage.save")"#), "{named}");
    }

    /// I8: a policy of constants alone is a constant, and costs nothing when it is used.
    #[test]
    fn constants_are_not_built_when_the_program_runs() {
        assert!(!expanded(quote!(max_attempts = 4, jitter = "full")).contains("LazyLock"));
        assert!(expanded(quote!(retry_on = ["5xx"])).contains("LazyLock"));
        assert!(expanded(quote!(policy = "sql")).contains("LazyLock"));
    }

    /// A function that is refused is still there, so that nothing else is complained about.
    #[test]
    fn a_function_that_is_refused_stays() {
        let refused = expanded(quote!(max_attemps = 4));
        assert!(refused.starts_with("fn save (row : u32)"), "{refused}");
        assert!(refused.contains("compile_error"));
    }
}
