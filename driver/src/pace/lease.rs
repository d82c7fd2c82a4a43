//! The lease: a pipe that whoever started the run holds open. Its end ends the run.

use std::io::{self, Read};
use std::thread;

use super::stop::{StopReason, StopSwitch};

/// Presses the switch when `held` comes to its end or breaks.
///
/// # Errors
/// When no thread can be started.
pub fn watch(mut held: impl Read + Send + 'static, switch: StopSwitch) -> io::Result<()> {
    thread::Builder::new().name("lease".into()).spawn(move || {
        let mut ignored = [0; 256];
        loop {
            match held.read(&mut ignored) {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        switch.press(StopReason::Lease);
    })?;
    Ok(())
}
