//! How one user opens connections.

use std::cell::RefCell;
use std::io;
use std::net::IpAddr;
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

    /// Opens a connection to `target`, encrypted if it wants that.
    ///
    /// # Errors
    /// Why there is none.
    pub async fn open(&self, target: &Target, inbox: &Inbox) -> Result<Connection, OpenError> {
        let stream = self.reach(target).await.map_err(|_| OpenError::Connect)?;
        if inbox.wants_stamps() {
            stamp(&stream, target);
        }
        let Some(security) = target.security() else { return Ok(Connection::new(stream)) };
        // Boxed: users who encrypt nothing need not have room for a handshake.
        Box::pin(self.encrypt(stream, target, security, inbox)).await.map_err(|error| {
            NO_TLS.call_once(|| {
                eprintln!("TLS with {} is not agreed on: {}", target.authority, reason(&error));
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
        Connection::secure(stream, session, inbox).await
    }

    /// Connects to the first address of `target` that accepts.
    async fn reach(&self, target: &Target) -> io::Result<Stream> {
        let mut last = io::ErrorKind::NotFound.into();
        for (index, address) in target.addresses(self.source) {
            match self.connect(address).await {
                Ok(stream) => {
                    target.prefer(index);
                    return Ok(stream);
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

/// Asks the kernel for stamps. Without them the run goes on: its other figures are as good.
fn stamp(stream: &Stream, target: &Target) {
    if let Err(error) = stream.want_stamps() {
        NO_STAMPS.call_once(|| {
            eprintln!(
                "the kernel does not stamp what comes from `{}` ({error}); it never does for Unix sockets. receive_lag \
                 leaves these answers out",
                target.authority
            );
        });
    }
}

fn reason(error: &ReceiveError) -> String {
    match error {
        ReceiveError::Tls(error @ rustls::Error::InvalidCertificate(_)) => {
            format!(
                "{error}; name its authority in tls.ca, or set tls.insecure if nobody need be sure who answers"
            )
        }
        ReceiveError::Tls(error) => {
            format!("{error}; are the versions and certificates those the server wants?")
        }
        _ => "the server ended the connection; does it speak TLS at this port, and of these versions?".into(),
    }
}
