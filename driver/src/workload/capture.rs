//! What is taken from a response for later steps.

use memchr::memmem;
use regex::bytes::Regex;

use super::json_pointer::JsonPointer;
use super::plan;
use super::variables::Variable;

/// One thing to be taken.
#[derive(Debug)]
pub struct Capture {
    /// Where it goes.
    pub variable: Variable,
    /// Where it stands.
    pub source: Source,
}

/// Where a captured value stands.
#[derive(Debug)]
pub enum Source {
    /// In the body.
    Body(InBody),
    /// In the header line of this name.
    Header(String),
    /// In the cookie of this name that the user has after the response.
    Cookie(String),
}

/// How a value is found in a body.
#[derive(Debug)]
pub enum InBody {
    /// First group of a regular expression.
    Regex(Regex),
    /// Between two texts.
    Between(String, String),
    /// At a JSON pointer.
    Json(JsonPointer),
}

impl Source {
    /// Checks the capture of a plan.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn new(capture: &plan::Capture) -> Result<Self, String> {
        match (&capture.regex, &capture.between, &capture.json, &capture.header, &capture.cookie) {
            (Some(regex), None, None, None, None) => {
                let regex = Regex::new(regex).map_err(|error| format!("`regex` cannot be read: {error}"))?;
                if regex.captures_len() < 2 {
                    return Err("`regex` has no group; put what is to be captured in parentheses".into());
                }
                Ok(Self::Body(InBody::Regex(regex)))
            }
            (None, Some((left, right)), None, None, None) => {
                if left.is_empty() || right.is_empty() {
                    return Err("`between` needs two texts that are not empty".into());
                }
                Ok(Self::Body(InBody::Between(left.clone(), right.clone())))
            }
            (None, None, Some(pointer), None, None) => {
                Ok(Self::Body(InBody::Json(JsonPointer::read(pointer)?)))
            }
            (None, None, None, Some(name), None) => Ok(Self::Header(name.clone())),
            (None, None, None, None, Some(name)) => Ok(Self::Cookie(name.clone())),
            _ => Err("needs exactly one of `regex`, `between`, `json`, `header` and `cookie`".into()),
        }
    }
}

impl InBody {
    /// Writes the value found in `body` into `out`, which is empty. False when there is none.
    pub fn find(&self, body: &[u8], out: &mut String) -> bool {
        match self {
            Self::Regex(regex) => {
                let group = regex.captures(body).and_then(|groups| groups.get(1));
                group.map(|group| out.push_str(&String::from_utf8_lossy(group.as_bytes()))).is_some()
            }
            Self::Between(left, right) => {
                let found = between(body, left.as_bytes(), right.as_bytes());
                found.map(|found| out.push_str(&String::from_utf8_lossy(found))).is_some()
            }
            Self::Json(pointer) => pointer.find(body, out),
        }
    }
}

fn between<'a>(body: &'a [u8], left: &[u8], right: &[u8]) -> Option<&'a [u8]> {
    let after = &body[memmem::find(body, left)? + left.len()..];
    Some(&after[..memmem::find(after, right)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(capture: &str, body: &str) -> Option<String> {
        let capture: plan::Capture = serde_json::from_str(capture).expect("a capture");
        let Source::Body(source) = Source::new(&capture).expect("a source") else { panic!("a header") };
        let mut out = String::new();
        source.find(body.as_bytes(), &mut out).then_some(out)
    }

    #[test]
    fn a_value_is_found_by_group_by_its_neighbours_or_by_pointer() {
        let regex = r#"{"name":"x","regex":"order (\\d+)"}"#;
        assert_eq!(found(regex, "your order 17 is placed").as_deref(), Some("17"));
        assert_eq!(found(regex, "no order"), None);
        let between = r#"{"name":"x","between":["<b>","</b>"]}"#;
        assert_eq!(found(between, "a<b>1</b><b>2</b>").as_deref(), Some("1"));
        assert_eq!(found(between, "a<b>1"), None);
        let json = r#"{"name":"x","json":"/a/1"}"#;
        assert_eq!(found(json, r#"{"a":[1,"two"]}"#).as_deref(), Some("two"));
        assert_eq!(found(json, r#"{"a":[1,2.5]}"#).as_deref(), Some("2.5"));
        assert_eq!(found(json, r#"{"a":[1,null]}"#), None);
        assert_eq!(found(json, "<html>"), None);
    }

    #[test]
    fn captures_that_can_find_nothing_are_refused() {
        for capture in [
            r#"{"name":"x"}"#,
            r#"{"name":"x","regex":"a","json":"/a"}"#,
            r#"{"name":"x","regex":"a"}"#,
            r#"{"name":"x","regex":"("}"#,
            r#"{"name":"x","json":"a"}"#,
            r#"{"name":"x","between":["","b"]}"#,
            r#"{"name":"x","header":"a","cookie":"a"}"#,
        ] {
            let read: plan::Capture = serde_json::from_str(capture).expect("a capture");
            assert!(Source::new(&read).is_err(), "{capture}");
        }
    }
}
