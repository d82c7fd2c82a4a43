//! How one user opens connections.

use std::io;
use std::net::IpAddr;
use std::sync::Once;

use tokio::net::UnixStream;

use super::connection::Connection;
use super::source;
use super::stream::Stream;
use super::target::{Address, Target};

static NO_PORT: Once = Once::new();

/// Opens the connections of one user.
#[derive(Debug)]
pub struct Dialer {
    source: Option<IpAddr>,
}

impl Dialer {
    /// The dialer of user number `user`, who connects from one of `sources` if there are any.
    #[must_use]
    pub fn new(sources: &[IpAddr], user: u64) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "less than the number of sources")]
        let number = (user % sources.len().max(1) as u64) as usize;
        Self { source: sources.get(number).copied() }
    }

    /// Connects to the first address of `target` that accepts.
    ///
    /// # Errors
    /// What the last address said.
    pub async fn open(&self, target: &Target) -> io::Result<Connection> {
        let mut last = io::ErrorKind::NotFound.into();
        for (index, address) in target.addresses(self.source) {
            match self.connect(address).await {
                Ok(stream) => {
                    target.prefer(index);
                    return Ok(Connection::new(stream));
                }
                Err(error) => last = error,
            }
        }
        if last.kind() == io::ErrorKind::AddrNotAvailable {
            // The driver's own limit, which nobody must take for the server's.
            NO_PORT.call_once(|| {
                eprintln!(
                    "no local port is free for another connection to {}; widen net.ipv4.ip_local_port_range, set \
                     net.ipv4.tcp_tw_reuse to 1, or name more targets or `sources`",
                    target.authority
                );
            });
        }
        Err(last)
    }

    async fn connect(&self, address: &Address) -> io::Result<Stream> {
        match address {
            Address::Tcp(address) => {
                let stream = source::connect(self.source, *address).await?;
                stream.set_nodelay(true)?;
                Ok(Stream::Tcp(stream))
            }
            Address::Unix(path) => UnixStream::connect(path).await.map(Stream::Unix),
        }
    }
}
