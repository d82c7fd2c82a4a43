//! The limit on open files: every user needs a connection, and every connection is a file.

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use thiserror::Error;

/// Files beside the connections: standard streams, timers, pollers, and some to spare.
const SPARE: u64 = 64;

/// Too few files may be open.
#[derive(Debug, Error)]
#[error(
    "{needed} open files are needed, but the limit RLIMIT_NOFILE is {hard}; raise it with `ulimit -n {needed}` \
     (as root, or in /etc/security/limits.conf) or run fewer users"
)]
pub struct TooFewOpenFiles {
    needed: u64,
    hard: u64,
}

/// Makes sure that so many connections can be open at once; raises the soft limit as far as the hard one allows.
///
/// # Errors
/// When the hard limit is too low.
pub fn reserve(connections: u64) -> Result<(), TooFewOpenFiles> {
    let needed = connections.saturating_add(SPARE);
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return Ok(()) };
    if soft >= needed {
        return Ok(());
    }
    match setrlimit(Resource::RLIMIT_NOFILE, needed.min(hard), hard) {
        Ok(()) if hard >= needed => Ok(()),
        _ => Err(TooFewOpenFiles { needed, hard }),
    }
}
