//! Numbers of the plan that are not just numbers.

use std::time::Duration;

use serde::Deserialize;

/// The longest duration of a plan: a year.
const LONGEST_MS: f64 = 365.0 * 86_400_000.0;

/// A duration written in milliseconds, fractions allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Deserialize)]
#[serde(try_from = "f64")]
pub struct Milliseconds(Duration);

impl Milliseconds {
    /// The duration.
    #[must_use]
    pub fn duration(self) -> Duration {
        self.0
    }
}

impl TryFrom<f64> for Milliseconds {
    type Error = String;

    fn try_from(milliseconds: f64) -> Result<Self, String> {
        if (0.0..=LONGEST_MS).contains(&milliseconds) {
            Ok(Self(Duration::from_secs_f64(milliseconds / 1_000.0)))
        } else {
            Err(format!("{milliseconds} is not a duration in milliseconds from 0 to a year"))
        }
    }
}

/// How often something is drawn, compared with others.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Deserialize)]
#[serde(try_from = "f64")]
pub struct Weight(f64);

impl Weight {
    /// That of what stands alone.
    pub const ONE: Self = Self(1.0);

    /// The number above 0.
    #[must_use]
    pub fn value(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Weight {
    type Error = String;

    fn try_from(value: f64) -> Result<Self, String> {
        if value > 0.0 && value <= 1e9 {
            Ok(Self(value))
        } else {
            Err(format!("{value} is not a weight above 0, at most 1e9"))
        }
    }
}

/// A probability.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Deserialize)]
#[serde(try_from = "f64")]
pub struct Probability(f64);

impl Probability {
    /// It happens.
    pub const CERTAIN: Self = Self(1.0);
    /// It does not.
    pub const NEVER: Self = Self(0.0);

    /// The number from 0 to 1.
    #[must_use]
    pub fn value(self) -> f64 {
        self.0
    }
}

impl Default for Probability {
    fn default() -> Self {
        Self::CERTAIN
    }
}

impl TryFrom<f64> for Probability {
    type Error = String;

    fn try_from(value: f64) -> Result<Self, String> {
        if (0.0..=1.0).contains(&value) {
            Ok(Self(value))
        } else {
            Err(format!("{value} is not a probability from 0 to 1"))
        }
    }
}
