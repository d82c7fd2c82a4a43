//! Local addresses: several of them give one process more than the 28,000 or so ports of one address.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};

use nix::sys::socket::{setsockopt, sockopt};
use thiserror::Error;
use tokio::net::{TcpSocket, TcpStream};

use super::target::Target;

/// A local address that cannot be used.
#[derive(Debug, Error)]
pub enum SourceError {
    /// Not an address of this machine.
    #[error("sources: `{0}` is no address of this machine ({1}); `ip address` lists them")]
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

/// Connects, from `source` if there is one.
///
/// # Errors
/// When nobody accepts, or no local port is left.
pub async fn connect(source: Option<IpAddr>, address: SocketAddr) -> io::Result<TcpStream> {
    let Some(source) = source else { return TcpStream::connect(address).await };
    let socket = if source.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // Else the kernel takes a port for this socket alone; chosen when connecting, it serves one connection to each target.
    setsockopt(&socket, sockopt::IpBindAddressNoPort, &true)?;
    socket.bind(SocketAddr::new(source, 0))?;
    socket.connect(address).await
}
