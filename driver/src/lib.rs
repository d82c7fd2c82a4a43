//! The driver of Middlemark: runs one session with many virtual users and reports what it saw.
//!
//! `docs/reference/driver.md` is the contract: a plan goes in, lines come out. [`pace`] is when to send, [`workload`] what
//! to run, [`connect`] how to connect, [`measure`] what to count, [`output`] the lines. A request goes through [`exchange`],
//! which sends it and receives its response, [`browser`], which keeps connections and cookies and fetches the
//! [`sub_resources`] of pages, [`transaction`], one step with its redirects, and [`user`], iterations of steps; what they
//! share is the [`context`] of their [`event_loop`]. [`run`] runs the plan with all its users, [`get`] is a plan and a reader of its lines for one
//! address, [`merge`] makes the lines of drivers that shared a load those of one. Who may know whom stands in
//! `tests/parts.rs`, and is checked there.

// They panic where nobody reads any more.
#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod browser;
pub mod connect;
pub mod context;
pub mod event_loop;
pub mod exchange;
pub mod get;
pub mod measure;
pub mod merge;
pub mod output;
pub mod pace;
pub mod run;
pub mod sub_resources;
pub mod transaction;
pub mod user;
pub mod visitors;
pub mod workload;
