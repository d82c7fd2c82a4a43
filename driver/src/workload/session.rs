//! The session: a plan that was checked and can be played.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use super::alias::AliasTable;
use super::error::PlanError;
use super::feed::Feed;
use super::load::{Course, Load};
use super::page_objects::PageObjects;
use super::plan::{Limits, Model, Per, PerIteration, Plan, Unit};
use super::script::{Script, Scripts};
use super::step::Step;
use super::target_lists::TargetLists;
use super::think::ThinkTime;
use super::transport::Transport;
use super::variables::Names;
use crate::pace::WakeUps;
use crate::pace::timetable::LevelLengths;

/// Everything a user needs to know to play.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "keys of the plan, each true or false there")]
pub struct Session {
    /// Name of the session.
    pub name: String,
    /// Text that differs between runs.
    pub run: String,
    /// Seed of all draws.
    pub seed: u64,
    /// Number of users; in the open model the most at the same time.
    pub users: u64,
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
    /// Whether and how the objects of a page are fetched with it.
    pub page_objects: Option<PageObjects>,
    /// Number of event loops.
    pub threads: NonZeroUsize,
    /// Limits on answers.
    pub limits: Limits,
    /// Whether every answer to a step that identifies somebody is told.
    pub tell_answers: bool,
    /// File for a record of each transaction.
    pub records: Option<PathBuf>,
    /// Whether the counts and times of each user are told.
    pub per_client: bool,
    /// Whether times to the first byte, and of pages without their objects, are told.
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
        check_numbers(&plan, users)?;
        let transport = Transport::new(&plan)?;
        let pacing = plan.pacing.map(|pacing| ThinkTime::new(pacing, "pacing")).transpose()?;
        if pacing.is_some() && plan.load.model == Model::Open {
            return Err(PlanError::at(
                "pacing",
                "the timetable of the open model says when iterations begin; remove it",
            ));
        }
        let mut names = Names::default();
        let feeds = Feed::all(&plan.feeds, users, &mut names)?;
        let targets = TargetLists::new(&plan)?;
        let Scripts { scripts, steps, transactions } = Scripts::new(&plan, &mut names, &feeds, &targets)?;
        Ok(Self {
            name: plan.name,
            run: plan.run,
            seed: plan.seed,
            users,
            load,
            wake_ups: plan.wake.unwrap_or(match plan.load.model {
                Model::Closed => WakeUps::Coalesced,
                Model::Open => WakeUps::Exact,
            }),
            pacing,
            levels,
            names_levels: plan.levels.is_some(),
            drain: plan.phases.drain_ms.duration(),
            targets,
            transport,
            cookies: plan.cookies,
            page_objects: plan.page_objects.map(PageObjects::check).transpose()?,
            threads: plan.threads,
            limits: plan.limits,
            tell_answers: plan.tell_answers,
            records: plan.records,
            per_client: plan.per_client,
            split_times: plan.split_times,
            iteration_feeds: (0..feeds.len()).filter(|&feed| feeds[feed].per == Per::Iteration).collect(),
            feeds,
            mix: AliasTable::new(&scripts.iter().map(|script| script.weight).collect::<Vec<_>>()),
            scripts,
            steps,
            transactions,
            names,
        })
    }

    /// Whether steps begin by a timetable, so that response times count from there.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.load, Load::Open(_))
    }

    /// Whether users may leave in the middle of an iteration.
    #[must_use]
    pub fn may_leave(&self) -> bool {
        self.steps.iter().any(|step| step.abandon > 0.0)
    }

    /// Whether somebody wants to know about every single transaction.
    #[must_use]
    pub fn takes_notes(&self) -> bool {
        self.records.is_some() || self.per_client
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

fn check_numbers(plan: &Plan, users: u64) -> Result<(), PlanError> {
    if plan.threads.get() as u64 > users {
        return Err(PlanError::at(
            "threads",
            format!("{} event loops for {users} users; use at most one for each user", plan.threads),
        ));
    }
    if plan.limits.header_bytes == 0 {
        return Err(PlanError::at("limits.header_bytes", "is 0; every answer has a header"));
    }
    Ok(())
}
