//! Expansion of `#[retry]`.

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

/// The function with retries, or the unchanged function with all errors.
pub(crate) fn expand(parameters: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let parameters = errors.collect(Parameters::read(parameters));
    let function = errors.collect(syn::parse2::<Function>(item.clone()));
    let expanded = parameters
        .zip(function)
        .and_then(|(parameters, function)| errors.collect(function.expand(&parameters)));
    match errors.finish(()) {
        Ok(()) => expanded.to_token_stream(),
        Err(error) => {
            let error = error.into_compile_error();
            quote!(#item #error)
        }
    }
}

/// A free function or a method, with its body.
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
        let span = input.span();
        let signature: Signature = input
            .parse()
            .map_err(|_| Error::new(span, "`#[retry]` can only be used on a function"))?;
        if input.peek(Token![;]) {
            return Err(Error::new(
                signature.ident.span(),
                "`#[retry]` needs a function body: put it on the implementation",
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
    fn expand(mut self, parameters: &Parameters) -> Result<TokenStream> {
        if let Some(constant) = &self.signature.constness {
            return Err(Error::new(constant.span(), "`#[retry]` cannot be used on a `const fn`"));
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
            let statements = session.statements(&mut self.signature, &mut self.body);
            quote!({ #statements })
        };
        let Self { attributes, visibility, signature, .. } = &self;
        Ok(quote!(#(#attributes)* #visibility #signature #body))
    }

    /// The body of a function that returns a future: the attempts run the `async` block in its last
    /// expression. `async_trait` generates such functions.
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
            "the function returns a future, but its last expression is not an `async` block",
        ))
    }
}

/// Rejects a timeout that could have no effect: a blocking function cannot be interrupted.
fn check_timeout(parameters: &Parameters) -> Result<()> {
    let timeout = parameters.fields.iter().find(|field| field.name == "attempt_timeout");
    match timeout {
        Some(timeout) if parameters.attempt.is_none() => Err(Error::new(
            timeout.name.span(),
            "`attempt_timeout` has no effect on a function that is not async: make it async, or \
             take the attempt (`attempt = attempt`) and check its deadline",
        )),
        _ => Ok(()),
    }
}

/// Replaces the first `async` block by a session that runs it.
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

    fn visit_expr_async_mut(&mut self, expression: &mut ExprAsync) {
        let statements = self.session.statements(self.signature, &mut expression.block);
        expression.block = syn::parse_quote!({ #statements });
        self.done = true;
    }
}

struct Session<'f> {
    parameters: &'f Parameters,
    returned: Returned,
    is_async: bool,
    /// The default name of the operation.
    name: String,
}

impl Session<'_> {
    /// The statements that run `body` in a session.
    fn statements(&self, signature: &mut Signature, body: &mut Block) -> TokenStream {
        let arguments = Arguments::take(signature, body, self.is_async);
        let before = &arguments.before;
        let operation = self.operation(&arguments, body);
        let Settings { setup, policy, calls } = self.settings();
        // The compiler reports problems of the error type where the type is written.
        let span = self.returned.span;
        let session = quote_spanned!(span=> ::steadfast::retry(#policy, #operation) #calls);
        let outcome = match self.is_async {
            true => quote_spanned!(span=> ::steadfast::__private::future(#session).await),
            false => quote_spanned!(span=> ::steadfast::__private::call(#session)),
        };
        let original = match self.returned.is_retry_error {
            true => TokenStream::new(),
            false => quote_spanned!(span=> .map_err(::steadfast::__private::FromGaveUp::original)),
        };
        let result = Ident::new("__result", Span::mixed_site());
        quote! {
            #setup
            #before
            let #result = #outcome #original;
            #result
        }
    }

    /// The closure that runs one attempt.
    fn operation(&self, arguments: &Arguments, body: &Block) -> TokenStream {
        let Arguments { per_attempt, in_body, .. } = arguments;
        let body = &body.stmts;
        let returned = &self.returned.attempt;
        let attempt = self.parameters.attempt.as_ref();
        let attempt = attempt.map(|name| quote!(#name: ::steadfast::Attempt));
        if !self.is_async {
            return quote!(|#attempt| -> #returned { #per_attempt #in_body #(#body)* });
        }
        // An `async` block can declare its type only through a `return`.
        quote! {
            |#attempt| {
                #per_attempt
                async move {
                    if let ::core::option::Option::Some(never) =
                        ::core::option::Option::None::<#returned>
                    {
                        return never;
                    }
                    #in_body
                    #(#body)*
                }
            }
        }
    }

    fn settings(&self) -> Settings {
        let Parameters { name, facts, judge, environment, .. } = self.parameters;
        let Parameters { breaker, budget, instrument, .. } = self.parameters;
        let mut setup = TokenStream::new();
        let mut variable = |name: &str, ty: TokenStream, value: TokenStream| {
            let name = Ident::new(name, Span::mixed_site());
            setup.extend(quote!(let #name: #ty = #value;));
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
        // After the guards, so that it only observes attempts that they permit.
        if let Some(instrument) = instrument {
            // The compiler reports a wrong type where the expression is written.
            let span = Span::mixed_site().located_at(instrument.span());
            let instrument_variable = Ident::new("__instrument", span);
            setup.extend(quote!(let #instrument_variable = #instrument;));
            calls.extend(quote!(.instrument(#instrument_variable)));
        }
        if let Some(environment) = environment {
            calls.extend(quote!(.environment(#environment)));
        }
        Settings { setup, policy, calls }
    }
}

/// The code of the parameters.
struct Settings {
    /// Statements before the arguments are moved, while `self` is available.
    setup: TokenStream,
    /// The variable that refers to the policy.
    policy: Ident,
    /// The method calls that set the rest.
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

    /// I8: the operation has the function's name by default.
    #[test]
    fn operation_is_named_after_the_function() {
        assert!(expanded(quote!()).contains(r#". named ("save")"#));
        let named = expanded(quote!(name = "storage.save"));
        assert!(named.contains(r#". named ("storage.save")"#), "{named}");
    }

    /// I8: a policy of constants only is a constant and costs nothing at run time.
    #[test]
    fn constant_policy_is_not_built_at_run_time() {
        assert!(!expanded(quote!(max_attempts = 4, jitter = "full")).contains("LazyLock"));
        assert!(expanded(quote!(retry_on = ["5xx"])).contains("LazyLock"));
        assert!(expanded(quote!(policy = "sql")).contains("LazyLock"));
    }

    /// A rejected function stays in the output, so that its callers cause no further errors.
    #[test]
    fn rejected_function_stays_in_the_output() {
        let rejected = expanded(quote!(max_attemps = 4));
        assert!(rejected.starts_with("fn save (row : u32)"), "{rejected}");
        assert!(rejected.contains("compile_error"));
    }
}
