//! Facts of [`tokio_postgres::Error`] (J3, J4).
//!
//! A statement whose connection broke fails with "closed", whether it was sent or not; the error of
//! the broken connection goes to the task that drives the connection, and is a link of that error's
//! chain.

use tokio_postgres::error::DbError;

use crate::fault::{Failure, Fault, Kind};

impl Failure for tokio_postgres::Error {
    fn fault(&self) -> Fault {
        let fault = match self.as_db_error() {
            Some(error) => error.fault(),
            None if self.is_closed() => Fault::of(Kind::NotConnected).with_unknown_outcome(),
            None => Fault::default(),
        };
        fault.with_type("tokio_postgres::Error")
    }

    cause_and_message!();
}

impl Failure for DbError {
    fn fault(&self) -> Fault {
        Fault::sql(self.code().code()).with_type("tokio_postgres::error::DbError")
    }

    cause_and_message!();
}
