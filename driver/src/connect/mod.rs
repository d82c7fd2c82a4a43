//! *How* to connect: targets, connections, requests and answers as HTTP/1 writes them, cookies and
//! redirects; TLS.

pub mod answer;
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
pub mod page_objects;
pub mod references;
pub mod request;
pub mod security;
pub mod sending;
pub mod source;
pub mod source_set;
pub mod stream;
pub mod target;
pub mod tls;

pub use answer::{AnswerError, AnswerReader, Receiver};
pub use connection::{Connection, Inbox};
pub use cookies::CookieJar;
pub use dialer::Dialer;
pub use target::Target;
