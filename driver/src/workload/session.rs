//! The session: a plan that was checked and can be run.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use super::alias::AliasTable;
use super::error::PlanError;
use super::feed::Feed;
use super::load::{Course, Load};
use super::plan::{Limits, Model, Per, PerIteration, Plan, Unit};
use super::quantity::Milliseconds;
use super::script::{Script, Scripts};
use super::share::Share;
use super::step::Step;
use super::sub_resources::SubResources;
use super::target_lists::TargetLists;
use super::think::ThinkTime;
use super::transport::Transport;
use super::variables::Names;
use crate::pace::timetable::{LevelLengths, SECOND};
use crate::pace::{Start, WakeUps};

/// The longest interval: the lines of a run should still show its course.
const LONGEST_INTERVAL: Duration = Duration::from_secs(60);

/// A wall clock that is a day off is not one to begin by.
const FARTHEST_CLOCK_MS: f64 = 86_400_000.0;

/// Everything a user needs to know to run.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "keys of the plan, each true or false there")]
pub struct Session {
    /// Name of the session.
    pub name: String,
    /// Text that differs between runs.
    pub run: String,
    /// Seed of all draws.
    pub seed: u64,
    /// Number of users of the whole load; in the open model the most at the same time.
    pub users: u64,
    /// Which part of the load this driver runs.
    pub share: Share,
    /// When the first ramp begins; at once without it.
    pub start: Option<Start>,
    /// How far this host's wall clock is ahead, as the plan says.
    pub clock_offset_ms: Option<f64>,
    /// Length of an interval.
    pub interval: Duration,
    /// What makes their steps begin.
    pub load: Load,
    /// How exactly the event loops wake.
    pub wake_ups: WakeUps,
    /// How long after its last one a user begins an iteration.
    pub pacing: Option<ThinkTime>,
    /// Lengths of the phases of each level.
    pub levels: Vec<LevelLengths>,
    /// Whether the plan names levels, so that the lines tell them.
    pub names_levels: bool,
    /// The longest time for started steps to finish.
    pub drain: Duration,
    /// Where steps go.
    pub targets: TargetLists,
    /// How requests travel.
    pub transport: Transport,
    /// Whether an iteration begins without cookies.
    pub cookies: PerIteration,
    /// Whether and how the sub-resources of a page are fetched with it.
    pub sub_resources: Option<SubResources>,
    /// Number of event loops.
    pub threads: NonZeroUsize,
    /// Limits on responses.
    pub limits: Limits,
    /// Whether every response to a step that identifies somebody is reported.
    pub report_responses: bool,
    /// File for a record of each transaction.
    pub records: Option<PathBuf>,
    /// Whether the counts and times of each user are reported.
    pub per_client: bool,
    /// Whether times to the first byte, and of pages without their sub-resources, are reported.
    pub split_times: bool,
    /// Where values come from.
    pub feeds: Vec<Feed>,
    /// Indices of the feeds drawn at the beginning of an iteration.
    pub iteration_feeds: Vec<usize>,
    /// What a user does; in a mix, one of these in each iteration.
    pub scripts: Vec<Script>,
    /// Draws which of them.
    pub mix: AliasTable,
    /// The steps of all scripts.
    pub steps: Vec<Step>,
    /// Names of the transactions, in the order of the steps.
    pub transactions: Vec<String>,
    /// Names of the outcomes of calls: kinds of errors of this session.
    pub outcomes: Vec<String>,
    /// Names of feeds and captures.
    pub names: Names,
}

impl Session {
    /// Checks a plan.
    ///
    /// # Errors
    /// [`PlanError`] with the place and what to do.
    pub fn new(plan: Plan) -> Result<Self, PlanError> {
        let Course { load, users, levels } = Course::new(&plan)?;
        let share = Share::check(plan.share)?;
        let (start, interval, wake_ups) = (start(&plan)?, interval(plan.interval_ms)?, plan.wake_ups());
        check_numbers(&plan, users, share)?;
        let transport = Transport::new(&plan)?;
        let pacing = plan.pacing.map(|pacing| ThinkTime::new(pacing, "pacing")).transpose()?;
        refuse_closed_only(&plan)?;
        let mut names = Names::default();
        let feeds = Feed::all(&plan.feeds, users, &mut names)?;
        let targets = TargetLists::new(&plan)?;
        let Scripts { scripts, steps, transactions, outcomes } =
            Scripts::new(&plan, &mut names, &feeds, &targets)?;
        Ok(Self {
            name: plan.name,
            run: plan.run,
            seed: plan.seed,
            users,
            share,
            start,
            clock_offset_ms: plan.clock_offset_ms,
            interval,
            load,
            wake_ups,
            pacing,
            levels,
            names_levels: plan.levels.is_some(),
            drain: plan.phases.drain_ms.duration(),
            targets,
            transport,
            cookies: plan.cookies,
            sub_resources: plan.sub_resources.map(SubResources::check).transpose()?,
            threads: plan.threads,
            limits: plan.limits,
            report_responses: plan.report_responses,
            records: plan.records,
            per_client: plan.per_client,
            split_times: plan.split_times,
            iteration_feeds: (0..feeds.len()).filter(|&feed| feeds[feed].per == Per::Iteration).collect(),
            feeds,
            mix: AliasTable::new(&scripts.iter().map(|script| script.weight).collect::<Vec<_>>()),
            scripts,
            steps,
            transactions,
            outcomes,
            names,
        })
    }

