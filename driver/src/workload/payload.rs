//! What a request carries.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::encoding::Encoding;
use super::plan;
use super::template::Template;
use super::variables::{Names, Variables};

/// Longest body: all of it is kept in memory, once for all users.
const MAX_BYTES: u64 = 100 << 20;

/// The payload of a step.
#[derive(Debug)]
pub enum Payload {
    /// A form; the names are encoded.
    Form(Vec<(String, Template)>),
    /// A text with values in it.
    Text(Template),
    /// Bytes that are always the same.
    Bytes(Arc<[u8]>),
}

impl Payload {
    /// The fields of a form.
    ///
    /// # Errors
    /// What is wrong with a template.
    pub fn form(fields: &[(String, String)], names: &Names) -> Result<Self, String> {
        let field = |(name, value): &(String, String)| {
            let mut encoded = Vec::new();
            Encoding::Form.write(name, &mut encoded);
            let value = Template::read(value, names)?.with_text_encoded(Encoding::Form);
            Ok((String::from_utf8_lossy(&encoded).into_owned(), value))
        };
        fields.iter().map(field).collect::<Result<_, _>>().map(Self::Form)
    }

    /// A body. A file is read now, and never again.
    ///
    /// # Errors
    /// What is wrong with it, and what to do.
    pub fn body(body: &plan::Body, names: &Names) -> Result<Self, String> {
        match body {
            plan::Body::Text(text) => Template::read(text, names).map(Self::Text),
            plan::Body::Base64 { base64 } => match STANDARD.decode(base64) {
                Ok(bytes) => Ok(Self::Bytes(bytes.into())),
                Err(error) => Err(format!("is not base64 ({error})")),
            },
            plan::Body::File { file } => read_file(file).map(Self::Bytes),
        }
    }

    /// Writes it; bytes are not written but sent from where they are, see [`Payload::bytes`].
    pub fn write(&self, values: &Variables, out: &mut Vec<u8>) {
        match self {
            Self::Bytes(_) => {}
            Self::Text(body) => body.write(values, Encoding::Verbatim, out),
            Self::Form(fields) => {
                for (number, (name, value)) in fields.iter().enumerate() {
                    if number > 0 {
                        out.push(b'&');
                    }
                    out.extend_from_slice(name.as_bytes());
                    out.push(b'=');
                    value.write(values, Encoding::Form, out);
                }
            }
        }
    }

    /// The bytes that are always the same.
    #[must_use]
    pub fn bytes(&self) -> Option<&Arc<[u8]>> {
        if let Self::Bytes(bytes) = self { Some(bytes) } else { None }
    }

    /// The templates in it.
    pub fn templates(&self) -> impl Iterator<Item = &Template> {
        let (fields, body) = match self {
            Self::Form(fields) => (fields.as_slice(), None),
            Self::Text(body) => (&[][..], Some(body)),
            Self::Bytes(_) => (&[][..], None),
        };
        fields.iter().map(|(_, value)| value).chain(body)
    }
}

fn read_file(file: &Path) -> Result<Arc<[u8]>, String> {
    let unreadable = |error| format!("{} cannot be read ({error})", file.display());
    let metadata = fs::metadata(file).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(format!("{} is not a file", file.display()));
    }
    if metadata.len() > MAX_BYTES {
        let mebibytes = MAX_BYTES >> 20;
        return Err(format!("{} is longer than {mebibytes} MiB; use a smaller file", file.display()));
    }
    fs::read(file).map(Arc::from).map_err(unreadable)
}
