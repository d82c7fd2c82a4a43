//! A step and what belongs to it, as the plan file names them.

use std::num::NonZeroU32;
use std::path::PathBuf;

use serde::Deserialize;

use super::Think;
use crate::workload::quantity::Probability;

/// A step of the session.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Its unique name.
    pub id: String,
    /// The name it is counted under.
    pub transaction: String,
    /// The method.
    pub method: Method,
    /// Name of the targets it goes to, if not to those without one.
    pub target: Option<String>,
    /// Template of path and query.
    pub path: String,
    /// Names and templates of a form.
    pub form: Option<Vec<(String, String)>>,
    /// The body.
    pub body: Option<Body>,
    /// Names and templates of header lines.
    #[serde(default)]
    pub headers: Option<Vec<(String, String)>>,
    /// How it proves who sends it.
    pub authentication: Option<Authentication>,
    /// What the last response must be.
    pub expect: Expect,
    /// What to take from the last response.
    #[serde(default)]
    pub capture: Option<Vec<Capture>>,
    /// Think time after the step.
    pub think: Option<Think>,
    /// How likely the step runs.
    #[serde(default)]
    pub probability: Probability,
    /// How often it runs.
    #[serde(default = "once")]
    pub repeat: NonZeroU32,
    /// How likely the user leaves after it.
    #[serde(default = "never")]
    pub abandon: Probability,
    /// Names whose values stand in `unanswered`.
    #[serde(default)]
    pub identify: Option<Vec<String>>,
    /// Calls that its response reports, if it does.
    pub calls: Option<Calls>,
}

/// Calls that the application makes itself and reports in the body of a response.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calls {
    /// Names of their outcomes: the first is that of outcome 1.
    #[serde(default)]
    pub outcomes: Vec<String>,
    /// The name of the id of what a call stored.
    pub identify: Option<String>,
}

/// How a step proves who sends it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Authentication {
    /// Templates of user and password.
    Basic(String, String),
    /// Template of a token.
    Bearer(String),
}

/// A method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Method {
    /// GET.
    Get,
    /// HEAD.
    Head,
    /// POST.
    Post,
    /// PUT.
    Put,
    /// PATCH.
    Patch,
    /// DELETE.
    Delete,
}

impl Method {
    /// The word in a request.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

/// A body.
#[derive(Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Body {
    /// A template.
    Text(String),
    /// The bytes of a file.
    File {
        /// Its path.
        file: PathBuf,
    },
    /// Bytes.
    Base64 {
        /// Them in base64, with padding.
        base64: String,
    },
}

/// What the last response must be.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// Its status.
    pub status: u16,
    /// Templates of texts that its body holds.
    pub marker: Option<Markers>,
    /// Bytes of its body.
    pub length: Option<Length>,
    /// Template of the path at which the redirects ended.
    pub path: Option<String>,
}

/// How many bytes a body has.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Length {
    /// Always so many.
    Bytes(u64),
    /// As many as a value says: `${name}`.
    Value(String),
}

/// Texts of which each must be there.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Markers {
    /// One.
    One(String),
    /// Several, in whatever order they come.
    Several(Vec<String>),
}

impl Markers {
    /// All of them.
    #[must_use]
    pub fn templates(&self) -> &[String] {
        match self {
            Self::One(marker) => std::slice::from_ref(marker),
            Self::Several(markers) => markers,
        }
    }
}

/// Something to take from a response; exactly one way to find it is there.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capture {
    /// Its name in templates.
    pub name: String,
    /// First group of a regular expression in the body.
    pub regex: Option<String>,
    /// What stands between two texts in the body.
    pub between: Option<(String, String)>,
    /// JSON pointer into the body.
    pub json: Option<String>,
    /// Name of a header line.
    pub header: Option<String>,
    /// Name of a cookie.
    pub cookie: Option<String>,
}

impl Capture {
    /// Whether it is found in the body.
    #[must_use]
    pub fn looks_at_body(&self) -> bool {
        self.header.is_none() && self.cookie.is_none()
    }
}

fn never() -> Probability {
    Probability::NEVER
}

/// The default of `repeat`.
pub(in crate::workload) fn once() -> NonZeroU32 {
    NonZeroU32::MIN
}
