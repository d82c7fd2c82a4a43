//! What several drivers use of their machines, in one line.

use crate::output::line::{Audit, LatenessLine, ThreadAudit};

/// The last that each driver said of itself: one that is done uses no more, and what it has used still counts.
#[derive(Debug)]
pub struct Audits(Vec<Option<Used>>);

#[derive(Debug)]
struct Used {
    cpu_user_ns: u64,
    cpu_system_ns: u64,
    rss_bytes: u64,
    threads: Vec<ThreadAudit>,
}

impl Audits {
    /// Those of so many drivers, of which none has said anything.
    #[must_use]
    pub fn new(drivers: usize) -> Self {
        Self((0..drivers).map(|_| None).collect())
    }

    /// Takes the audit of a driver.
    pub fn take(&mut self, driver: usize, audit: &Audit) {
        self.0[driver] = Some(Used {
            cpu_user_ns: audit.cpu_user_ns,
            cpu_system_ns: audit.cpu_system_ns,
            rss_bytes: audit.rss_bytes,
            threads: audit.threads.clone(),
        });
    }

    /// Their line, with how late they were together.
    #[must_use]
    pub fn line(&self, lateness: LatenessLine) -> Audit {
        let known = || self.0.iter().flatten();
        Audit {
            cpu_user_ns: known().map(|used| used.cpu_user_ns).sum(),
            cpu_system_ns: known().map(|used| used.cpu_system_ns).sum(),
            threads: known().flat_map(|used| used.threads.clone()).collect(),
            rss_bytes: known().map(|used| used.rss_bytes).sum(),
            lateness,
        }
    }
}
