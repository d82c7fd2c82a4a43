//! Whether and how the sub-resources of a page (images, style sheets, icons, scripts) are fetched with it.

use serde::Deserialize;

use super::error::PlanError;

/// Most connections that browsers open to one host.
const MAX_CONNECTIONS: usize = 6;

/// How the sub-resources of a page are fetched.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubResources {
    /// Most connections at the same time, that of the page among them.
    #[serde(default = "max_connections")]
    pub connections: usize,
    /// What the browser remembers of them.
    pub cache: CacheLife,
}

/// How long the cache of a virtual user's browser lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CacheLife {
    /// There is none: every page fetches all its sub-resources, each once.
    None,
    /// Empty when the user starts.
    PerUser,
    /// Empty at the beginning of each iteration.
    PerIteration,
}

impl SubResources {
    /// Checks the number of connections.
    ///
    /// # Errors
    /// When there are none or more than a browser opens.
    pub fn check(self) -> Result<Self, PlanError> {
        if (1..=MAX_CONNECTIONS).contains(&self.connections) {
            return Ok(self);
        }
        let problem = format!("is {}; a browser opens from 1 to {MAX_CONNECTIONS}", self.connections);
        Err(PlanError::at("sub_resources.connections", problem))
    }
}

fn max_connections() -> usize {
    MAX_CONNECTIONS
}
