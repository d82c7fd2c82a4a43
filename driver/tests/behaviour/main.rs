//! What the driver does, seen from outside: the program plays plans against a small server on a free port.

mod authentication;
mod connections;
mod driver;
mod endless;
mod failures;
mod feeds;
mod garbage;
mod get;
mod hlog;
mod levels;
mod lines;
mod load;
mod nginx;
mod notes;
mod open_load;
mod page_objects;
mod redirects;
mod scripts;
mod self_audit;
mod server;
mod stamps;
mod stopping;
mod tickets;
mod tls;
mod unanswered;
mod wrong_plans;
