//! What TLS is agreed on: versions, certificates, resumption.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::Resumption;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{
    CryptoProvider, WebPkiSupportedAlgorithms, ring, verify_tls12_signature, verify_tls13_signature,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme, SupportedProtocolVersion};
use thiserror::Error;

use crate::workload::transport::{Resumption as ForHowLong, Tls, TlsVersion};

/// Servers whose sessions a user remembers, times the tickets of each.
const SESSIONS: usize = 32;

/// How connections of a run are encrypted.
#[derive(Clone, Debug)]
pub struct Security {
    config: Arc<ClientConfig>,
    resumes: bool,
}

/// TLS that cannot be spoken as the plan wants it.
#[derive(Debug, Error)]
pub enum SecurityError {
    /// A file without what it should hold.
    #[error("tls.{key}: {path} holds no {wanted} in PEM that can be used ({problem})")]
    File {
        /// The key of the plan.
        key: &'static str,
        /// The file.
        path: PathBuf,
        /// What should be in it.
        wanted: &'static str,
        /// What the reader says.
        problem: String,
    },
    /// This machine trusts nobody.
    #[error("tls: this machine has no certificates of authorities; name the one of the server in tls.ca")]
    NoAuthorities,
    /// A certificate without key, or the other way round.
    #[error("tls: `certificate` and `key` belong together; name both or none")]
    Half,
    /// No version is left.
    #[error("tls: `minimum` is above `maximum`; swap them")]
    Versions,
    /// Certificate and key do not fit, or something else that only the library knows.
    #[error("tls: {0}; do certificate and key belong together?")]
    Rejected(rustls::Error),
}

impl Security {
    /// Reads the files that the plan names. Without `tls.ca` the authorities are those of this machine.
    ///
    /// # Errors
    /// [`SecurityError`] naming the key and the file.
    pub fn new(tls: &Tls) -> Result<Self, SecurityError> {
        let provider = Arc::new(ring::default_provider());
        let algorithms = provider.signature_verification_algorithms;
        let builder = with_versions(tls, provider)?;
        let builder = if tls.insecure {
            builder.dangerous().with_custom_certificate_verifier(Arc::new(AnyCertificate(algorithms)))
        } else {
            builder.with_root_certificates(authorities(tls.ca.as_deref())?)
        };
        let mut config = match (&tls.certificate, &tls.key) {
            (None, None) => builder.with_no_client_auth(),
            (Some(certificate), Some(key)) => builder
                .with_client_auth_cert(certificates("certificate", certificate)?, private_key(key)?)
                .map_err(SecurityError::Rejected)?,
            _ => return Err(SecurityError::Half),
        };
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        config.resumption = Resumption::disabled();
        Ok(Self { config: Arc::new(config), resumes: tls.resumption != ForHowLong::None })
    }

    /// The configuration of one user, who remembers no session yet: with resumption each remembers its own, as browsers
    /// do.
    #[must_use]
    pub fn of_user(&self) -> Arc<ClientConfig> {
        if !self.resumes {
            return Arc::clone(&self.config);
        }
        let mut own = ClientConfig::clone(&self.config);
        own.resumption = Resumption::in_memory_sessions(SESSIONS);
        Arc::new(own)
    }
}

/// The name that a certificate must hold; nothing when no certificate can hold it.
#[must_use]
pub fn server_name(host: &str) -> Option<ServerName<'static>> {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    ServerName::try_from(bare.to_owned()).ok()
}

type Builder = rustls::ConfigBuilder<ClientConfig, rustls::WantsVerifier>;

fn with_versions(tls: &Tls, provider: Arc<CryptoProvider>) -> Result<Builder, SecurityError> {
    let wanted = |version: TlsVersion| {
        tls.minimum.is_none_or(|minimum| version >= minimum)
            && tls.maximum.is_none_or(|maximum| version <= maximum)
    };
    let known: [(TlsVersion, &'static SupportedProtocolVersion); 2] =
        [(TlsVersion::Tls12, &TLS12), (TlsVersion::Tls13, &TLS13)];
    let versions: Vec<_> =
        known.into_iter().filter(|&(version, _)| wanted(version)).map(|(_, known)| known).collect();
    if versions.is_empty() {
        return Err(SecurityError::Versions);
    }
    let builder = ClientConfig::builder_with_provider(provider).with_protocol_versions(&versions);
    builder.map_err(SecurityError::Rejected)
}

fn authorities(ca: Option<&Path>) -> Result<RootCertStore, SecurityError> {
    let mut store = RootCertStore::empty();
    let Some(path) = ca else {
        store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        return if store.is_empty() { Err(SecurityError::NoAuthorities) } else { Ok(store) };
    };
    for certificate in certificates("ca", path)? {
        store.add(certificate).map_err(|error| file("ca", path, "certificate", &error))?;
    }
    Ok(store)
}

fn certificates(key: &'static str, path: &Path) -> Result<Vec<CertificateDer<'static>>, SecurityError> {
    let all = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let all = all.map_err(|error| file(key, path, "certificate", &error))?;
    if all.is_empty() { Err(file(key, path, "certificate", &"nothing found")) } else { Ok(all) }
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, SecurityError> {
    PrivateKeyDer::from_pem_file(path).map_err(|error| file("key", path, "private key", &error))
}

fn file(key: &'static str, path: &Path, wanted: &'static str, problem: &impl ToString) -> SecurityError {
    SecurityError::File { key, path: path.into(), wanted, problem: problem.to_string() }
}

/// Takes every certificate; that the server has its key is checked all the same.
#[derive(Debug)]
struct AnyCertificate(WebPkiSupportedAlgorithms);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signature, &self.0)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.0)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_schemes()
    }
}
