//! *What* to count: failures, counts of an interval, the recorder of an event loop, and their sum over all loops.

pub mod calls;
pub mod clients;
pub mod collector;
pub mod counts;
pub mod failure;
pub mod handshakes;
pub mod histogram;
pub mod level_window;
pub mod network;
pub mod note;
pub mod processor;
pub mod recorder;
pub mod self_audit;
pub mod window;

pub use collector::Collector;
pub use counts::Counts;
pub use failure::{Failure, PerFailure, RequestOutcome};
pub use recorder::{CompleteResponse, LoopEnd, Record, Recorder, Report, Unanswered, WrongCheck};
