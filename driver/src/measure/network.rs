//! What TCP had to send again in the driver's network namespace, by the kernel's own counters.
//!
//! A socket tells this of itself by `TCP_INFO` only, for which there is no safe call; the namespace tells it of all its
//! programs together.

use std::fs;

use serde::{Deserialize, Serialize};

use crate::pace::Phase;

/// Counters of a whole network namespace, over a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct NetworkCounters {
    /// Segments sent again, for whatever reason.
    pub retransmitted_segments: u64,
    /// Those of them that ask for a connection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub syn_retransmissions: Option<u64>,
    /// How often an acknowledgement was waited for in vain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retransmission_timeouts: Option<u64>,
    /// Connections that found the queue of a listening socket full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listen_overflows: Option<u64>,
}

/// Sums the counters over the measured window.
#[derive(Debug)]
pub struct NetworkMeter {
    /// At the end of the last interval; nothing when the kernel does not tell.
    last: Option<NetworkCounters>,
    /// Nothing before the window, or when the kernel does not tell.
    window: Option<NetworkCounters>,
}

impl NetworkMeter {
    /// A meter that reads the counters for the first time.
    #[must_use]
    pub fn start() -> Self {
        Self { last: NetworkCounters::now(), window: None }
    }

    /// Reads the counters at the end of an interval of this phase.
    pub fn read(&mut self, phase: Phase) {
        let now = NetworkCounters::now();
        if let (Some(now), Some(last), Phase::Measure) = (now, self.last, phase) {
            let more = now.since(last);
            self.window = Some(self.window.map_or(more, |sum| sum.plus(more)));
        }
        self.last = now;
    }

    /// The sums; nothing before the window, or when the kernel does not tell.
    #[must_use]
    pub fn window(&self) -> Option<NetworkCounters> {
        self.window
    }
}

impl NetworkCounters {
    fn now() -> Option<Self> {
        let snmp = fs::read_to_string("/proc/self/net/snmp").ok()?;
        let more = fs::read_to_string("/proc/self/net/netstat").unwrap_or_default();
        Self::of(&snmp, &more)
    }

    /// Reads the counters of two files (Linux, `Documentation/networking/snmp_counter.rst`).
    fn of(snmp: &str, netstat: &str) -> Option<Self> {
        let more = |name| counter(netstat, "TcpExt:", name);
        Some(Self {
            retransmitted_segments: counter(snmp, "Tcp:", "RetransSegs")?,
            syn_retransmissions: more("TCPSynRetrans"),
            retransmission_timeouts: more("TCPTimeouts"),
            listen_overflows: more("ListenOverflows"),
        })
    }

    fn since(self, earlier: Self) -> Self {
        self.with(earlier, u64::saturating_sub)
    }

    /// The sum with what another namespace counted.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        self.with(other, u64::saturating_add)
    }

    /// Of each counter the larger one, where both count the same.
    #[must_use]
    pub fn larger(self, other: Self) -> Self {
        self.with(other, u64::max)
    }

    fn with(self, other: Self, join: fn(u64, u64) -> u64) -> Self {
        let both = |one: Option<u64>, other: Option<u64>| Some(join(one?, other?));
        Self {
            retransmitted_segments: join(self.retransmitted_segments, other.retransmitted_segments),
            syn_retransmissions: both(self.syn_retransmissions, other.syn_retransmissions),
            retransmission_timeouts: both(self.retransmission_timeouts, other.retransmission_timeouts),
            listen_overflows: both(self.listen_overflows, other.listen_overflows),
        }
    }
}

/// The number below `name` in the two lines that begin with `group`: first names, then numbers.
fn counter(text: &str, group: &str, name: &str) -> Option<u64> {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix(group));
    let place = lines.next()?.split_whitespace().position(|known| known == name)?;
    lines.next()?.split_whitespace().nth(place)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SNMP: &str = "Ip: Forwarding\nIp: 1\nTcp: MaxConn OutSegs RetransSegs\nTcp: -1 9 7\n";
    const NETSTAT: &str = "TcpExt: ListenOverflows TCPTimeouts\nTcpExt: 3 4\nIpExt: InOctets\nIpExt: 5\n";

    #[test]
    fn counters_stand_below_their_names_and_those_the_kernel_lacks_are_left_out() {
        let counters = NetworkCounters::of(SNMP, NETSTAT).expect("counters");
        assert_eq!((counters.retransmitted_segments, counters.listen_overflows), (7, Some(3)));
        assert_eq!((counters.retransmission_timeouts, counters.syn_retransmissions), (Some(4), None));
        let without = NetworkCounters::of(SNMP, "").expect("counters");
        assert_eq!((without.retransmitted_segments, without.listen_overflows), (7, None));
        assert_eq!(NetworkCounters::of("", NETSTAT), None, "not Linux");
    }

    #[test]
    fn differences_of_several_windows_add_up() {
        let [before, after] = [SNMP.to_owned(), SNMP.replace(" 7", " 9")]
            .map(|snmp| NetworkCounters::of(&snmp, NETSTAT).expect("counters"));
        let once = after.since(before);
        assert_eq!((once.retransmitted_segments, once.listen_overflows), (2, Some(0)));
        assert_eq!(once.plus(once).retransmitted_segments, 4);
        assert_eq!(once.larger(once.plus(once)).retransmitted_segments, 4);
    }

    #[test]
    fn only_the_measured_window_counts() {
        let mut meter = NetworkMeter::start();
        meter.read(Phase::Ramp);
        assert_eq!(meter.window(), None);
        meter.read(Phase::Measure);
        assert_eq!(meter.window().is_some(), meter.last.is_some());
    }
}
