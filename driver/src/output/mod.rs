//! The lines: what they look like and how they are written.

pub mod by_name;
pub mod hlog;
pub mod line;
pub mod line_file;
pub mod notebook;
pub mod records;
pub mod reporter;
pub mod self_audit_line;
pub mod writer;

pub use reporter::Reporter;
pub use writer::LineWriter;
