//! Encrypted connections, with rustls.

use std::error::Error as _;
use std::io;
use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{CertificateError, ClientConfig, RootCertStore};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::connect_error::ConnectError;
use super::url::{Tls, Trust, Url};

/// Encrypts connections. Those through a socket's file, which have no name to verify, are made as well:
/// the driver asks for a name before it knows that it needs none.
#[derive(Clone)]
pub(crate) struct Connector(MakeRustlsConnect);

impl<S> MakeTlsConnect<S> for Connector
where
    MakeRustlsConnect: MakeTlsConnect<S>,
{
    type Stream = <MakeRustlsConnect as MakeTlsConnect<S>>::Stream;
    type TlsConnect = <MakeRustlsConnect as MakeTlsConnect<S>>::TlsConnect;
    type Error = <MakeRustlsConnect as MakeTlsConnect<S>>::Error;

    fn make_tls_connect(&mut self, name: &str) -> Result<Self::TlsConnect, Self::Error> {
        let name = if name.is_empty() { "localhost" } else { name };
        self.0.make_tls_connect(name)
    }
}

/// How connections to this URL are encrypted. Where they never are, no certificate is read.
pub(crate) fn connector(url: &Url) -> Result<Connector, ConnectError> {
    let unsuitable = |what: String| ConnectError::Url { what };
    let roots = match &url.tls {
        Tls::Off => RootCertStore::empty(),
        Tls::IfOffered(Trust::Machine) | Tls::Always(Trust::Machine) => of_the_machine(),
        Tls::IfOffered(Trust::File(path)) | Tls::Always(Trust::File(path)) => of_file(path)
            .map_err(|cause| {
                unsuitable(format!(
                    "names certificates that cannot be read: {}: {cause}",
                    path.display()
                ))
            })?,
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|cause| unsuitable(format!("cannot be used with TLS: {cause}")))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Connector(MakeRustlsConnect::new(config)))
}

/// Whether a connection came to nothing because nobody who is trusted signed the server's certificate.
pub(crate) fn is_unknown(error: &tokio_postgres::Error) -> bool {
    let cause = error.source().and_then(|cause| cause.downcast_ref());
    let cause = cause
        .and_then(io::Error::get_ref)
        .and_then(|cause| cause.downcast_ref());
    matches!(
        cause,
        Some(rustls::Error::InvalidCertificate(
            CertificateError::UnknownIssuer
        ))
    )
}

/// A certificate that cannot be read is left out, as everybody does: the machine has many.
fn of_the_machine() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    let (_taken, _left) = roots.add_parsable_certificates(found.certs);
    roots
}

fn of_file(path: &Path) -> Result<RootCertStore, Box<dyn std::error::Error>> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(path)? {
        roots.add(certificate?)?;
    }
    match roots.is_empty() {
        true => Err("there is no certificate in it".into()),
        false => Ok(roots),
    }
}
