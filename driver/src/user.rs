//! A virtual user: iteration after iteration of the session's steps, with think times or by the timetable.

use std::ops::ControlFlow;
use std::rc::Rc;
use std::time::Duration;

use crate::context::LoopContext;
use crate::measure::counts::Parts;
use crate::pace::attendance::Attendance;
use crate::pace::{Alarm, Moment, Rounding};
use crate::transaction::{Completed, StepRunner};
use crate::workload::draw::Draws;
use crate::workload::feed::Whose;
use crate::workload::plan::{PerIteration, Unit};
use crate::workload::script::{self, Move, Script};
use crate::workload::sub_resources::CacheLife;
use crate::workload::transport::{Connections, Resumption};
use crate::workload::{Load, Step};

mod account;
mod waits;

/// One user.
#[derive(Debug)]
pub struct User {
    /// Its number, which says where it belongs.
    number: u64,
    /// Whose iteration it runs.
    visit: Visit,
    context: Rc<LoopContext>,
    draws: Draws,
    runner: StepRunner,
    pause: Alarm,
    /// How often each feed was drawn.
    drawn: Vec<Drawn>,
    /// How often what is repeated has run, by depth.
    runs: [u32; script::COUNTERS],
    /// How long after this iteration the next one may begin.
    pace: Option<Duration>,
    /// When its next step is meant to begin.
    due: Moment,
    /// By how much its last wait was rounded.
    rounding: Rounding,
    /// Whether it counts among the users at work.
    at_work: bool,
}

/// Whose iteration it is; the draws depend on it. In the closed model a user and its iteration. In the open model each
/// iteration is that of another visitor: else its values would depend on which user happened to be free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Visit {
    user: u64,
    iteration: u64,
}

/// How often a feed was drawn.
#[derive(Clone, Copy, Debug, Default)]
struct Drawn {
    in_iteration: u32,
    in_all: u64,
}

/// What a user does after a step and its think time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    /// The next one.
    GoOn,
    /// Nothing more in this iteration.
    Leave,
}

impl User {
    /// User number `number`, who has not started.
    #[must_use]
    pub fn new(number: u64, context: Rc<LoopContext>) -> Self {
        let session = &context.run.session;
        Self {
            number,
            visit: Visit { user: number, iteration: 0 },
            draws: Draws::new(session.seed, number, 0),
            runner: StepRunner::new(&context, number),
            pause: Alarm::new(&context.alarms),
            drawn: vec![Drawn::default(); session.feeds.len()],
            runs: [0; script::COUNTERS],
            pace: None,
            due: Moment::default(),
            rounding: Rounding::default(),
            at_work: false,
            context,
        }
    }

    /// Runs until the run sends no more steps. Borrowed: an `async fn` keeps an argument and what becomes of it.
    pub async fn run(&mut self) {
        let context = Rc::clone(&self.context);
        // Each ends when nothing more is to be sent.
        let _ = match &context.run.session.load {
            Load::Closed(attendance) => self.run_closed(attendance).await,
            Load::Open(_) => self.run_open().await,
        };
        self.rest();
    }

    async fn run_closed(&mut self, attendance: &Attendance) -> ControlFlow<()> {
        let start = self.context.run.timetable.start();
        let mut turns = attendance.turns(self.number).map(|turn| start + turn);
        while let Some(comes) = turns.next() {
            let goes = turns.next().unwrap_or(Moment::NEVER);
            // Who comes back before the last iteration was over has nothing to be late for.
            if self.visit.iteration == 0 || comes > self.context.now() {
                self.wait(comes).await?;
            }
            self.work();
            let mut begun = self.context.now();
            loop {
                self.iterate().await?;
                self.visit.iteration += 1;
                let now = self.context.lately();
                if now >= goes {
                    break;
                }
                begun = self.keep_pace(begun, now).await?;
            }
            self.rest();
            self.runner.browser.disconnect();
            self.runner.browser.cookies.clear();
        }
        ControlFlow::Continue(())
    }

    /// Waits until the pace lets the next iteration begin, and returns when it was meant to; `now` without a pace, or
    /// when it is late for it.
    async fn keep_pace(&mut self, begun: Moment, now: Moment) -> ControlFlow<(), Moment> {
        match self.pace.map(|pace| begun + pace).filter(|next| *next > now) {
            None => ControlFlow::Continue(now),
            Some(next) => self.wait(next).await.map_continue(|()| next),
        }
    }

    async fn run_open(&mut self) -> ControlFlow<()> {
        let context = Rc::clone(&self.context);
        loop {
            self.visit = Visit { user: context.visitors.take_number(), iteration: 0 };
            if context.run.session.unit() == Some(Unit::Sessions) {
                self.arrive().await?;
            }
            self.iterate().await?;
        }
    }