    /// How many of the users are this driver's.
    #[must_use]
    pub fn own_users(&self) -> u64 {
        self.share.part_of(self.users)
    }

    /// Whether steps begin by a timetable, so that response times count from there.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.load, Load::Open(_))
    }

    /// Whether users may abandon an iteration.
    #[must_use]
    pub fn may_abandon(&self) -> bool {
        self.steps.iter().any(|step| step.abandon > 0.0)
    }

    /// Whether responses report calls, whose times are the application's.
    #[must_use]
    pub fn reports_calls(&self) -> bool {
        self.steps.iter().any(|step| step.calls.is_some())
    }

    /// Whether somebody wants to know about every single transaction.
    #[must_use]
    pub fn takes_notes(&self) -> bool {
        self.records.is_some() || self.per_client
    }

    /// What the files hold that the plan names, lists before bodies, in the order of the plan; and bodies in it.
    pub fn contents(&self) -> impl Iterator<Item = &[u8]> {
        let lists = self.feeds.iter().filter_map(Feed::content).map(str::as_bytes);
        let bodies = self.steps.iter().filter_map(|step| step.payload()?.bytes()).map(|bytes| &**bytes);
        lists.chain(bodies)
    }

    /// Open model: what an arrival is.
    #[must_use]
    pub fn unit(&self) -> Option<Unit> {
        match &self.load {
            Load::Closed(_) => None,
            Load::Open(open) => Some(open.unit),
        }
    }
}

fn check_numbers(plan: &Plan, users: u64, share: Share) -> Result<(), PlanError> {
    let own = share.part_of(users);
    if own == 0 {
        let problem = format!("{} drivers for {users} users; use at most one for each user", share.of);
        return Err(PlanError::at("share.of", problem));
    }
    if plan.threads.get() as u64 > own {
        return Err(PlanError::at(
            "threads",
            format!("{} event loops for {own} users; use at most one for each user", plan.threads),
        ));
    }
    if plan.limits.header_bytes == 0 {
        return Err(PlanError::at("limits.header_bytes", "is 0; every response has a header"));
    }
    Ok(())
}

/// What the open model has no place for. In it there are more visitors than numbers could be dealt out to.
fn refuse_closed_only(plan: &Plan) -> Result<(), PlanError> {
    if plan.load.model == Model::Closed {
        return Ok(());
    }
    if plan.pacing.is_some() {
        let problem = "the timetable of the open model says when iterations begin; remove it";
        return Err(PlanError::at("pacing", problem));
    }
    let is_own = |feed: &&super::plan::Feed| feed.range.as_ref().is_some_and(|range| range.own);
    let Some(feed) = plan.feeds.iter().find(is_own) else { return Ok(()) };
    let problem = "`own` numbers belong to the users of the closed model; in the open one each iteration is another \
                   visitor's: remove `own`";
    Err(PlanError::at(format!("feed `{}`", feed.name), problem))
}

fn interval(interval: Option<Milliseconds>) -> Result<Duration, PlanError> {
    let interval = interval.map_or(SECOND, Milliseconds::duration);
    if (SECOND..=LONGEST_INTERVAL).contains(&interval) {
        return Ok(interval);
    }
    let found = 1_000.0 * interval.as_secs_f64();
    Err(PlanError::at(
        "interval_ms",
        format!("{found} is not a length of an interval; it goes from 1000 to 60000"),
    ))
}

fn start(plan: &Plan) -> Result<Option<Start>, PlanError> {
    let clock_offset_ms = plan.clock_offset_ms.unwrap_or_default();
    if clock_offset_ms.abs() > FARTHEST_CLOCK_MS {
        let problem = format!("{clock_offset_ms} is more than a day; set this host's clock");
        return Err(PlanError::at("clock_offset_ms", problem));
    }
    let Some(text) = &plan.start else { return Ok(None) };
    let at = humantime::parse_rfc3339(text).map_err(|error| {
        PlanError::at("start", format!("`{text}`: {error}; write it like 2026-01-31T08:00:00.500Z, in UTC"))
    })?;
    Ok(Some(Start { at, clock_offset_ms }))
}
