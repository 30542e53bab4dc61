//! Methods of wrappers that forward to the wrapped value.

/// Implements methods of a trait by the same methods of `$to`; first `mut` for methods of `&mut self`.
macro_rules! forward {
    ($self:ident => $to:expr; $($(#[$attr:meta])* fn $method:ident(&self $(, $arg:ident: $type:ty)*) $(-> $output:ty)?;)*) => {$(
        $(#[$attr])*
        fn $method(&$self $(, $arg: $type)*) $(-> $output)? {
            $to.$method($($arg),*)
        }
    )*};
    (mut $self:ident => $to:expr; $($(#[$attr:meta])* fn $method:ident(&mut self $(, $arg:ident: $type:ty)*) $(-> $output:ty)?;)*) => {$(
        $(#[$attr])*
        fn $method(&mut $self $(, $arg: $type)*) $(-> $output)? {
            $to.$method($($arg),*)
        }
    )*};
}

pub(crate) use forward;