    async fn iterate(&mut self) -> ControlFlow<()> {
        let context = Rc::clone(&self.context);
        let script = self.begin_iteration(&context);
        let (mut next, mut any) = (0, false);
        while let Some(&step) = script.moves.get(next) {
            next += 1;
            match step {
                Move::Perhaps { probability, past } if self.draws.fraction() >= probability => next = past,
                Move::Perhaps { .. } => {}
                Move::Again { to, times, depth } => {
                    self.runs[depth] += 1;
                    if self.runs[depth] < times {
                        next = to;
                    } else {
                        self.runs[depth] = 0;
                    }
                }
                Move::Run(index) => {
                    any = true;
                    if self.take_step(index, script).await? == Then::Leave {
                        return ControlFlow::Continue(());
                    }
                }
            }
        }
        if !any {
            // Every step was left out: without a pause the user would spin.
            let pause = script.think.draw(&mut self.draws);
            tokio::task::yield_now().await;
            self.think(context.now(), pause).await?;
        }
        context.recorder.borrow_mut().at(context.lately()).iterations += 1;
        ControlFlow::Continue(())
    }

    /// Runs a step once and thinks.
    async fn take_step(&mut self, index: usize, script: &Script) -> ControlFlow<(), Then> {
        let context = Rc::clone(&self.context);
        let session = &context.run.session;
        let step = &session.steps[index];
        if session.unit() == Some(Unit::Requests) {
            self.arrive().await?;
        }
        self.pass_gate(&context).await?;
        let result = self.run_step(index, step).await;
        context.gate.leave();
        let pause = step.think.unwrap_or(script.think).draw(&mut self.draws);
        let (Ok(at) | Err(at)) = result;
        let mut then = Then::GoOn;
        if result.is_err() {
            self.fail_iteration().await;
            then = Then::Leave;
        } else if step.abandon > 0.0 && self.draws.fraction() < step.abandon {
            context.recorder.borrow_mut().at(at).abandoned += 1;
            then = Then::Leave;
        }
        self.think(at, pause).await?;
        ControlFlow::Continue(then)
    }

    /// Makes everything ready for an iteration and draws what runs in it.
    fn begin_iteration<'a>(&mut self, context: &'a LoopContext) -> &'a Script {
        let session = &context.run.session;
        self.draws = Draws::new(session.seed, self.visit.user, self.visit.iteration);
        if session.transport.connections == Connections::PerIteration {
            self.runner.browser.disconnect();
        }
        if session.cookies == PerIteration::New {
            self.runner.browser.cookies.clear();
        }
        if session.transport.resumption == Resumption::Iteration {
            self.runner.browser.forget_sessions();
        }
        if session.sub_resources.is_some_and(|fetched| fetched.cache == CacheLife::PerIteration) {
            self.runner.browser.empty_cache();
        }
        self.drawn.iter_mut().for_each(|drawn| drawn.in_iteration = 0);
        self.runs.fill(0);
        for &feed in &session.iteration_feeds {
            self.draw(feed);
        }
        self.pace = session.pacing.map(|pacing| pacing.draw(&mut self.draws));
        &session.scripts[session.mix.draw(&mut self.draws)]
    }

    /// A failed step leaves no connection and no cookie.
    async fn fail_iteration(&mut self) {
        self.runner.browser.disconnect();
        self.runner.browser.cookies.clear();
        // A connection may be refused at once: without this and without a think time nobody else would have a turn.
        tokio::task::yield_now().await;
    }

    /// Runs a step once and counts it. Returns when it ended, as `Ok` when it was valid.
    async fn run_step(&mut self, index: usize, step: &Step) -> Result<Moment, Moment> {
        let context = Rc::clone(&self.context);
        for &feed in &step.feeds {
            self.draw(feed);
        }
        let target = step.targets.in_turn(self.visit.user.wrapping_add(self.visit.iteration));
        let start = context.now();
        self.runner.calls.begin(self.author(), index, start);
        let result = self.runner.run(&context, step, target).await;
        self.runner.release();
        match result {
            // Its transactions are the calls that it has reported.
            Ok(Completed { at, .. }) if step.calls.is_some() => Ok(at),
            Ok(Completed { begun, page, at }) => {
                let took = self.took(start, at);
                context.recorder.borrow_mut().valid(at, step.transaction, took);
                if context.run.session.split_times {
                    let until = |moment| took.response.saturating_sub(at - moment);
                    let parts = Parts { first_byte: until(begun), page: until(page) };
                    context.recorder.borrow_mut().parts(at, step.transaction, parts);
                }
                self.note(at, step.transaction, took, None);
                self.report_response(at, index, true);
                Ok(at)
            }
            Err(failed) => {
                let now = context.now();
                self.record_failure(now, index, failed, self.took(start, now));
                Err(now)
            }
        }
    }

    fn draw(&mut self, feed: usize) {
        let session = &self.context.run.session;
        let drawn = &mut self.drawn[feed];
        let whose = Whose {
            run: &session.run,
            user: self.visit.user,
            users: session.users,
            iteration: self.visit.iteration,
            earlier: u64::from(drawn.in_iteration),
            before: (!session.is_open()).then_some(drawn.in_all),
        };
        drawn.in_iteration += 1;
        drawn.in_all += 1;
        session.feeds[feed].draw(whose, &mut self.draws, &mut self.runner.values);
    }
}
