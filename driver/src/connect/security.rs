//! What TLS is agreed on: versions, certificates, resumption.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{Resumption, WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{CryptoProvider, ring};
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
    /// Whether the plan names authorities.
    names_authorities: bool,
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
        let builder = with_versions(tls, provider)?;
        let verifier = Verifier::new(tls, Arc::clone(builder.crypto_provider()))?;
        let builder = builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier));
        let mut config = match (&tls.certificate, &tls.key) {
            (None, None) => builder.with_no_client_auth(),
            (Some(certificate), Some(key)) => builder
                .with_client_auth_cert(certificates("certificate", certificate)?, private_key(key)?)
                .map_err(SecurityError::Rejected)?,
            _ => return Err(SecurityError::Half),
        };
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        config.resumption = Resumption::disabled();
        let resumes = tls.resumption != ForHowLong::None;
        Ok(Self { config: Arc::new(config), resumes, names_authorities: tls.ca.is_some() })
    }

    /// What to do about a certificate that was refused for this reason.
    #[must_use]
    pub fn advice(&self, error: &rustls::Error) -> &'static str {
        match is_of_authority(error) {
            true if self.names_authorities => "what tls.ca names does not vouch for it",
            true => "name its authority in tls.ca, or set tls.insecure if nobody need be sure who answers",
            false => "set tls.insecure if nobody need be sure who answers",
        }
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
/// trusts a named certificate itself, whoever has signed it. Insecure it trusts every server.
#[derive(Debug)]
struct Verifier {
    /// Nothing where any certificate will do. Nobody need have its key then either: whoever has none may show another.
    signed: Option<Arc<WebPkiServerVerifier>>,
    named: Vec<CertificateDer<'static>>,
}

impl Verifier {
    fn new(tls: &Tls, provider: Arc<CryptoProvider>) -> Result<Self, SecurityError> {
        let (mut store, mut named) = (RootCertStore::empty(), Vec::new());
        if tls.insecure {
            return Ok(Self { signed: None, named });
        }
        if let Some(path) = &tls.ca {
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
        Ok(Self { signed: Some(signed.expect("a verifier")), named })
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
        let Some(signed) = &self.signed else { return Ok(ServerCertVerified::assertion()) };
        let verified = signed.verify_server_cert(certificate, others, name, ocsp, now);
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
        let verify = |signed: &Arc<WebPkiServerVerifier>| {
            signed.verify_tls12_signature(message, certificate, signature)
        };
        self.signed.as_ref().map_or_else(|| Ok(HandshakeSignatureValid::assertion()), verify)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let verify = |signed: &Arc<WebPkiServerVerifier>| {
            signed.verify_tls13_signature(message, certificate, signature)
        };
        self.signed.as_ref().map_or_else(|| Ok(HandshakeSignatureValid::assertion()), verify)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.signed.as_ref().map_or_else(|| ANY_SCHEME.to_vec(), |signed| signed.supported_verify_schemes())
    }
}

/// What a server may sign with where nobody looks at it.
const ANY_SCHEME: [SignatureScheme; 11] = [
    SignatureScheme::ECDSA_NISTP256_SHA256,
    SignatureScheme::ECDSA_NISTP384_SHA384,
    SignatureScheme::ECDSA_NISTP521_SHA512,
    SignatureScheme::ED25519,
    SignatureScheme::ED448,
    SignatureScheme::RSA_PSS_SHA256,
    SignatureScheme::RSA_PSS_SHA384,
    SignatureScheme::RSA_PSS_SHA512,
    SignatureScheme::RSA_PKCS1_SHA256,
    SignatureScheme::RSA_PKCS1_SHA384,
    SignatureScheme::RSA_PKCS1_SHA512,
];

/// Whether a certificate was refused because it is that of an authority, or because no named authority has signed it, not
/// even where one has the right name.
fn is_of_authority(error: &rustls::Error) -> bool {
    match error {
        rustls::Error::InvalidCertificate(
            CertificateError::UnknownIssuer | CertificateError::BadSignature,
        ) => true,
        rustls::Error::InvalidCertificate(CertificateError::Other(OtherError(error))) => {
            matches!(error.downcast_ref(), Some(webpki::Error::CaUsedAsEndEntity))
        }
        _ => false,
    }
}

fn certificates(key: &'static str, path: &Path) -> Result<Vec<CertificateDer<'static>>, SecurityError> {
    let text = fs::read(path).map_err(|error| file(key, path, "certificate", &error))?;
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text);
    let all = CertificateDer::pem_slice_iter(text).collect::<Result<Vec<_>, _>>();
    let all = all.map_err(|error| file(key, path, "certificate", &error))?;
    match text.first() {
        _ if !all.is_empty() => Ok(all),
        // A sequence of ASN.1.
        Some(0x30) => {
            let way = "it looks like DER; convert it by `openssl x509 -inform der`";
            Err(file(key, path, "certificate", &way))
        }
        _ => Err(file(key, path, "certificate", &"nothing found")),
    }
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, SecurityError> {
    let text = fs::read(path).map_err(|error| file("key", path, "private key", &error))?;
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text);
    PrivateKeyDer::from_pem_slice(text).map_err(|error| file("key", path, "private key", &error))
}

fn file(key: &'static str, path: &Path, wanted: &'static str, problem: &impl ToString) -> SecurityError {
    SecurityError::File { key, path: path.into(), wanted, problem: problem.to_string() }
}
