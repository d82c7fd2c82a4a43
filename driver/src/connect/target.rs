//! A base address to which requests go.

use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use thiserror::Error;
use url::Url;

use super::security::{self, Security, SecurityError};
use crate::workload::transport::Tls;

const HTTPS: &str = "https://";

/// Longest path of a Unix socket (`sun_path` without its zero byte).
const LONGEST_PATH: usize = 107;

/// A target, resolved.
#[derive(Debug)]
pub struct Target {
    /// Host and port as they stand in `Host`; the port is left out when the scheme implies it. `localhost` for a Unix socket.
    pub authority: String,
    /// Path prefix without a slash at its end; mostly empty.
    pub prefix: String,
    /// Scheme, host and port, with the path `/`.
    root: Url,
    addresses: Vec<Address>,
    /// Index of the address that answered last: `localhost` may have one that does not.
    preferred: AtomicUsize,
    security: Option<Security>,
}

/// Where a socket connects to.
#[derive(Debug)]
pub enum Address {
    /// A host and port.
    Tcp(SocketAddr),
    /// A Unix socket.
    Unix(PathBuf),
}

/// An address that cannot be used.
#[derive(Debug, Error)]
pub enum TargetError {
    /// TLS cannot be spoken as the plan wants it.
    #[error(transparent)]
    Security(#[from] SecurityError),
    /// A host for which there can be no certificate.
    #[error("target `{0}`: no certificate can hold such a host; use a name or an address")]
    Name(String),
    /// Not `http://host:port/prefix`.
    #[error(
        "target `{0}`: not an address of the form http://host:port/prefix, https://… or unix:/path:/prefix (prefix optional)"
    )]
    Form(String),
    /// A path that the kernel does not take.
    #[error("target `{0}`: the path of a Unix socket has at most {LONGEST_PATH} bytes; use a shorter one")]
    Path(String),
    /// The name is not known.
    #[error("target `{0}`: its host cannot be resolved ({1}); check the name")]
    Resolve(String, io::Error),
}

