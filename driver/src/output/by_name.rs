//! JSON objects whose keys come in the order of the session.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// Values by name.
#[derive(Clone, Debug)]
pub struct ByName<'a, T>(Vec<(Cow<'a, str>, T)>);

impl<T> ByName<'_, T> {
    /// The values.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|(_, value)| value)
    }

    /// The names with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }
}

impl<T> ByName<'static, T> {
    /// These values by these names.
    #[must_use]
    pub fn owned(entries: Vec<(Cow<'static, str>, T)>) -> Self {
        Self(entries)
    }
}

impl ByName<'_, u64> {
    /// The sum of these counts.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.values().sum()
    }
}

impl ByName<'static, u64> {
    /// Adds counts, by their names.
    pub fn add(&mut self, other: &ByName<'_, u64>) {
        for (name, count) in other.iter() {
            match self.0.iter_mut().find(|(known, _)| known == name) {
                Some((_, sum)) => *sum += count,
                None => self.0.push((Cow::Owned(name.to_owned()), *count)),
            }
        }
    }
}

impl<T> Default for ByName<'_, T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> FromIterator<(String, T)> for ByName<'static, T> {
    fn from_iter<I: IntoIterator<Item = (String, T)>>(entries: I) -> Self {
        Self(entries.into_iter().map(|(name, value)| (Cow::Owned(name), value)).collect())
    }
}

impl<'a, T> FromIterator<(&'a str, T)> for ByName<'a, T> {
    fn from_iter<I: IntoIterator<Item = (&'a str, T)>>(entries: I) -> Self {
        Self(entries.into_iter().map(|(name, value)| (Cow::Borrowed(name), value)).collect())
    }
}

impl<T: Serialize> Serialize for ByName<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for ByName<'_, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
            type Value = Vec<(Cow<'static, str>, T)>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, T>()? {
                    entries.push((Cow::Owned(name), value));
                }
                Ok(entries)
            }
        }

        deserializer.deserialize_map(Entries(PhantomData)).map(Self)
    }
}
