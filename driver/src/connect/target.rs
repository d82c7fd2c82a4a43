//! A base address to which requests go.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::atomic::{AtomicUsize, Ordering};

use thiserror::Error;

/// A target, resolved.
#[derive(Debug)]
pub struct Target {
    /// Host and port as they stand in `Host`; the port is left out when it is 80.
    pub authority: String,
    /// Path prefix without a slash at its end; mostly empty.
    pub prefix: String,
    host: String,
    addresses: Vec<SocketAddr>,
    /// Index of the address that answered last: `localhost` may have one that does not.
    preferred: AtomicUsize,
}

/// An address that cannot be used.
#[derive(Debug, Error)]
pub enum TargetError {
    /// TLS.
    #[error("target `{0}`: https is not supported yet; this version speaks http only")]
    Tls(String),
    /// Not `http://host:port/prefix`.
    #[error("target `{0}`: not an address of the form http://host:port or http://host:port/prefix")]
    Form(String),
    /// The name is not known.
    #[error("target `{0}`: its host cannot be resolved ({1}); check the name")]
    Resolve(String, io::Error),
}

impl Target {
    /// Reads an address and resolves its host. Host names are resolved here and never again.
    ///
    /// # Errors
    /// When it is not an address or nobody knows the host.
    pub fn resolve(text: &str) -> Result<Self, TargetError> {
        let wrong = || TargetError::Form(text.into());
        if text.starts_with("https://") {
            return Err(TargetError::Tls(text.into()));
        }
        let rest = text.strip_prefix("http://").ok_or_else(wrong)?;
        let (authority, prefix) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let prefix = prefix.trim_end_matches('/');
        let (host, port) = split_authority(authority).ok_or_else(wrong)?;
        let is_visible = |byte: u8| byte.is_ascii_graphic() && !b"?#@\\".contains(&byte);
        if host.is_empty() || !host.bytes().chain(prefix.bytes()).all(is_visible) {
            return Err(wrong());
        }
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let resolved = (bare, port).to_socket_addrs();
        let addresses: Vec<SocketAddr> =
            resolved.map_err(|error| TargetError::Resolve(text.into(), error))?.collect();
        if addresses.is_empty() {
            return Err(TargetError::Resolve(text.into(), io::ErrorKind::NotFound.into()));
        }
        Ok(Self {
            authority: if port == 80 { host.into() } else { format!("{host}:{port}") },
            prefix: prefix.into(),
            host: host.to_ascii_lowercase(),
            addresses,
            preferred: AtomicUsize::new(0),
        })
    }

    /// The host, in lower case. Cookies belong to it, whatever the port.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Whether `authority` of an absolute address names this target.
    #[must_use]
    pub fn is_at(&self, authority: &str) -> bool {
        let own = split_authority(&self.authority).map(|(_, port)| port);
        split_authority(authority)
            .is_some_and(|(host, port)| host.eq_ignore_ascii_case(&self.host) && Some(port) == own)
    }

    /// Where to connect to, the address that answered last first.
    pub(crate) fn addresses(&self) -> impl Iterator<Item = (usize, SocketAddr)> + '_ {
        let first = self.preferred.load(Ordering::Relaxed);
        let count = self.addresses.len();
        (0..count).map(move |offset| (first + offset) % count).map(|index| (index, self.addresses[index]))
    }

    /// Remembers the address that answered.
    pub(crate) fn prefer(&self, index: usize) {
        self.preferred.store(index, Ordering::Relaxed);
    }
}

fn split_authority(authority: &str) -> Option<(&str, u16)> {
    let after_address = authority.rfind(']').map_or(0, |end| end + 1);
    match authority[after_address..].rfind(':') {
        None => Some((authority, 80)),
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
        ] {
            assert!(matches!(Target::resolve(text), Err(TargetError::Form(_))), "{text}");
        }
        assert!(matches!(Target::resolve("https://x"), Err(TargetError::Tls(_))));
    }
}
