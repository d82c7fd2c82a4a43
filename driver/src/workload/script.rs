//! Scripts: what a user does in one iteration, as a tree to reckon with and as moves to run.

use std::collections::HashSet;

use super::calls;
use super::error::PlanError;
use super::feed::Feed;
use super::part;
use super::plan::Plan;
use super::quantity::Weight;
use super::step::{Step, StepReader};
use super::target_lists::TargetLists;
use super::think::ThinkTime;
use super::variables::Names;

/// Most repetitions inside repetitions.
const DEEPEST: usize = 16;

/// What a user does in one iteration.
#[derive(Debug)]
pub struct Script {
    /// How often it is drawn, compared with the others.
    pub weight: f64,
    /// Default think time.
    pub think: ThinkTime,
    /// Steps and groups.
    pub parts: Vec<Part>,
    /// The same, one after the other: a user that runs them needs no stack.
    pub moves: Vec<Move>,
}

/// A step or a group of steps.
#[derive(Debug)]
pub enum Part {
    /// Index of a step.
    Step(usize),
    /// A group.
    Group {
        /// What runs, in its order.
        parts: Vec<Part>,
        /// How likely it runs.
        probability: f64,
        /// How often it then runs.
        repeat: u32,
    },
}

/// One move of a user.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Move {
    /// Runs the step of this index.
    Run(usize),
    /// Goes on, or is likely not to: then the next move is number `past`.
    Perhaps {
        /// How likely it goes on.
        probability: f64,
        /// Number of the move after what is left out.
        past: usize,
    },
    /// Goes back to move number `to` until what lies between was run `times` times.
    Again {
        /// Number of the first move to run again.
        to: usize,
        /// How often it runs in all.
        times: u32,
        /// Number of repetitions around this one: which counter counts.
        depth: usize,
    },
}

/// The scripts of a plan and all their steps.
#[derive(Debug, Default)]
pub struct Scripts {
    /// The scripts; more than one in a mix.
    pub scripts: Vec<Script>,
    /// The steps of all of them.
    pub steps: Vec<Step>,
    /// Names of the transactions, in the order of the steps.
    pub transactions: Vec<String>,
    /// Names of the outcomes of calls, in the order of the steps.
    pub outcomes: Vec<String>,
}

impl Scripts {
    /// Checks the steps or the mix of a plan.
    ///
    /// # Errors
    /// [`PlanError`] naming the step or script.
    pub fn new(
        plan: &Plan,
        names: &mut Names,
        feeds: &[Feed],
        targets: &TargetLists,
    ) -> Result<Self, PlanError> {
        let mut reader = Reader {
            ids: HashSet::new(),
            steps: StepReader::new(names, feeds, targets, plan.authentication.as_ref()),
            read: Self::default(),
        };
        let default = ThinkTime::new(plan.think, "think")?;
        match (&plan.steps, &plan.mix) {
            (Some(_), Some(_)) => return Err(PlanError::at("mix", "stands in place of `steps`; remove one")),
            (steps, None) => {
                reader.script(steps.as_deref().unwrap_or_default(), Weight::ONE, default, "steps")?;
            }
            (None, Some(mix)) => reader.mix(mix, default)?,
        }
        calls::refuse_beside(plan, &reader.read.steps)?;
        Ok(reader.read)
    }
}

struct Reader<'a, 'b> {
    ids: HashSet<&'a str>,
    steps: StepReader<'b>,
    read: Scripts,
}

