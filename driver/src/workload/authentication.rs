//! How a step proves who sends it (RFC 7617, RFC 6750).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::encoding::Encoding;
use super::plan;
use super::template::Template;
use super::variables::{Names, Variables};

/// Bytes that are encoded at once; a multiple of three, so that the parts can stand side by side.
const BLOCK: usize = 48;

/// What stands in `Authorization`.
#[derive(Clone, Debug)]
pub enum Authentication {
    /// User and password.
    Basic(Template, Template),
    /// A token.
    Bearer(Template),
}

impl Authentication {
    /// Reads what a plan says, with values that are all among `names`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(text: &plan::Authentication, names: &Names) -> Result<Self, String> {
        match text {
            plan::Authentication::Basic(user, password) => {
                let user = Template::read(user, names)?;
                if user.texts().any(|text| text.contains(':')) {
                    return Err("the user of `basic` holds a colon, which ends the user's name".into());
                }
                Ok(Self::Basic(user, Template::read(password, names)?))
            }
            plan::Authentication::Bearer(token) => Ok(Self::Bearer(Template::read(token, names)?)),
        }
    }

    /// The templates in it.
    pub fn templates(&self) -> impl Iterator<Item = &Template> {
        let (first, second) = match self {
            Self::Basic(user, password) => (user, Some(password)),
            Self::Bearer(token) => (token, None),
        };
        std::iter::once(first).chain(second)
    }

    /// Writes the header line.
    pub fn write(&self, values: &Variables, out: &mut Vec<u8>) {
        match self {
            Self::Bearer(token) => {
                out.extend_from_slice(b"Authorization: Bearer ");
                token.write(values, Encoding::HeaderValue, out);
            }
            Self::Basic(user, password) => {
                out.extend_from_slice(b"Authorization: Basic ");
                // Allocates: the credentials are encoded in a second step.
                let mut credentials = Vec::new();
                user.write(values, Encoding::Verbatim, &mut credentials);
                credentials.push(b':');
                password.write(values, Encoding::Verbatim, &mut credentials);
                let mut encoded = [0; BLOCK / 3 * 4];
                for block in credentials.chunks(BLOCK) {
                    // A block of 48 bytes fills 64 exactly.
                    let length = STANDARD.encode_slice(block, &mut encoded).unwrap_or_default();
                    out.extend_from_slice(&encoded[..length]);
                }
            }
        }
        out.extend_from_slice(b"\r\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(authentication: &str, value: &str) -> Result<String, String> {
        let mut names = Names::default();
        let uid = names.declare("uid", true);
        let mut values = names.values();
        values.renew(uid).push_str(value);
        let plan: plan::Authentication = serde_json::from_str(authentication).expect("an authentication");
        let mut out = Vec::new();
        Authentication::read(&plan, &names)?.write(&values, &mut out);
        Ok(String::from_utf8(out).expect("text"))
    }

    #[test]
    fn user_and_password_are_encoded_together() {
        // RFC 7617, section 2.
        let line = written(r#"{"basic":["${uid}","open sesame"]}"#, "Aladdin").expect("a line");
        assert_eq!(line, "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n");
        let long = "x".repeat(1_000);
        let line = written(r#"{"basic":["u","${uid}"]}"#, &long).expect("a line");
        let encoded = line.trim_end().trim_start_matches("Authorization: Basic ");
        assert_eq!(STANDARD.decode(encoded).expect("base64"), format!("u:{long}").into_bytes());
    }

    #[test]
    fn a_token_stands_as_it_is_and_cannot_end_the_line() {
        let line = written(r#"{"bearer":"t-${uid}"}"#, "7\r\nEvil: 1").expect("a line");
        assert_eq!(line, "Authorization: Bearer t-7  Evil: 1\r\n");
    }

    #[test]
    fn a_user_with_a_colon_is_refused() {
        assert!(written(r#"{"basic":["a:b","c"]}"#, "").unwrap_err().contains("colon"));
        assert!(written(r#"{"bearer":"${who}"}"#, "").unwrap_err().contains("${who}"));
    }
}
