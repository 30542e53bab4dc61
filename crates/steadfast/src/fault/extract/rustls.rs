//! Facts of [`rustls::Error`] (J5).

use std::error::Error;

use rustls::{AlertDescription, CertificateError};

use super::find;
use crate::fault::{Failure, Fault, Kind};

pub(super) fn facts(error: &(dyn Error + 'static)) -> Option<Fault> {
    find::<rustls::Error>(error).map(Failure::fault)
}

impl Failure for rustls::Error {
    fn fault(&self) -> Fault {
        Fault::of(kind(self)).with_type("rustls::Error")
    }

    fn cause(&self) -> Option<&(dyn Error + 'static)> {
        self.source()
    }

    fn message(&self) -> Option<String> {
        Some(self.to_string())
    }
}

fn kind(error: &rustls::Error) -> Kind {
    match error {
        rustls::Error::InvalidCertificate(reason) => certificate(reason),
        rustls::Error::NoCertificatesPresented | rustls::Error::InvalidCertRevocationList(_) => {
            Kind::TlsCertificate
        }
        rustls::Error::UnsupportedNameType => Kind::TlsHostname,
        rustls::Error::PeerIncompatible(_) | rustls::Error::NoApplicationProtocol => {
            Kind::TlsProtocol
        }
        rustls::Error::AlertReceived(alert) => alerted(*alert),
        _ => Kind::Tls,
    }
}

/// The kind of an invalid server certificate.
fn certificate(reason: &CertificateError) -> Kind {
    match reason {
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            Kind::TlsHostname
        }
        _ => Kind::TlsCertificate,
    }
}

/// The kind of an alert from the other side.
fn alerted(alert: AlertDescription) -> Kind {
    match alert {
        AlertDescription::ProtocolVersion
        | AlertDescription::InsufficientSecurity
        | AlertDescription::NoApplicationProtocol => Kind::TlsProtocol,
        AlertDescription::UnrecognisedName => Kind::TlsHostname,
        AlertDescription::NoCertificate
        | AlertDescription::BadCertificate
        | AlertDescription::UnsupportedCertificate
        | AlertDescription::CertificateRevoked
        | AlertDescription::CertificateExpired
        | AlertDescription::CertificateUnknown
        | AlertDescription::CertificateRequired
        | AlertDescription::UnknownCA => Kind::TlsCertificate,
        _ => Kind::Tls,
    }
}
