//! How requests travel: the keys of the plan that are about connections and HTTP, not about what is asked.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use super::error::PlanError;
use super::plan::Plan;
use super::quantity::Milliseconds;
use super::target_lists::TargetLists;

/// How long a connection is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Connections {
    /// As long as both sides keep it, over all iterations.
    Keep,
    /// For one iteration.
    #[serde(alias = "new")]
    PerIteration,
    /// For one request, which says `Connection: close`.
    PerRequest,
}

/// The version of HTTP that requests name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum HttpVersion {
    /// 1.0 without keep-alive: each request has its own connection.
    #[serde(rename = "1.0")]
    Http10,
    /// 1.1.
    #[default]
    #[serde(rename = "1.1")]
    Http11,
}

/// How connections to `https` targets are encrypted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Tls {
    /// File of certificates of the authorities to trust; those of the machine if absent.
    pub ca: Option<PathBuf>,
    /// File of the client's certificate, and those between it and its authority.
    pub certificate: Option<PathBuf>,
    /// File of its key.
    pub key: Option<PathBuf>,
    /// Lowest version.
    pub minimum: Option<TlsVersion>,
    /// Highest version.
    pub maximum: Option<TlsVersion>,
    /// For how long sessions of earlier connections are remembered and resumed.
    pub resumption: Resumption,
    /// Whether any certificate is good enough.
    pub insecure: bool,
}

impl Default for Tls {
    fn default() -> Self {
        Self {
            ca: None,
            certificate: None,
            key: None,
            minimum: None,
            maximum: None,
            resumption: Resumption::User,
            insecure: false,
        }
    }
}

/// For how long a user remembers its sessions of TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Resumption {
    /// As long as the user is there.
    User,
    /// Until the next iteration: each is another visitor's.
    Iteration,
    /// Not at all: each connection is a full handshake.
    None,
}

/// A version of TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub enum TlsVersion {
    /// 1.2.
    #[serde(rename = "1.2")]
    Tls12,
    /// 1.3.
    #[serde(rename = "1.3")]
    Tls13,
}

/// How requests travel.
#[derive(Clone, Debug)]
pub struct Transport {
    /// How long a connection is used.
    pub connections: Connections,
    /// The version of HTTP that requests name.
    pub http: HttpVersion,
    /// Local addresses; user *u* connects from number *u* modulo their count. Empty: the kernel chooses.
    pub sources: Vec<IpAddr>,
    /// For how long sessions of TLS are remembered.
    pub resumption: Resumption,
    /// Longest wait for a connection.
    pub connect_timeout: Duration,
    /// Longest wait for the first byte of a response, if there is such a limit.
    pub first_byte_timeout: Option<Duration>,
    /// Longest wait for the last byte of a response.
    pub response_timeout: Duration,
    /// Whether responses may come in gzip.
    pub gzip: bool,
    /// Whether the kernel stamps what it receives, so that the driver's own lag shows.
    pub receive_stamps: bool,
    /// Header lines of every request, each ended by CR LF.
    pub lines: &'static [u8],
}

impl Transport {
    /// Checks what a plan says about it.
    ///
    /// # Errors
    /// [`PlanError`] naming the key.
    pub fn new(plan: &Plan) -> Result<Self, PlanError> {
        let timeouts = &plan.timeouts_ms;
        let transport = Self {
            // HTTP/1.0 knows nothing else.
            connections: match plan.http {
                HttpVersion::Http10 => Connections::PerRequest,
                HttpVersion::Http11 => plan.connections,
            },
            http: plan.http,
            sources: plan.sources.clone(),
            resumption: plan.tls.resumption,
            connect_timeout: timeouts.connect.duration(),
            first_byte_timeout: timeouts.first_byte.map(Milliseconds::duration),
            response_timeout: timeouts.response.duration(),
            gzip: plan.gzip,
            receive_stamps: plan.receive_stamps,
            lines: match (plan.http, plan.connections, plan.gzip) {
                (HttpVersion::Http11, Connections::PerRequest, true) => {
                    b"Connection: close\r\nAccept-Encoding: gzip\r\n"
                }
                (HttpVersion::Http11, Connections::PerRequest, false) => b"Connection: close\r\n",
                (_, _, true) => b"Accept-Encoding: gzip\r\n",
                (_, _, false) => b"",
            },
        };
        transport.check_timeouts()?;
        Ok(transport)
    }

    /// Most connections that one user has open at once, if it has one to each of these targets.
    #[must_use]
    pub fn max_connections(&self, targets: &TargetLists) -> u64 {
        match self.connections {
            Connections::Keep => targets.targets(),
            Connections::PerIteration => targets.in_one_iteration(),
            Connections::PerRequest => 1,
        }
    }

    fn check_timeouts(&self) -> Result<(), PlanError> {
        let limits = [
            ("timeouts_ms.connect", Some(self.connect_timeout)),
            ("timeouts_ms.first_byte", self.first_byte_timeout),
            ("timeouts_ms.response", Some(self.response_timeout)),
        ];
        match limits.iter().find(|(_, limit)| limit.is_some_and(|limit| limit.is_zero())) {
            Some((place, _)) => Err(PlanError::at(*place, "is 0; nothing could ever be answered")),
            None => Ok(()),
        }
    }
}
