//! The options of `get`, and the plan that does what they ask for.

use std::num::{NonZeroU64, NonZeroUsize};
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::address;
use super::tally::Counting;
use crate::pace::WakeUps;

/// Longest wait for a connection, and for a response. Also how long the last responses are waited for.
const PATIENCE_MS: u64 = 10_000;

/// Longest header of a response: that of Chromium.
const HEADER_BYTES: u64 = 256 * 1_024;

/// Longest body of a response. None is kept, so that its length costs no memory.
const BODY_BYTES: u64 = 1 << 40;

/// How long a connection is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Policy {
    /// As long as the server keeps it.
    Keep,
    /// For one request, which says `Connection: close`.
    PerRequest,
}

/// The options of `get`.
#[derive(Clone, Debug, Args)]
pub struct Options {
    /// The page to get: `http://host:port/path?query`, or `unix:/path/of.sock:/path?query`.
    pub url: String,
    /// Connections. Without --rate each sends its next request when the last one was answered.
    #[arg(short, long, value_name = "N", default_value = "10")]
    pub connections: NonZeroU64,
    /// How long, as in 10s or 1m.
    #[arg(short, long, value_name = "D", default_value = "10s", value_parser = duration)]
    pub duration: Duration,
    /// Requests per second, whatever the server does; latency counts from the moment a request was to be sent.
    #[arg(short, long, value_name = "R")]
    pub rate: Option<f64>,
    /// How long a connection is used.
    #[arg(long, value_enum, default_value_t = Policy::Keep)]
    pub connection: Policy,
    /// Speaks HTTP/1.0, without keep-alive.
    #[arg(long = "http1.0")]
    pub http_1_0: bool,
    /// Threads that send.
    #[arg(short, long, value_name = "N", default_value = "1")]
    pub threads: NonZeroUsize,
    /// How exactly the threads wake for what is due; exact by default with --rate.
    #[arg(long, value_enum)]
    pub wake: Option<WakeUps>,
    /// Has the kernel stamp what it receives, and reports how long responses lay there before they were read.
    #[arg(long)]
    pub receive_stamps: bool,
    /// A text that every response must hold.
    #[arg(long, value_name = "TEXT")]
    pub check: Option<String>,
    /// Prints one JSON object instead of a table.
    #[arg(long)]
    pub json: bool,
}

impl Options {
    /// The plan, as `run` would read it.
    #[must_use]
    pub fn plan(&self) -> Value {
        let (target, path) = address::split(&self.url);
        json!({
            "v": 1,
            "name": "get",
            "run": "get",
            "seed": 0,
            "targets": [target],
            "load": self.load(),
            "wake": self.wake,
            "receive_stamps": self.receive_stamps,
            "think": {"constant_ms": 0},
            "phases": {
                "ramp_ms": 0,
                "settle_ms": 0,
                "measure_ms": self.duration.as_secs_f64() * 1_000.0,
                "drain_ms": PATIENCE_MS,
            },
            "connections": match self.connection {
                Policy::Keep => "keep",
                Policy::PerRequest => "per-request",
            },
            "http": if self.http_1_0 { "1.0" } else { "1.1" },
            "cookies": "keep",
            "threads": self.threads,
            "timeouts_ms": {"connect": PATIENCE_MS, "response": PATIENCE_MS},
            "limits": {"header_bytes": HEADER_BYTES, "body_bytes": BODY_BYTES},
            "steps": [{
                "id": "get",
                "transaction": "get",
                "method": "GET",
                "path": path,
                "expect": {"status": 200, "marker": self.check.as_deref().map(address::plain)},
            }],
        })
    }

    fn load(&self) -> Value {
        match self.rate {
            None => json!({"model": "closed", "users": self.connections, "spread_ms": 0}),
            Some(rate) => json!({
                "model": "open",
                "arrivals": "constant",
                "unit": "requests",
                "rate": rate,
                "users": self.connections,
            }),
        }
    }

    /// Which responses count.
    #[must_use]
    pub fn counting(&self) -> Counting {
        if self.rate.is_some() { Counting::DueInTime } else { Counting::CompleteInTime }
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(duration) if duration.is_zero() => Err("nothing can be measured in no time".into()),
        Ok(duration) => Ok(duration),
        Err(error) => Err(format!("{error}; write it like 500ms, 10s or 1m")),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::workload::{Plan, Session};

    #[test]
    fn the_plan_of_get_can_be_run() {
        let mut options = Options {
            url: "http://127.0.0.1:8080/page".into(),
            connections: NonZeroU64::new(64).expect("not zero"),
            duration: Duration::from_millis(1_500),
            rate: None,
            connection: Policy::Keep,
            http_1_0: false,
            threads: NonZeroUsize::MIN,
            wake: None,
            receive_stamps: false,
            check: Some("costs ${5}".into()),
            json: false,
        };
        for rate in [None, Some(0.5)] {
            options.rate = rate;
            let plan = Plan::read(options.plan().to_string().as_bytes()).expect("a plan");
            let session = Session::new(plan).expect("a session");
            assert_eq!((session.users, session.levels[0].measure), (64, Duration::from_millis(1_500)));
        }
    }

    #[test]
    fn wake_ups_and_stamps_are_those_of_the_options() {
        #[derive(Parser)]
        struct Get {
            #[command(flatten)]
            options: Options,
        }
        let plan = |arguments: &[&str]| {
            let words = [&["get", "http://127.0.0.1:1/", "--rate", "5"], arguments].concat();
            let options = Get::try_parse_from(words).expect("options").options;
            Plan::read(options.plan().to_string().as_bytes()).expect("a plan")
        };
        let session = |options: &[&str]| {
            let session = Session::new(plan(options)).expect("a session");
            (session.wake_ups, session.transport.receive_stamps)
        };
        assert_eq!(session(&[]), (WakeUps::Exact, false));
        assert_eq!(session(&["--wake", "coalesced", "--receive-stamps"]), (WakeUps::Coalesced, true));
    }

    #[test]
    fn a_duration_has_a_unit_and_is_not_nothing() {
        assert_eq!(duration("1m"), Ok(Duration::from_secs(60)));
        for text in ["10", "0s", "soon"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
