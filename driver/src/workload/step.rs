//! A step, ready to be run.

use super::authentication::Authentication;
use super::calls::Calls;
use super::capture::{Capture, Source};
use super::encoding::Encoding;
use super::error::PlanError;
use super::feed::Feed;
use super::payload::Payload;
use super::plan::{self, Method, Per};
use super::quantity::Probability;
use super::target_lists::{TargetList, TargetLists};
use super::template::Template;
use super::think::ThinkTime;
use super::variables::{Names, Scope, Variable, Variables};

/// Header lines that the driver writes itself.
const OWN_HEADERS: [&str; 7] =
    ["host", "content-length", "transfer-encoding", "connection", "cookie", "expect", "upgrade"];

/// Header lines of a step that a browser sends for the sub-resources of its page too.
const SUB_RESOURCE_HEADERS: [&str; 3] = ["user-agent", "accept-language", "authorization"];

/// A step of the session.
#[derive(Debug)]
pub struct Step {
    /// Its unique name.
    pub id: String,
    /// Index of the transaction it is counted under.
    pub transaction: usize,
    /// The method.
    pub method: Method,
    /// Where it goes.
    pub targets: TargetList,
    /// What the last response must be.
    pub expect: Expect,
    /// What is taken from the last response.
    pub captures: Vec<Capture>,
    /// Think time after the step, if not the default.
    pub think: Option<ThinkTime>,
    /// How likely it runs.
    pub probability: f64,
    /// How often it runs.
    pub repeat: u32,
    /// How likely the user leaves after it.
    pub abandon: f64,
    /// Variables whose values stand in `unanswered`.
    pub identify: Vec<Variable>,
    /// Indices of the feeds it names that are drawn anew for it.
    pub feeds: Vec<usize>,
    /// The calls that its response reports: then these are its transactions.
    pub calls: Option<Calls>,
    path: Template,
    headers: Vec<(String, Template)>,
    authentication: Option<Authentication>,
    payload: Option<Payload>,
}

/// What the last response must be.
#[derive(Debug)]
pub struct Expect {
    /// Its status.
    pub status: u16,
    /// Texts in its body.
    pub markers: Vec<Template>,
    /// Bytes of its body.
    pub length: Option<Length>,
    /// The path at which the redirects ended.
    pub path: Option<Template>,
}

/// How many bytes a body must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// Always so many.
    Bytes(u64),
    /// As many as the value of this variable says.
    Value(Variable),
}

impl Length {
    /// The number; nothing when the value is not one.
    #[must_use]
    pub fn bytes(self, values: &Variables) -> Option<u64> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            Self::Value(variable) => values.get(variable).parse().ok(),
        }
    }
}

impl Step {
    /// Writes path and query.
    pub fn write_path(&self, values: &Variables, out: &mut Vec<u8>) {
        self.path.write(values, Encoding::Percent, out);
    }

    /// Writes the header lines, for a request with or without a payload.
    pub fn write_headers(&self, values: &Variables, with_payload: bool, out: &mut Vec<u8>) {
        for (name, value) in &self.headers {
            if with_payload || !name.eq_ignore_ascii_case("content-type") {
                out.extend_from_slice(name.as_bytes());
                out.extend_from_slice(b": ");
                value.write(values, Encoding::HeaderValue, out);
                out.extend_from_slice(b"\r\n");
            }
        }
        if let Some(authentication) = &self.authentication {
            authentication.write(values, out);
        }
    }

    /// Writes the header lines with which the sub-resources of its page are asked for.
    pub fn write_sub_resource_headers(&self, values: &Variables, out: &mut Vec<u8>) {
        for (name, value) in &self.headers {
            if SUB_RESOURCE_HEADERS.iter().any(|known| name.eq_ignore_ascii_case(known)) {
                out.extend_from_slice(name.as_bytes());
                out.extend_from_slice(b": ");
                value.write(values, Encoding::HeaderValue, out);
                out.extend_from_slice(b"\r\n");
            }
        }
        out.extend_from_slice(b"Accept: */*\r\n");
        if let Some(authentication) = &self.authentication {
            authentication.write(values, out);
        }
    }

    /// What it carries.
    #[must_use]
    pub fn payload(&self) -> Option<&Payload> {
        self.payload.as_ref()
    }
}

/// Makes steps of a plan, one after the other: a step may use what the ones before it capture.
#[derive(Debug)]
pub struct StepReader<'a> {
    names: &'a mut Names,
    feeds: &'a [Feed],
    targets: &'a TargetLists,
    authentication: Option<&'a plan::Authentication>,
    place: String,
}

impl<'a> StepReader<'a> {
    /// A reader that knows these feeds and targets; `authentication` is of every step that has none of its own.
    pub fn new(
        names: &'a mut Names,
        feeds: &'a [Feed],
        targets: &'a TargetLists,
        authentication: Option<&'a plan::Authentication>,
    ) -> Self {
        Self { names, feeds, targets, authentication, place: String::new() }
    }

