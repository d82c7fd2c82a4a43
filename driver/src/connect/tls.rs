//! One TLS session. It decrypts where the socket's bytes were read, so that it needs no read buffer of its own.

use std::fmt;
use std::io;
use std::sync::Arc;

use rustls::client::{ClientConnectionData, UnbufferedClientConnection};
use rustls::pki_types::ServerName;
use rustls::unbuffered::{
    ConnectionState, EncodeError, EncodeTlsData, EncryptError, InsufficientSizeError, UnbufferedStatus,
    WriteTraffic,
};
use rustls::{ClientConfig, Error, HandshakeKind, ProtocolVersion};

/// Most bytes of what TLS says for itself, session tickets above all, between two requests. A server may send them at any
/// time and for ever, and each costs the reader more than the writer.
const MAX_ASIDE_BYTES: usize = 64 * 1_024;

/// Largest record: RFC 8446, 5.2, with its header. As much of what came before content may have been around the content.
const LARGEST_RECORD: usize = 5 + (1 << 14) + 256;

/// A session with one server.
pub struct TlsSession {
    connection: UnbufferedClientConnection,
    /// The beginning of a record whose rest has not come; mostly empty.
    partial: Vec<u8>,
    /// What must be sent before anything else; mostly empty.
    outgoing: Vec<u8>,
    /// Bytes without content since the last request.
    aside: usize,
}

/// The state of a connection after a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamState {
    /// The handshake needs more from the server.
    Handshake,
    /// Requests can be sent.
    Open,
    /// The server has said that nothing more comes.
    Ended,
}

impl fmt::Debug for TlsSession {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("TlsSession").finish_non_exhaustive()
    }
}

/// What client and server have agreed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// Version of TLS, as `1.3`.
    pub version: &'static str,
    /// Name of the cipher suite.
    pub cipher: &'static str,
    /// Whether it resumes an earlier session.
    pub resumed: bool,
}

impl TlsSession {
    /// What was agreed on; nothing before that.
    #[must_use]
    pub fn agreement(&self) -> Option<Agreement> {
        let version = match self.connection.protocol_version()? {
            ProtocolVersion::TLSv1_3 => "1.3",
            ProtocolVersion::TLSv1_2 => "1.2",
            other => other.as_str()?,
        };
        let cipher = self.connection.negotiated_cipher_suite()?.suite().as_str()?;
        let resumed = self.connection.handshake_kind()? == HandshakeKind::Resumed;
        Some(Agreement { version, cipher, resumed })
    }

    /// A session that has not sent anything.
    ///
    /// # Errors
    /// When the configuration fits no server.
    pub fn new(config: Arc<ClientConfig>, name: ServerName<'static>) -> Result<Self, Error> {
        let connection = UnbufferedClientConnection::new(config, name)?;
        Ok(Self { connection, partial: Vec::new(), outgoing: Vec::new(), aside: 0 })
    }

    /// Puts what is left of the last read at the beginning of `buffer`; new bytes belong behind it.
    pub fn restore(&self, buffer: &mut [u8]) -> usize {
        buffer[..self.partial.len()].copy_from_slice(&self.partial);
        self.partial.len()
    }

    /// Reads records, the restored bytes included, and hands their content to `plain`.
    ///
    /// # Errors
    /// When they are no TLS, or the server's certificate is not trusted, or too much of it is not content.
    pub fn read(&mut self, bytes: &mut [u8], mut plain: impl FnMut(&[u8])) -> Result<StreamState, Error> {
        let mut used = 0;
        let state = loop {
            let UnbufferedStatus { mut discard, state, .. } =
                self.connection.process_tls_records(&mut bytes[used..]);
            let mut of_content = 0;
            let state = match state? {
                ConnectionState::ReadTraffic(mut records) => {
                    while let Some(record) = records.next_record() {
                        let record = record?;
                        discard += record.discard;
                        of_content += LARGEST_RECORD;
                        plain(record.payload);
                    }
                    None
                }
                ConnectionState::EncodeTlsData(mut message) => {
                    encode(&mut message, &mut self.outgoing)?;
                    None
                }
                ConnectionState::TransmitTlsData(transmitted) => {
                    // Not yet, but nothing overtakes it: it lies in `outgoing`.
                    transmitted.done();
                    None
                }
                ConnectionState::WriteTraffic(_) => Some(StreamState::Open),
                ConnectionState::PeerClosed | ConnectionState::Closed => Some(StreamState::Ended),
                _ => Some(StreamState::Handshake),
            };
            used += discard;
            self.aside += discard.saturating_sub(of_content);
            if let Some(state) = state {
                break state;
            }
        };
        if state == StreamState::Handshake {
            // Has an order and an end, which the library sees to.
            self.aside = 0;
        } else if self.aside > MAX_ASIDE_BYTES {
            let problem =
                format!("more than {MAX_ASIDE_BYTES} bytes of tickets and the like between two requests");
            return Err(Error::General(problem));
        }
        // Nothing is kept, not even room, when records came whole: idle connections cost no buffer.
        self.partial = bytes[used..].to_vec();
        Ok(state)
    }

    /// Takes what must be sent before anything else.
    pub fn take_outgoing(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.outgoing)
    }

    /// Replaces `bytes` by records that hold them, behind what must be sent before.
    ///
    /// # Errors
    /// When the session takes nothing more.
    pub fn seal(&mut self, bytes: &mut Vec<u8>) -> io::Result<()> {
        let mut partial = std::mem::take(&mut self.partial);
        let length = bytes.len();
        let state = self.read(&mut partial, |_| {});
        if !matches!(state, Ok(StreamState::Open)) {
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        bytes.append(&mut self.outgoing);
        let UnbufferedStatus { state: Ok(ConnectionState::WriteTraffic(mut traffic)), .. } =
            self.connection.process_tls_records(&mut self.partial)
        else {
            return Err(io::ErrorKind::ConnectionAborted.into());
        };
        encrypt(&mut traffic, bytes, length)?;
        bytes.drain(..length);
        self.outgoing = Vec::new();
        self.aside = 0;
        Ok(())
    }
}

fn encode(
    message: &mut EncodeTlsData<'_, ClientConnectionData>,
    outgoing: &mut Vec<u8>,
) -> Result<(), Error> {
    let start = outgoing.len();
    match message.encode(&mut []) {
        Err(EncodeError::InsufficientSize(InsufficientSizeError { required_size })) => {
            outgoing.resize(start + required_size, 0);
        }
        Ok(_) => return Ok(()),
        Err(error) => return Err(Error::General(error.to_string())),
    }
    match message.encode(&mut outgoing[start..]) {
        Ok(written) => {
            outgoing.truncate(start + written);
            Ok(())
        }
        Err(error) => Err(Error::General(error.to_string())),
    }
}

/// Appends the first `length` bytes, encrypted, to all of them: the buffer is shared, and mostly large enough.
fn encrypt(
    traffic: &mut WriteTraffic<'_, ClientConnectionData>,
    bytes: &mut Vec<u8>,
    length: usize,
) -> io::Result<()> {
    let start = bytes.len();
    let mut room = length + 256;
    loop {
        bytes.resize(start + room, 0);
        let (plain, sealed) = bytes.split_at_mut(start);
        match traffic.encrypt(&plain[..length], sealed) {
            Ok(written) => {
                bytes.truncate(start + written);
                return Ok(());
            }
            Err(EncryptError::InsufficientSize(InsufficientSizeError { required_size })) => {
                room = required_size;
            }
            Err(EncryptError::EncryptExhausted) => return Err(io::ErrorKind::ConnectionAborted.into()),
        }
    }
}
