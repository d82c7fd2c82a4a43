//! Finds the value at a JSON pointer (RFC 6901) while the text is read: no tree is built, which could take many times the
//! memory of the text.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

/// A pointer, ready to be followed.
#[derive(Debug)]
pub struct JsonPointer(Vec<String>);

impl JsonPointer {
    /// Reads a pointer: empty, or `/` before each key or index.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(text: &str) -> Result<Self, String> {
        let Some(keys) = text.strip_prefix('/') else {
            return if text.is_empty() {
                Ok(Self(Vec::new()))
            } else {
                Err(format!("`json` is `{text}`; a JSON pointer starts with `/`"))
            };
        };
        Ok(Self(keys.split('/').map(|key| key.replace("~1", "/").replace("~0", "~")).collect()))
    }

    /// Writes the text, number or boolean it points at into `out`, which is empty. False when there is none, or when
    /// `body` is not JSON.
    pub fn find(&self, body: &[u8], out: &mut String) -> bool {
        let mut reader = serde_json::Deserializer::from_slice(body);
        let found = Step { keys: &self.0, out }.deserialize(&mut reader);
        let found = found.and_then(|found| reader.end().map(|()| found)).unwrap_or(false);
        if !found {
            out.clear();
        }
        found
    }
}

/// The rest of the way, from the value that comes next. Whether a value was found at its end.
struct Step<'a> {
    keys: &'a [String],
    out: &'a mut String,
}

impl Step<'_> {
    /// The end of the way is a text, number or boolean.
    fn arrive(self, value: fmt::Arguments<'_>) -> bool {
        if self.keys.is_empty() {
            // Writing to a string does not fail.
            let _ = fmt::write(self.out, value);
        }
        self.keys.is_empty()
    }
}

impl<'de> DeserializeSeed<'de> for Step<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<bool, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Step<'_> {
    type Value = bool;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<bool, A::Error> {
        let next = self.keys.split_first();
        let mut found = false;
        while let Some(is_next) = map.next_key_seed(IsKey(next.map(|(key, _)| key.as_str())))? {
            match next {
                // Of equal keys the last one counts.
                Some((_, rest)) if is_next => {
                    self.out.clear();
                    found = map.next_value_seed(Step { keys: rest, out: &mut *self.out })?;
                }
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(found)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<bool, A::Error> {
        let next = self.keys.split_first().and_then(|(key, rest)| Some((index(key)?, rest)));
        let mut found = false;
        for place in 0.. {
            match next {
                Some((wanted, rest)) if wanted == place => {
                    match list.next_element_seed(Step { keys: rest, out: &mut *self.out })? {
                        Some(response) => found = response,
                        None => break,
                    }
                }
                _ if list.next_element::<IgnoredAny>()?.is_none() => break,
                _ => {}
            }
        }
        Ok(found)
    }

    fn visit_str<E>(self, text: &str) -> Result<bool, E> {
        Ok(self.arrive(format_args!("{text}")))
    }

    fn visit_bool<E>(self, value: bool) -> Result<bool, E> {
        Ok(self.arrive(format_args!("{value}")))
    }

    fn visit_u64<E>(self, number: u64) -> Result<bool, E> {
        Ok(self.arrive(format_args!("{number}")))
    }

    fn visit_i64<E>(self, number: i64) -> Result<bool, E> {
        Ok(self.arrive(format_args!("{number}")))
    }

    fn visit_f64<E>(self, number: f64) -> Result<bool, E> {
        match Number::from_f64(number) {
            Some(number) => Ok(self.arrive(format_args!("{number}"))),
            None => Ok(false),
        }
    }

    fn visit_unit<E>(self) -> Result<bool, E> {
        Ok(false)
    }
}

/// Compares the key that comes next.
struct IsKey<'a>(Option<&'a str>);

impl<'de> DeserializeSeed<'de> for IsKey<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<bool, D::Error> {
        reader.deserialize_str(self)
    }
}

impl Visitor<'_> for IsKey<'_> {
    type Value = bool;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<bool, E> {
        Ok(self.0 == Some(key))
    }
}

/// RFC 6901, section 4: digits without a zero in front.
fn index(key: &str) -> Option<usize> {
    let is_index = key == "0" || (!key.starts_with('0') && key.bytes().all(|byte| byte.is_ascii_digit()));
    if is_index { key.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pointer: &str, body: &str) -> Option<String> {
        let mut out = String::new();
        let pointer = JsonPointer::read(pointer).expect("a pointer");
        pointer.find(body.as_bytes(), &mut out).then_some(out)
    }

    #[test]
    fn it_finds_what_a_tree_would_hold() {
        let body =
            r#"{"a":[1,"tw\u006f",{"b/c":{"~":-7}},[]],"":true,"x":1,"x":{"y":2.50},"z":1e3,"n":null}"#;
        let tree: serde_json::Value = serde_json::from_str(body).expect("JSON");
        for pointer in [
            "/a/0",
            "/a/1",
            "/a/2/b~1c/~0",
            "/",
            "/x",
            "/x/y",
            "/z",
            "/n",
            "/a",
            "",
            "/a/4",
            "/a/-",
            "/a/00",
            "/a/01",
            "/a/+1",
            "/a/3/0",
            "/nothing",
            "/a/0/0",
            "/x/y/z",
            "/A",
        ] {
            let expected = match tree.pointer(pointer) {
                Some(serde_json::Value::String(text)) => Some(text.clone()),
                Some(scalar) if scalar.is_number() || scalar.is_boolean() => Some(scalar.to_string()),
                _ => None,
            };
            assert_eq!(found(pointer, body), expected, "{pointer}");
        }
        assert_eq!(found("/a/2/b~1c/~0", body).as_deref(), Some("-7"));
        assert_eq!(found("", "\"text\"").as_deref(), Some("text"));
    }

    #[test]
    fn what_is_not_json_to_its_end_holds_nothing() {
        for body in ["", "<html>", "{\"a\":1", "{\"a\":1} x", "{\"a\":1}}", "{\"a\":1,}", "[1"] {
            assert_eq!(found("/a", body), None, "{body}");
        }
        let deep = "[".repeat(100_000);
        assert_eq!(found("/0/0", &deep), None);
    }
}