    /// Checks one step of a plan, declares what it captures, and adds the `outcomes` of its calls to those known.
    ///
    /// # Errors
    /// [`PlanError`] naming the step and the key.
    pub fn read(
        &mut self,
        step: &plan::Step,
        transaction: usize,
        outcomes: &mut Vec<String>,
    ) -> Result<Step, PlanError> {
        self.place = format!("step `{}`", step.id);
        self.check_head(step)?;
        let expect = Expect {
            status: self.status(step.expect.status)?,
            markers: self.markers(step)?,
            length: self.length(step)?,
            path: self.optional("expect.path", step.expect.path.as_deref())?,
        };
        let mut read = Step {
            id: step.id.clone(),
            transaction,
            method: step.method,
            targets: self.targets(step)?,
            expect,
            captures: Vec::new(),
            think: step
                .think
                .map(|think| ThinkTime::new(think, &format!("{}: think", self.place)))
                .transpose()?,
            probability: step.probability.value(),
            repeat: step.repeat.get(),
            abandon: step.abandon.value(),
            identify: self.identify(step.identify.as_deref().unwrap_or_default())?,
            feeds: Vec::new(),
            calls: step
                .calls
                .as_ref()
                .map(|calls| Calls::new(step, calls, outcomes))
                .transpose()
                .map_err(|(key, problem)| self.error(key, problem))?,
            path: self.path(&step.path)?,
            headers: self.headers(step)?,
            authentication: self.authentication(step)?,
            payload: self.payload(step)?,
        };
        read.feeds = self.feeds_of(&read);
        read.captures = self.captures(step)?;
        Ok(read)
    }

    /// The captures known so far.
    #[must_use]
    pub fn scope(&self) -> Scope {
        self.names.scope()
    }

    /// Forgets what was captured since `before`: what follows may be run without it.
    pub fn leave(&mut self, before: &Scope) {
        self.names.leave(before);
    }

    fn error(&self, key: &str, problem: impl Into<String>) -> PlanError {
        PlanError::at(format!("{}: {key}", self.place), problem)
    }

    fn template(&self, key: &str, text: &str) -> Result<Template, PlanError> {
        Template::read(text, self.names).map_err(|problem| self.error(key, problem))
    }

    fn optional(&self, key: &str, text: Option<&str>) -> Result<Option<Template>, PlanError> {
        text.map(|text| self.template(key, text)).transpose()
    }

    fn targets(&self, step: &plan::Step) -> Result<TargetList, PlanError> {
        self.targets.find(step.target.as_deref()).map_err(|(key, problem)| {
            if step.target.is_none() { PlanError::at(key, problem) } else { self.error(key, problem) }
        })
    }

    fn markers(&self, step: &plan::Step) -> Result<Vec<Template>, PlanError> {
        let markers = step.expect.marker.as_ref().map_or(&[][..], plan::Markers::templates);
        markers.iter().map(|marker| self.template("expect.marker", marker)).collect()
    }

    fn length(&self, step: &plan::Step) -> Result<Option<Length>, PlanError> {
        let text = match &step.expect.length {
            None => return Ok(None),
            Some(plan::Length::Bytes(bytes)) => return Ok(Some(Length::Bytes(*bytes))),
            Some(plan::Length::Value(text)) => text,
        };
        let template = self.template("expect.length", text)?;
        let mut names = template.variables();
        match (names.next(), names.next(), template.texts().next()) {
            (Some(variable), None, None) => Ok(Some(Length::Value(variable))),
            _ => Err(self
                .error("expect.length", format!("`{text}` is neither a number nor one `${{name}}` alone"))),
        }
    }

    fn status(&self, status: u16) -> Result<u16, PlanError> {
        if (200..1_000).contains(&status) {
            Ok(status)
        } else {
            Err(self.error("expect.status", format!("{status} is not a status from 200 to 999")))
        }
    }

    fn check_head(&self, step: &plan::Step) -> Result<(), PlanError> {
        let expects_body = step.expect.marker.is_some() || step.expect.length.is_some();
        let looks_at_body = expects_body || step.capture.iter().flatten().any(plan::Capture::looks_at_body);
        if step.method == Method::Head && looks_at_body {
            return Err(self.error("method", "the response to a HEAD has no body in which to look; use GET"));
        }
        Ok(())
    }

    fn path(&self, text: &str) -> Result<Template, PlanError> {
        if !text.starts_with('/') {
            return Err(self.error("path", format!("`{text}` does not start with `/`")));
        }
        let path = self.template("path", text)?;
        let is_wrong = |character: &char| !character.is_ascii_graphic() || *character == '#';
        if let Some(character) = path.texts().flat_map(str::chars).find(is_wrong) {
            return Err(self.error("path", format!("holds {character:?}; write it percent-encoded")));
        }
        Ok(path)
    }

