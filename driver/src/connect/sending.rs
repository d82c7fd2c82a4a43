//! What is left of a request when the kernel has not taken all of it at once.

use std::sync::Arc;
use std::task::{Context, Poll};

use super::stream::Stream;
use super::tls::TlsSession;

/// So much of a long body is encrypted at a time; what is not encrypted is sent from where it lies.
const SEALED_TOGETHER: usize = 64 * 1_024;

/// How far a request is sent.
#[derive(Debug)]
pub enum Sending {
    /// All of it.
    Done,
    /// Boxed, because it is rare, and users need not have room for it.
    Unsent(Box<Unsent>),
    /// No more of it can be sent.
    Broken,
}

/// What is left.
#[derive(Debug)]
pub struct Unsent {
    bytes: Vec<u8>,
    at: usize,
    body: Arc<[u8]>,
    body_at: usize,
}

impl Sending {
    /// These bytes and then this body are left.
    pub(super) fn unsent(bytes: Vec<u8>, body: Option<Arc<[u8]>>) -> Self {
        let body = body.unwrap_or_else(|| Arc::from([]));
        Self::Unsent(Box::new(Unsent { bytes, at: 0, body, body_at: 0 }))
    }

    /// Sends what the kernel takes now; the task is woken when it takes more. `sent` counts the bytes.
    pub(super) fn poll(
        &mut self,
        context: &mut Context<'_>,
        stream: &mut Stream,
        mut tls: Option<&mut TlsSession>,
        sent: &mut u64,
    ) {
        while let Self::Unsent(rest) = self {
            let left = &rest.body[rest.body_at..];
            let of_body = rest.at == rest.bytes.len();
            let piece = if !of_body {
                &rest.bytes[rest.at..]
            } else if left.is_empty() {
                *self = Self::Done;
                return;
            } else if let Some(tls) = &mut tls {
                rest.bytes.clear();
                rest.bytes.extend_from_slice(&left[..left.len().min(SEALED_TOGETHER)]);
                rest.body_at += rest.bytes.len();
                rest.at = 0;
                if tls.seal(&mut rest.bytes).is_err() {
                    *self = Self::Broken;
                }
                continue;
            } else {
                left
            };
            let Poll::Ready(taken) = stream.poll_write(context, piece) else { return };
            match taken {
                Ok(taken) => {
                    *sent += taken as u64;
                    *(if of_body { &mut rest.body_at } else { &mut rest.at }) += taken;
                }
                // The server may have answered all the same.
                Err(_) => *self = Self::Broken,
            }
        }
    }
}
