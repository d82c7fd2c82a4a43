//! *How* to connect: targets, connections, requests and responses as HTTP/1 writes them, cookies and
//! redirects; TLS.

pub mod cache;
pub mod chunked;
pub mod connection;
pub mod cookie_date;
pub mod cookies;
pub mod dialer;
pub mod entities;
pub mod framing;
pub mod inflate;
pub mod location;
pub mod open_files;
pub mod references;
pub mod repair;
pub mod request;
pub mod response;
pub mod security;
pub mod sending;
pub mod source;
pub mod source_set;
pub mod stream;
pub mod sub_resources;
pub mod target;
pub mod tls;

pub use connection::{Connection, Inbox};
pub use cookies::CookieJar;
pub use dialer::Dialer;
pub use response::{Receiver, ResponseError, ResponseReader};
pub use target::Target;