    fn headers(&self, step: &plan::Step) -> Result<Vec<(String, Template)>, PlanError> {
        let mut headers = Vec::new();
        for (name, value) in step.headers.iter().flatten() {
            let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
            if name.is_empty() || !name.bytes().all(is_token) {
                return Err(self.error("headers", format!("`{name}` is not a header's name")));
            }
            if OWN_HEADERS.contains(&name.to_ascii_lowercase().as_str()) {
                return Err(
                    self.error("headers", format!("`{name}` is written by the driver itself; remove it"))
                );
            }
            let value = self.template("headers", value)?;
            if value.texts().any(|text| text.contains(|character: char| character.is_control())) {
                return Err(self.error("headers", format!("the value of `{name}` holds a control character")));
            }
            headers.push((name.clone(), value));
        }
        let mut defaults = vec![("User-Agent", "middlemark-driver"), ("Accept", "*/*")];
        if step.form.is_some() {
            defaults.push(("Content-Type", "application/x-www-form-urlencoded"));
        }
        for (name, value) in defaults {
            if !headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name)) {
                headers.push((name.into(), self.template("headers", value)?));
            }
        }
        Ok(headers)
    }

    fn authentication(&self, step: &plan::Step) -> Result<Option<Authentication>, PlanError> {
        let is_authorization = |(name, _): &(String, String)| name.eq_ignore_ascii_case("authorization");
        let has_header = step.headers.iter().flatten().any(is_authorization);
        if has_header && step.authentication.is_some() {
            return Err(self.error("authentication", "`headers` holds `Authorization` already; remove one"));
        }
        // A header line of the step's own goes before what the plan says for all.
        let given = step.authentication.as_ref().or(self.authentication.filter(|_| !has_header));
        let read = |given| Authentication::read(given, self.names);
        given.map(read).transpose().map_err(|problem| self.error("authentication", problem))
    }

    fn payload(&self, step: &plan::Step) -> Result<Option<Payload>, PlanError> {
        match (step.method, &step.form, &step.body) {
            (_, None, None) => Ok(None),
            (Method::Get | Method::Head, _, _) => {
                Err(self.error("method", "a GET or HEAD carries no `form` and no `body`; use POST"))
            }
            (_, Some(_), Some(_)) => Err(self.error("form", "a step has `form` or `body`, not both")),
            (_, None, Some(body)) => {
                Payload::body(body, self.names).map(Some).map_err(|problem| self.error("body", problem))
            }
            (_, Some(form), None) => {
                Payload::form(form, self.names).map(Some).map_err(|problem| self.error("form", problem))
            }
        }
    }

    fn identify(&self, identify: &[String]) -> Result<Vec<Variable>, PlanError> {
        let find = |name: &String| {
            self.names.find(name).ok_or_else(|| {
                self.error("identify", format!("`{name}` is neither a feed nor captured by an earlier step"))
            })
        };
        identify.iter().map(find).collect()
    }

    fn feeds_of(&self, step: &Step) -> Vec<usize> {
        let payload = step.payload.iter().flat_map(Payload::templates);
        let headers = step.headers.iter().map(|(_, value)| value);
        let templates =
            headers.chain(&step.expect.markers).chain(&step.expect.path).chain(payload).chain([&step.path]);
        let templates = templates.chain(step.authentication.iter().flat_map(Authentication::templates));
        let length = step.expect.length.and_then(|length| match length {
            Length::Bytes(_) => None,
            Length::Value(variable) => Some(variable),
        });
        let others = step.identify.iter().copied().chain(length);
        let named: Vec<Variable> = templates.flat_map(Template::variables).chain(others).collect();
        let drawn = |feed: &Feed| feed.per == Per::Step && feed.variables().any(|name| named.contains(&name));
        (0..self.feeds.len()).filter(|&index| drawn(&self.feeds[index])).collect()
    }

    fn captures(&mut self, step: &plan::Step) -> Result<Vec<Capture>, PlanError> {
        let mut captures = Vec::new();
        for capture in step.capture.iter().flatten() {
            let key = format!("capture `{}`", capture.name);
            let source = Source::new(capture).map_err(|problem| self.error(&key, problem))?;
            if self
                .names
                .find(&capture.name)
                .is_some_and(|name| self.feeds.iter().any(|feed| feed.variables().any(|its| its == name)))
            {
                return Err(self.error(&key, "a feed has this name; rename one"));
            }
            captures.push(Capture {
                variable: self.names.declare(&capture.name, step.probability >= Probability::CERTAIN),
                source,
            });
        }
        Ok(captures)
    }
}