impl Target {
    /// Reads all addresses and resolves their hosts. Host names are resolved here and never again. Files that `tls`
    /// names are read only if one of the addresses is `https`.
    ///
    /// # Errors
    /// When one is not an address, nobody knows its host, or a file is missing.
    pub fn resolve_all<'a>(
        texts: impl IntoIterator<Item = &'a String>,
        tls: &Tls,
    ) -> Result<Vec<Self>, TargetError> {
        let mut security = None;
        let mut resolve = |text: &String| {
            let mut target = Self::resolve(text)?;
            if text.starts_with(HTTPS) {
                let shared = match &security {
                    Some(shared) => shared,
                    None => security.insert(Security::new(tls)?),
                };
                security::server_name(target.host()).ok_or_else(|| TargetError::Name(text.clone()))?;
                target.security = Some(shared.clone());
            }
            Ok(target)
        };
        texts.into_iter().map(&mut resolve).collect()
    }

    /// One address; the connections to it are not encrypted.
    pub(crate) fn resolve(text: &str) -> Result<Self, TargetError> {
        let wrong = || TargetError::Form(text.into());
        if let Some(rest) = text.strip_prefix("unix:") {
            return Self::unix(rest, text);
        }
        let url = Url::parse(text).map_err(|_| wrong())?;
        if !matches!(url.scheme(), "http" | "https") || !text.contains("://") || !is_visible(text) {
            return Err(wrong());
        }
        let (host, port) = url.host_str().zip(url.port_or_known_default()).ok_or_else(wrong)?;
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let resolved = (bare, port).to_socket_addrs();
        let resolved = resolved.map_err(|error| TargetError::Resolve(text.into(), error))?;
        let addresses: Vec<Address> = resolved.map(Address::Tcp).collect();
        if addresses.is_empty() {
            return Err(TargetError::Resolve(text.into(), io::ErrorKind::NotFound.into()));
        }
        Ok(Self {
            authority: url.port().map_or_else(|| host.into(), |port| format!("{host}:{port}")),
            prefix: url.path().trim_end_matches('/').into(),
            root: url.join("/").map_err(|_| wrong())?,
            addresses,
            preferred: AtomicUsize::new(0),
            security: None,
        })
    }

    /// The target `path:prefix`, which stands in the plan as `text`.
    fn unix(rest: &str, text: &str) -> Result<Self, TargetError> {
        let (path, prefix) = rest.split_once(':').unwrap_or((rest, ""));
        let prefix = prefix.trim_end_matches('/');
        let is_prefix = prefix.is_empty() || prefix.starts_with('/');
        if !path.starts_with('/') || !is_prefix || !is_visible(prefix) {
            return Err(TargetError::Form(text.into()));
        }
        if path.len() > LONGEST_PATH {
            return Err(TargetError::Path(text.into()));
        }
        Ok(Self {
            authority: "localhost".into(),
            prefix: prefix.into(),
            root: Url::parse("http://localhost/").map_err(|_| TargetError::Form(text.into()))?,
            addresses: vec![Address::Unix(path.into())],
            preferred: AtomicUsize::new(0),
            security: None,
        })
    }

    /// The host, in lower case. Cookies belong to it, whatever the port.
    #[must_use]
    pub fn host(&self) -> &str {
        self.root.host_str().unwrap_or_default()
    }

    /// How connections to it are encrypted, if they are.
    #[must_use]
    pub fn security(&self) -> Option<&Security> {
        self.security.as_ref()
    }

    /// Scheme, host and port, with the path `/`.
    #[must_use]
    pub fn root(&self) -> &Url {
        &self.root
    }

    /// Whether a connection can be made from this local address.
    pub(crate) fn is_reachable_from(&self, source: IpAddr) -> bool {
        self.addresses(Some(source)).next().is_some()
    }

    /// Where to connect to from `source`, the address that answered last first.
    pub(crate) fn addresses(&self, source: Option<IpAddr>) -> impl Iterator<Item = (usize, &Address)> {
        let first = self.preferred.load(Ordering::Relaxed);
        let count = self.addresses.len();
        let fits = move |address: &Address| match (source, address) {
            (Some(source), Address::Tcp(address)) => source.is_ipv4() == address.is_ipv4(),
            _ => true,
        };
        let in_turn = (0..count).map(move |offset| (first + offset) % count);
        in_turn.map(|index| (index, &self.addresses[index])).filter(move |(_, address)| fits(address))
    }

    /// Remembers the address that answered.
    pub(crate) fn prefer(&self, index: usize) {
        self.preferred.store(index, Ordering::Relaxed);
    }
}

/// Whether an address or path prefix holds nothing but what may stand there as it is.
fn is_visible(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_graphic() && !b"?#@\\".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_host_a_port_and_maybe_a_prefix() {
        let target = Target::resolve("http://127.0.0.1:8080/app/").expect("a target");
        assert_eq!((target.authority.as_str(), target.prefix.as_str()), ("127.0.0.1:8080", "/app"));
        let target = Target::resolve("http://[::1]").expect("a target");
        assert_eq!((target.authority.as_str(), target.prefix.as_str()), ("[::1]", ""));
        let target = Target::resolve("http://LOCALHOST:80").expect("a target");
        assert_eq!((target.authority.as_str(), target.host()), ("localhost", "localhost"));
    }

    #[test]
    fn a_unix_socket_has_a_path_and_maybe_a_prefix() {
        let target = Target::resolve("unix:/run/a.sock:/app/").expect("a target");
        assert_eq!((target.authority.as_str(), target.prefix.as_str()), ("localhost", "/app"));
        let (_, address) = target.addresses(None).next().expect("an address");
        assert!(matches!(address, Address::Unix(path) if path.as_os_str() == "/run/a.sock"));
        assert_eq!(Target::resolve("unix:/run/a.sock").expect("a target").prefix, "");
        let long = format!("unix:/{}", "x".repeat(LONGEST_PATH));
        assert!(matches!(Target::resolve(&long), Err(TargetError::Path(_))));
    }

    #[test]
    fn other_addresses_are_refused() {
        for text in [
            "",
            "127.0.0.1:80",
            "ftp://x",
            "http://",
            "http://a:b",
            "http://u@h",
            "http://h/a?b",
            "http://h/a b",
            "unix:relative.sock",
            "unix:/a.sock:prefix",
        ] {
            assert!(matches!(Target::resolve(text), Err(TargetError::Form(_))), "{text}");
        }
    }
}
