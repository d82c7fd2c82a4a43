//! Steps, groups of them and the scripts of a mix, as they stand in the plan.

use std::num::NonZeroU32;

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::plan::{Step, Think, once};
use super::quantity::{Probability, Weight};

/// One of the sessions of a mix.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// Its unique name.
    pub name: String,
    /// How often it is drawn, compared with the others.
    pub weight: Weight,
    /// Its default think time, if not the plan's.
    pub think: Option<Think>,
    /// What a user does.
    pub steps: Vec<Part>,
}

/// A step or a group of steps.
#[derive(Debug)]
pub enum Part {
    /// A step.
    Step(Box<Step>),
    /// A group.
    Group(Group),
}

/// Steps that are run or left out together.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// What runs, in its order.
    #[serde(rename = "group")]
    pub parts: Vec<Part>,
    /// How likely it runs.
    #[serde(default)]
    pub probability: Probability,
    /// How often it then runs.
    #[serde(default = "once")]
    pub repeat: NonZeroU32,
}

impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        if value.get("group").is_some() {
            within(value).map(Self::Group)
        } else {
            within(value).map(|step| Self::Step(Box::new(step)))
        }
    }
}

/// Reads what stands in `value`; an error names the key in it.
fn within<T: DeserializeOwned, E: Error>(value: Value) -> Result<T, E> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        if path == "." { E::custom(error.inner()) } else { E::custom(format!("{path}: {}", error.inner())) }
    })
}
