//! Facts of [`rustls::Error`] (J5).

use rustls::{AlertDescription, CertificateError};

use crate::fault::{Failure, Fault, Kind};

impl Failure for rustls::Error {
    fn fault(&self) -> Fault {
        Fault::of(kind(self)).with_type("rustls::Error")
    }

    cause_and_message!();
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

fn certificate(reason: &CertificateError) -> Kind {
    match reason {
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            Kind::TlsHostname
        }
        _ => Kind::TlsCertificate,
    }
}

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
