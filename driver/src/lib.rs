//! The driver of Middlemark: plays one session with many simulated users and reports what it saw.
//!
//! `docs/reference/driver.md` is the contract: a plan goes in, lines come out. The parts do not know each other:
//! [`workload`] is what to play, [`pace`] when to send, [`connect`] how to connect, [`measure`] what to count,
//! [`output`] the lines. They meet in three places: [`exchange`] sends one request and receives its answer, [`user`]
//! plays iterations of steps, and [`run`] plays the plan with all its users. [`get`] is a plan and a reader of its lines
//! for one address.

pub mod browser;
pub mod connect;
pub mod event_loop;
pub mod exchange;
pub mod get;
pub mod measure;
pub mod output;
pub mod pace;
pub mod page;
pub mod run;
pub mod transaction;
pub mod user;
pub mod workload;
