//! How one user opens connections.

use std::cell::{Cell, RefCell};
use std::io::{self, ErrorKind, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::{Arc, Once};

use rustls::ClientConfig;
use tokio::net::UnixStream;

use super::connection::{Connection, Inbox, ReceiveError};
use super::security::{self, Security};
use super::source;
use super::stream::Stream;
use super::target::{Address, Target};
use super::tls::TlsSession;

static NO_PORT: Once = Once::new();
static NO_TLS: Once = Once::new();
static NO_STAMPS: Once = Once::new();

/// Why there is no connection. What there is to say about it has been said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenError {
    /// Nobody accepts.
    Connect,
    /// No local port is left.
    LocalPorts,
    /// TLS is not agreed on.
    Tls,
}

/// Opens the connections of one user.
#[derive(Debug)]
pub struct Dialer {
    source: Option<IpAddr>,
    /// With the user's own memory of sessions; made for the first connection that needs it.
    tls: RefCell<Option<Arc<ClientConfig>>>,
}

impl Dialer {
    /// The dialer of user number `user`, who connects from one of `sources` if there are any.
    #[must_use]
    pub fn new(sources: &[IpAddr], user: u64) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "less than the number of sources")]
        let number = (user % sources.len().max(1) as u64) as usize;
        Self { source: sources.get(number).copied(), tls: RefCell::default() }
    }

    /// Forgets all sessions: the next handshake with each server is a full one.
    pub fn forget_sessions(&self) {
        self.tls.take();
    }

    /// Opens a connection to `target`, encrypted if it wants that. The `request` that is about to be sent over it goes out
    /// at once when nobody has to wait for the connection; returned is how many bytes of it did.
    ///
    /// # Errors
    /// Why there is none.
    pub async fn open(
        &self,
        target: &Target,
        inbox: &Inbox,
        request: &RefCell<Vec<u8>>,
    ) -> Result<(Connection, u64), OpenError> {
        let opening = Opening { target, stamped: inbox.wants_stamps(), request, waited: Cell::new(false) };
        let (stream, sent) = self.reach(&opening).await?;
        let Some(security) = target.security() else { return Ok((Connection::new(stream), sent)) };
        // Boxed: users who encrypt nothing need not have room for a handshake.
        let encrypted = Box::pin(self.encrypt(stream, target, security, inbox)).await;
        encrypted.map(|connection| (connection, 0)).map_err(|error| {
            NO_TLS.call_once(|| {
                let why = reason(&error, security);
                let _ = writeln!(io::stderr(), "TLS with {} is not agreed on: {why}", target.authority);
            });
            OpenError::Tls
        })
    }

    async fn encrypt(
        &self,
        stream: Stream,
        target: &Target,
        security: &Security,
        inbox: &Inbox,
    ) -> Result<Connection, ReceiveError> {
        let config = Arc::clone(self.tls.borrow_mut().get_or_insert_with(|| security.of_user()));
        let name = security::server_name(target.host()).ok_or(ReceiveError::Closed)?;
        let session = TlsSession::new(config, name).map_err(ReceiveError::Tls)?;
        // The kernel that refuses will say more about it soon.
        let _ = stream.send_without_delay();
        Connection::secure(stream, session, inbox).await
    }

    /// Connects to the first address of the target that accepts.
    async fn reach(&self, opening: &Opening<'_>) -> Result<(Stream, u64), OpenError> {
        let mut reason = OpenError::Connect;
        let target = opening.target;
        for (index, address) in target.addresses(self.source) {
            match self.connect(address, opening).await {
                Ok(reached) => {
                    target.prefer(index);
                    return Ok(reached);
                }
                Err(error) if self.lacks_a_port(address, &error) => reason = OpenError::LocalPorts,
                Err(_) => {}
            }
        }
        if reason == OpenError::LocalPorts {
            // The driver's own limit, which nobody must take for the server's.
            NO_PORT.call_once(|| {
                let _ = writeln!(
                    io::stderr(),
                    "no local port is free for another connection to {}; widen net.ipv4.ip_local_port_range, set \
                     net.ipv4.tcp_tw_reuse to 1, or name more targets or `sources`",
                    target.authority
                );
            });
        }
        Err(reason)
    }

    /// Whether no local port is left towards an address. The kernel says the same of one to which it knows no way, as
    /// `::1` where IPv6 is switched off; UDP has ports of its own and needs the same way.
    fn lacks_a_port(&self, address: &Address, error: &io::Error) -> bool {
        let Address::Tcp(address) = address else { return false };
        let any = if address.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
        let source = SocketAddr::new(self.source.unwrap_or(any), 0);
        let is_reachable = || UdpSocket::bind(source).and_then(|socket| socket.connect(address)).is_ok();
        error.kind() == ErrorKind::AddrNotAvailable && is_reachable()
    }

    async fn connect(&self, address: &Address, opening: &Opening<'_>) -> io::Result<(Stream, u64)> {
        let stream = match address {
            Address::Tcp(address) => Stream::Fresh(Some(source::begin(self.source, *address)?)),
            Address::Unix(path) => {
                opening.waited.set(true);
                Stream::Unix(UnixStream::connect(path).await?)
            }
        };
        // Before anything is sent: else a response could come before the kernel stamps.
        if opening.stamped {
            stamp(&stream, opening.target);
        }
        if matches!(stream, Stream::Unix(_)) {
            return Ok((stream, 0));
        }
        match opening.send_at_once(&stream) {
            Ok(sent) => Ok((stream, sent)),
            // The connection was made, and has ended already: whoever sends finds out.
            Err(error) if matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe) => {
                Ok((stream, 0))
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                opening.waited.set(true);
                Ok((stream.established().await?, 0))
            }
            Err(error) => Err(error),
        }
    }
}

