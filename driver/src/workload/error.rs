//! What can be wrong with a plan. Each message says where, what, and what to do.

use thiserror::Error;

/// A plan that cannot be run.
#[derive(Debug, Error)]
pub enum PlanError {
    /// Not a plan: bad JSON, an unknown key, a wrong type, a key that is missing.
    #[error("{path}: {error}")]
    Format {
        /// The key, as in `steps[2].method`.
        path: String,
        /// What the reader says, with line and column.
        error: serde_json::Error,
    },
    /// Another version of the plan.
    #[error("v: this driver runs plans of version 1, not {0}; use the driver that belongs to the plan")]
    Version(serde_json::Value),
    /// A load model of a later version.
    #[error("load.model: unknown model {0}; this version runs `closed` and `open`")]
    Model(serde_json::Value),
    /// A value that makes no sense where it stands.
    #[error("{place}: {problem}")]
    Value {
        /// The key.
        place: String,
        /// What is wrong and what to write instead.
        problem: String,
    },
}

impl PlanError {
    /// An error about the value at `place`.
    pub fn at(place: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Value { place: place.into(), problem: problem.into() }
    }
}
