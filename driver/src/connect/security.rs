//! What TLS is agreed on: versions, certificates, resumption.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{Resumption, WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{
    CryptoProvider, WebPkiSupportedAlgorithms, ring, verify_tls12_signature, verify_tls13_signature,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::version::{TLS12, TLS13};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, OtherError, RootCertStore, SignatureScheme,
    SupportedProtocolVersion,
};
use thiserror::Error;

use crate::workload::transport::{Resumption as ForHowLong, Tls, TlsVersion};

/// What some editors put in front of a text in UTF-8.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Servers whose sessions a user remembers, times the tickets of each.
const SESSIONS: usize = 32;

/// How connections of a run are encrypted.
#[derive(Clone, Debug)]
pub struct Security {
    config: Arc<ClientConfig>,
    resumes: bool,
    /// What to do about a certificate that is not trusted; nothing where every one is.
    pub advice: &'static str,
}

const NOT_OF_MACHINE: &str =
    "; name its authority in tls.ca, or set tls.insecure if nobody need be sure who answers";
const NOT_NAMED: &str = "; what tls.ca names does not vouch for it under this name";

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
            let verifier = Verifier::new(tls.ca.as_deref(), Arc::clone(builder.crypto_provider()))?;
            builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier))
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
        let advice = match &tls.ca {
            _ if tls.insecure => "",
            Some(_) => NOT_NAMED,
            None => NOT_OF_MACHINE,
        };
        Ok(Self { config: Arc::new(config), resumes: tls.resumption != ForHowLong::None, advice })
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

/// Trusts servers whose certificate an authority has signed: one that the plan names, else one of this machine. It also
/// trusts a named certificate that is its own authority, as `openssl req -x509` makes them.
#[derive(Debug)]
struct Verifier {
    signed: Arc<WebPkiServerVerifier>,
    named: Vec<CertificateDer<'static>>,
}

impl Verifier {
    fn new(ca: Option<&Path>, provider: Arc<CryptoProvider>) -> Result<Self, SecurityError> {
        let (mut store, mut named) = (RootCertStore::empty(), Vec::new());
        if let Some(path) = ca {
            named = certificates("ca", path)?;
            for certificate in &named {
                let added = store.add(certificate.clone());
                added.map_err(|error| file("ca", path, "certificate", &error))?;
            }
        } else {
            store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
        if store.is_empty() {
            return Err(SecurityError::NoAuthorities);
        }
        let signed = WebPkiServerVerifier::builder_with_provider(Arc::new(store), provider).build();
        // The authorities are there, and no revocations are asked for.
        Ok(Self { signed: signed.expect("a verifier"), named })
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let verified = self.signed.verify_server_cert(certificate, others, name, ocsp, now);
        match verified {
            // Its validity has been looked at before.
            Err(error) if is_of_authority(&error) && self.named.contains(certificate) => {
                verify_server_name(&ParsedCertificate::try_from(certificate)?, name)?;
                Ok(ServerCertVerified::assertion())
            }
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.signed.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.signed.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.signed.supported_verify_schemes()
    }
}

/// Whether a certificate was refused because it is that of an authority.
fn is_of_authority(error: &rustls::Error) -> bool {
    let rustls::Error::InvalidCertificate(CertificateError::Other(OtherError(error))) = error else {
        return false;
    };
    matches!(error.downcast_ref(), Some(webpki::Error::CaUsedAsEndEntity))
}

fn certificates(key: &'static str, path: &Path) -> Result<Vec<CertificateDer<'static>>, SecurityError> {
    let text = fs::read(path).map_err(|error| file(key, path, "certificate", &error))?;
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text);
    let all = CertificateDer::pem_slice_iter(text).collect::<Result<Vec<_>, _>>();
    let all = all.map_err(|error| file(key, path, "certificate", &error))?;
    if all.is_empty() { Err(file(key, path, "certificate", &"nothing found")) } else { Ok(all) }
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, SecurityError> {
    let text = fs::read(path).map_err(|error| file("key", path, "private key", &error))?;
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text);
    PrivateKeyDer::from_pem_slice(text).map_err(|error| file("key", path, "private key", &error))
}

fn file(key: &'static str, path: &Path, wanted: &'static str, problem: &impl ToString) -> SecurityError {
    SecurityError::File { key, path: path.into(), wanted, problem: problem.to_string() }
}

/// Takes every certificate. That the server has its key is checked all the same, where the certificate can be read.
#[derive(Debug)]
struct AnyCertificate(WebPkiSupportedAlgorithms);

impl AnyCertificate {
    fn or_unreadable(
        certificate: &CertificateDer<'_>,
        verified: Result<HandshakeSignatureValid, rustls::Error>,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let unreadable = webpki::EndEntityCert::try_from(certificate).is_err();
        if unreadable { Ok(HandshakeSignatureValid::assertion()) } else { verified }
    }
}

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
        Self::or_unreadable(certificate, verify_tls12_signature(message, certificate, signature, &self.0))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Self::or_unreadable(certificate, verify_tls13_signature(message, certificate, signature, &self.0))
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_schemes()
    }
}