/// What is to be reached, and what for.
#[derive(Debug)]
struct Opening<'a> {
    target: &'a Target,
    /// Whether the kernel is to stamp what comes.
    stamped: bool,
    /// What will be sent.
    request: &'a RefCell<Vec<u8>>,
    /// Whether an earlier address had to be waited for: others may have written into the buffer they share since.
    waited: Cell<bool>,
}

impl Opening<'_> {
    /// Sends the request without waiting for the connection: nearby it is made by now, and a kernel that takes bytes
    /// says so with one system call less. An encrypted connection has other things to send first.
    fn send_at_once(&self, stream: &Stream) -> io::Result<u64> {
        if self.target.security().is_some() || self.waited.get() {
            return Err(ErrorKind::WouldBlock.into());
        }
        Ok(stream.try_write(&self.request.borrow())? as u64)
    }
}

/// Asks the kernel for stamps. Without them the run goes on: its other figures are as good.
fn stamp(stream: &Stream, target: &Target) {
    if let Err(error) = stream.want_stamps() {
        NO_STAMPS.call_once(|| {
            let _ = writeln!(
                io::stderr(),
                "the kernel does not stamp what comes from `{}` ({error}); it never does for Unix sockets. receive_lag \
                 leaves these responses out",
                target.authority
            );
        });
    }
}

fn reason(error: &ReceiveError, security: &Security) -> String {
    match error {
        ReceiveError::Tls(error @ rustls::Error::InvalidCertificate(_)) => {
            format!("{error}; {}", security.advice(error))
        }
        ReceiveError::Tls(error) => {
            format!("{error}; are the versions and certificates those the server wants?")
        }
        _ => "the server ended the connection; does it speak TLS at this port, and of these versions?".into(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::TcpListener;

    use super::*;

    /// What a listener receives of a request that is to be sent at once, after other users had a turn or not.
    async fn received(waited: bool) -> Vec<u8> {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let target =
            Target::resolve(&format!("http://{}", listener.local_addr().expect("bound"))).expect("a target");
        let request = RefCell::new(b"of another user by now".to_vec());
        let opening =
            Opening { target: &target, stamped: false, request: &request, waited: Cell::new(waited) };
        let (stream, sent) = Dialer::new(&[], 0).reach(&opening).await.expect("a connection");
        drop(stream);
        let mut bytes = Vec::new();
        listener.accept().expect("a connection").0.read_to_end(&mut bytes).expect("the end");
        assert_eq!(sent, bytes.len() as u64);
        bytes
    }

    #[tokio::test]
    async fn the_shared_buffer_is_not_sent_after_an_earlier_address_had_to_be_waited_for() {
        assert_eq!(received(false).await, b"of another user by now");
        assert_eq!(received(true).await, b"");
    }
}
