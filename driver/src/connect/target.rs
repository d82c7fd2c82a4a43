//! A base address to which requests go.

use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use thiserror::Error;

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
    host: String,
    addresses: Vec<Address>,
    /// Index of the address that answered last: `localhost` may have one that does not.
    preferred: AtomicUsize,
    security: Option<Security>,
    scheme_port: u16,
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
    pub fn resolve_all(texts: &[String], tls: &Tls) -> Result<Vec<Self>, TargetError> {
        let mut security = None;
        let mut resolve = |text: &String| {
            let mut target = Self::resolve(text)?;
            if text.starts_with(HTTPS) {
                let shared = match &security {
                    Some(shared) => shared,
                    None => security.insert(Security::new(tls)?),
                };
                security::server_name(&target.host).ok_or_else(|| TargetError::Name(text.clone()))?;
                target.security = Some(shared.clone());
            }
            Ok(target)
        };
        texts.iter().map(&mut resolve).collect()
    }

    /// One address; the connections to it are not encrypted.
    pub(crate) fn resolve(text: &str) -> Result<Self, TargetError> {
        let wrong = || TargetError::Form(text.into());
        if let Some(rest) = text.strip_prefix("unix:") {
            return Self::unix(rest, text);
        }
        let (rest, scheme_port) = match text.strip_prefix(HTTPS) {
            Some(rest) => (rest, 443),
            None => (text.strip_prefix("http://").ok_or_else(wrong)?, 80),
        };
        let (authority, prefix) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let prefix = prefix.trim_end_matches('/');
        let (host, port) = split_authority(authority, scheme_port).ok_or_else(wrong)?;
        if host.is_empty() || !is_visible(host) || !is_visible(prefix) {
            return Err(wrong());
        }
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let resolved = (bare, port).to_socket_addrs();
        let resolved = resolved.map_err(|error| TargetError::Resolve(text.into(), error))?;
        let addresses: Vec<Address> = resolved.map(Address::Tcp).collect();
        if addresses.is_empty() {
            return Err(TargetError::Resolve(text.into(), io::ErrorKind::NotFound.into()));
        }
        Ok(Self {
            authority: if port == scheme_port { host.into() } else { format!("{host}:{port}") },
            prefix: prefix.into(),
            host: host.to_ascii_lowercase(),
            addresses,
            preferred: AtomicUsize::new(0),
            security: None,
            scheme_port,
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
            host: "localhost".into(),
            addresses: vec![Address::Unix(path.into())],
            preferred: AtomicUsize::new(0),
            security: None,
            scheme_port: 80,
        })
    }

    /// The host, in lower case. Cookies belong to it, whatever the port.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// How connections to it are encrypted, if they are.
    #[must_use]
    pub fn security(&self) -> Option<&Security> {
        self.security.as_ref()
    }

    /// `http` or `https`.
    #[must_use]
    pub fn scheme(&self) -> &'static str {
        if self.security.is_some() { "https" } else { "http" }
    }

    /// Whether `authority` of an absolute address names this target.
    #[must_use]
    pub fn is_at(&self, authority: &str) -> bool {
        let own = split_authority(&self.authority, self.scheme_port).map(|(_, port)| port);
        split_authority(authority, self.scheme_port)
            .is_some_and(|(host, port)| host.eq_ignore_ascii_case(&self.host) && Some(port) == own)
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

/// Whether a host or path prefix holds nothing but what may stand there as it is.
fn is_visible(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_graphic() && !b"?#@\\".contains(&byte))
}

fn split_authority(authority: &str, scheme_port: u16) -> Option<(&str, u16)> {
    let after_address = authority.rfind(']').map_or(0, |end| end + 1);
    match authority[after_address..].rfind(':') {
        None => Some((authority, scheme_port)),
        Some(colon) => {
            let (host, port) = authority.split_at(after_address + colon);
            if host.contains(':') && !host.starts_with('[') {
                return None;
            }
            Some((host, port[1..].parse().ok()?))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_host_a_port_and_maybe_a_prefix() {
        let target = Target::resolve("http://127.0.0.1:8080/app/").expect("a target");
        assert_eq!((target.authority.as_str(), target.prefix.as_str()), ("127.0.0.1:8080", "/app"));
        assert!(
            target.is_at("127.0.0.1:8080") && !target.is_at("127.0.0.1:81") && !target.is_at("127.0.0.1")
        );
        let target = Target::resolve("http://[::1]").expect("a target");
        assert_eq!((target.authority.as_str(), target.prefix.as_str()), ("[::1]", ""));
        assert!(target.is_at("[::1]:80"));
        let target = Target::resolve("http://localhost:9").expect("a target");
        assert!(target.is_at("LOCALHOST:9"));
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