impl<'a> Reader<'a, '_> {
    fn mix(&mut self, mix: &'a [part::Script], default: ThinkTime) -> Result<(), PlanError> {
        if mix.is_empty() {
            return Err(PlanError::at("mix", "is empty; at least one session is needed"));
        }
        let mut known = HashSet::new();
        for script in mix {
            let place = format!("mix `{}`", script.name);
            if !known.insert(&script.name) {
                return Err(PlanError::at(place, "there are two sessions of this name; rename one"));
            }
            let think =
                script.think.map(|think| ThinkTime::new(think, &format!("{place}: think"))).transpose()?;
            // What one visitor captures, another never saw.
            let before = self.steps.scope();
            self.script(&script.steps, script.weight, think.unwrap_or(default), &place)?;
            self.steps.leave(&before);
        }
        Ok(())
    }

    fn script(
        &mut self,
        parts: &'a [part::Part],
        weight: Weight,
        think: ThinkTime,
        place: &str,
    ) -> Result<(), PlanError> {
        let parts = self.parts(parts, 0)?;
        if !parts.iter().any(|part| part.may_run(&self.read.steps)) {
            return Err(PlanError::at(place, "no step ever runs; at least one needs a probability above 0"));
        }
        let mut moves = Vec::new();
        write_moves(&parts, &self.read.steps, 0, &mut moves);
        self.read.scripts.push(Script { weight: weight.value(), think, parts, moves });
        Ok(())
    }

    fn parts(&mut self, parts: &'a [part::Part], depth: usize) -> Result<Vec<Part>, PlanError> {
        if depth >= DEEPEST {
            return Err(PlanError::at(
                "group",
                format!("groups are nested deeper than {DEEPEST}; flatten them"),
            ));
        }
        parts.iter().map(|part| self.part(part, depth)).collect()
    }

    fn part(&mut self, part: &'a part::Part, depth: usize) -> Result<Part, PlanError> {
        match part {
            part::Part::Step(step) => {
                if !self.ids.insert(&step.id) {
                    let problem = "there are two steps of this id; rename one";
                    return Err(PlanError::at(format!("step `{}`", step.id), problem));
                }
                let transaction = self.transaction(&step.transaction);
                let read = self.steps.read(step, transaction, &mut self.read.outcomes)?;
                self.read.steps.push(read);
                Ok(Part::Step(self.read.steps.len() - 1))
            }
            part::Part::Group(group) => {
                if group.parts.is_empty() {
                    return Err(PlanError::at("group", "is empty; put steps into it or remove it"));
                }
                let probability = group.probability.value();
                let before = self.steps.scope();
                let parts = self.parts(&group.parts, depth + 1)?;
                if probability < 1.0 {
                    self.steps.leave(&before);
                }
                Ok(Part::Group { parts, probability, repeat: group.repeat.get() })
            }
        }
    }

    fn transaction(&mut self, name: &str) -> usize {
        let transactions = &mut self.read.transactions;
        transactions.iter().position(|known| known == name).unwrap_or_else(|| {
            transactions.push(name.to_owned());
            transactions.len() - 1
        })
    }
}

impl Part {
    fn may_run(&self, steps: &[Step]) -> bool {
        match self {
            Self::Step(step) => steps[*step].probability > 0.0,
            Self::Group { parts, probability, .. } => {
                *probability > 0.0 && parts.iter().any(|part| part.may_run(steps))
            }
        }
    }
}

/// The most counters that the moves of a script need.
pub const COUNTERS: usize = DEEPEST + 1;

fn write_moves(parts: &[Part], steps: &[Step], depth: usize, moves: &mut Vec<Move>) {
    for part in parts {
        let (probability, repeat) = match part {
            Part::Step(step) => (steps[*step].probability, steps[*step].repeat),
            Part::Group { probability, repeat, .. } => (*probability, *repeat),
        };
        let perhaps = moves.len();
        if probability < 1.0 {
            moves.push(Move::Perhaps { probability, past: 0 });
        }
        let to = moves.len();
        match part {
            Part::Step(step) => moves.push(Move::Run(*step)),
            Part::Group { parts, .. } => write_moves(parts, steps, depth + 1, moves),
        }
        if repeat > 1 {
            moves.push(Move::Again { to, times: repeat, depth });
        }
        let end = moves.len();
        if let Some(Move::Perhaps { past, .. }) = moves.get_mut(perhaps).filter(|_| probability < 1.0) {
            *past = end;
        }
    }
}
