//! Local addresses: several of them give one process more than the 28,000 or so ports of one address.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;

use nix::errno::Errno;
use nix::sys::socket::{
    AddressFamily, SockFlag, SockType, SockaddrStorage, bind, connect as connect_socket, setsockopt, socket,
    sockopt,
};
use thiserror::Error;

use super::target::Target;

/// A local address that cannot be used.
#[derive(Debug, Error)]
pub enum SourceError {
    /// Not an address of this machine.
    #[error("sources: `{0}` is not an address of this machine ({1}); `ip address` lists them")]
    Foreign(IpAddr, io::Error),
    /// No target can be reached from it.
    #[error(
        "sources: target `{1}` has no address of the family of `{0}`; use IPv4 with IPv4, IPv6 with IPv6"
    )]
    Family(IpAddr, String),
}

/// Checks that every target can be reached from every source.
///
/// # Errors
/// The first that cannot be used.
pub fn check(sources: &[IpAddr], targets: &[Target]) -> Result<(), SourceError> {
    for &source in sources {
        TcpListener::bind((source, 0)).map_err(|error| SourceError::Foreign(source, error))?;
        if let Some(target) = targets.iter().find(|target| !target.is_reachable_from(source)) {
            return Err(SourceError::Family(source, target.authority.clone()));
        }
    }
    Ok(())
}

/// Begins to connect a socket that never blocks, from `source` if there is one. Nearby the connection is made when this
/// returns, though the kernel does not say so.
///
/// # Errors
/// When nobody accepts, or no local port is left.
pub fn begin(source: Option<IpAddr>, address: SocketAddr) -> io::Result<TcpStream> {
    let family = if address.is_ipv4() { AddressFamily::Inet } else { AddressFamily::Inet6 };
    let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
    let socket = socket(family, SockType::Stream, flags, None)?;
    if let Some(source) = source {
        // Else the kernel takes a port for this socket alone; chosen when connecting, it serves one connection to each target.
        setsockopt(&socket, sockopt::IpBindAddressNoPort, &true)?;
        bind(socket.as_raw_fd(), &SockaddrStorage::from(SocketAddr::new(source, 0)))?;
    }
    match connect_socket(socket.as_raw_fd(), &SockaddrStorage::from(address)) {
        Ok(()) | Err(Errno::EINPROGRESS) => Ok(socket.into()),
        Err(error) => Err(error.into()),
    }
}
