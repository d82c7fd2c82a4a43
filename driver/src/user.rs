//! A simulated user: iteration after iteration of the session's steps, with think times or by the timetable.

use std::ops::ControlFlow;
use std::rc::Rc;
use std::time::Duration;

use crate::event_loop::Stage;
use crate::measure::counts::Took;
use crate::measure::note::{self, Note};
use crate::measure::{Answered, Failure, Fate, Unanswered};
use crate::pace::attendance::Attendance;
use crate::pace::{Alarm, Moment, Phase, Wake};
use crate::transaction::{Failed, Player};
use crate::workload::draw::Draws;
use crate::workload::feed::Whose;
use crate::workload::page_objects::CacheLife;
use crate::workload::plan::{PerIteration, Unit};
use crate::workload::script::{self, Move, Script};
use crate::workload::transport::Connections;
use crate::workload::{Load, Step};

/// One user.
#[derive(Debug)]
pub struct User {
    /// Its number, which says where it belongs.
    number: u64,
    /// Whose iteration it plays.
    visit: Visit,
    stage: Rc<Stage>,
    draws: Draws,
    player: Player,
    pause: Alarm,
    /// How often each feed was drawn in this iteration.
    drawn: Vec<u32>,
    /// How often what is repeated was played, by depth.
    played: [u32; script::COUNTERS],
    /// How long after this iteration the next one may begin.
    pace: Option<Duration>,
    /// When its next step is meant to begin.
    due: Moment,
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
    pub fn new(number: u64, stage: Rc<Stage>) -> Self {
        let session = &stage.scene.session;
        Self {
            number,
            visit: Visit { user: number, iteration: 0 },
            draws: Draws::new(session.seed, number, 0),
            player: Player::new(&stage, number),
            pause: Alarm::new(&stage.alarms),
            drawn: vec![0; session.feeds.len()],
            played: [0; script::COUNTERS],
            pace: None,
            due: Moment::default(),
            at_work: false,
            stage,
        }
    }

    /// Plays until the run sends no more steps.
    pub async fn play(mut self) {
        let stage = Rc::clone(&self.stage);
        // Each ends when nothing more is to be sent.
        let _ = match &stage.scene.session.load {
            Load::Closed(attendance) => self.play_closed(attendance).await,
            Load::Open(_) => self.play_open().await,
        };
        self.rest();
    }

    async fn play_closed(&mut self, attendance: &Attendance) -> ControlFlow<()> {
        let start = self.stage.scene.timetable.start();
        let mut turns = attendance.turns(self.number).map(|turn| start + turn);
        while let Some(comes) = turns.next() {
            let goes = turns.next().unwrap_or(Moment::NEVER);
            // Who comes back before the last iteration was over has nothing to be late for.
            if self.visit.iteration == 0 || comes > self.stage.now() {
                self.wait(comes).await?;
            }
            self.work();
            let mut begun = self.stage.now();
            loop {
                self.iterate().await?;
                self.visit.iteration += 1;
                let now = self.stage.now();
                if now >= goes {
                    break;
                }
                begun = self.keep_pace(begun, now).await?;
            }
            self.rest();
            self.player.browser.disconnect();
            self.player.browser.cookies.clear();
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

    async fn play_open(&mut self) -> ControlFlow<()> {
        let stage = Rc::clone(&self.stage);
        loop {
            self.visit = Visit { user: stage.number_visitor(), iteration: 0 };
            if stage.scene.session.unit() == Some(Unit::Sessions) {
                self.arrive().await?;
            }
            self.iterate().await?;
        }
    }

    async fn iterate(&mut self) -> ControlFlow<()> {
        let stage = Rc::clone(&self.stage);
        let script = self.begin_iteration(&stage);
        let (mut next, mut any) = (0, false);
        while let Some(&step) = script.moves.get(next) {
            next += 1;
            match step {
                Move::Perhaps { probability, past } if self.draws.fraction() >= probability => next = past,
                Move::Perhaps { .. } => {}
                Move::Again { to, times, depth } => {
                    self.played[depth] += 1;
                    if self.played[depth] < times {
                        next = to;
                    } else {
                        self.played[depth] = 0;
                    }
                }
                Move::Play(index) => {
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
            self.think(stage.now(), pause).await?;
        }
        stage.recorder.borrow_mut().at(stage.now()).iterations += 1;
        ControlFlow::Continue(())
    }

    /// Plays a step once and thinks.
    async fn take_step(&mut self, index: usize, script: &Script) -> ControlFlow<(), Then> {
        let stage = Rc::clone(&self.stage);
        let session = &stage.scene.session;
        let step = &session.steps[index];
        if session.unit() == Some(Unit::Requests) {
            self.arrive().await?;
        }
        let result = self.play_step(index, step).await;
        let pause = step.think.unwrap_or(script.think).draw(&mut self.draws);
        let (Ok(at) | Err(at)) = result;
        let mut then = Then::GoOn;
        if result.is_err() {
            self.abandon_iteration().await;
            then = Then::Leave;
        } else if step.abandon > 0.0 && self.draws.fraction() < step.abandon {
            stage.recorder.borrow_mut().at(at).left += 1;
            then = Then::Leave;
        }
        self.think(at, pause).await?;
        ControlFlow::Continue(then)
    }

    /// Makes everything ready for an iteration and draws what is played in it.
    fn begin_iteration<'a>(&mut self, stage: &'a Stage) -> &'a Script {
        let session = &stage.scene.session;
        self.draws = Draws::new(session.seed, self.visit.user, self.visit.iteration);
        if session.transport.connections == Connections::PerIteration {
            self.player.browser.disconnect();
        }
        if session.cookies == PerIteration::New {
            self.player.browser.cookies.clear();
        }
        if session.page_objects.is_some_and(|objects| objects.cache == CacheLife::PerIteration) {
            self.player.browser.empty_cache();
        }
        self.drawn.fill(0);
        self.played.fill(0);
        for &feed in &session.iteration_feeds {
            self.draw(feed);
        }
        self.pace = session.pacing.map(|pacing| pacing.draw(&mut self.draws));
        match session.scripts.as_slice() {
            [only] => only,
            mix => &mix[self.draws.weighted(mix.iter().map(|script| script.weight))],
        }
    }

    /// A failed step leaves no connection and no cookie.
    async fn abandon_iteration(&mut self) {
        self.player.browser.disconnect();
        self.player.browser.cookies.clear();
        // A connection may be refused at once: without this and without a think time nobody else would have a turn.
        tokio::task::yield_now().await;
    }

    /// Plays a step once and counts it. Returns when it ended, as `Ok` when it was valid.
    async fn play_step(&mut self, index: usize, step: &Step) -> Result<Moment, Moment> {
        let stage = Rc::clone(&self.stage);
        for &feed in &step.feeds {
            self.draw(feed);
        }
        let targets = stage.scene.targets.len() as u64;
        #[expect(clippy::cast_possible_truncation, reason = "less than the number of targets")]
        let target = (self.visit.user.wrapping_add(self.visit.iteration) % targets) as usize;
        let start = stage.now();
        match self.player.play(&stage, step, target).await {
            Ok(at) => {
                let took = self.took(start, at);
                stage.recorder.borrow_mut().valid(at, step.transaction, took);
                self.note(at, step.transaction, took, None);
                self.tell_answer(at, index, true);
                Ok(at)
            }
            Err(failed) => {
                let now = stage.now();
                self.record_failure(now, index, failed, self.took(start, now));
                Err(now)
            }
        }
    }

    /// The times of a transaction that began at `start` and ended at `end`.
    fn took(&self, start: Moment, end: Moment) -> Took {
        if self.stage.scene.session.is_open() {
            // A coalesced deadline may fire early.
            Took { response: end - self.due.min(start), service: Some(end - start) }
        } else {
            Took { response: end - start, service: None }
        }
    }

    fn record_failure(&self, now: Moment, index: usize, failed: Failed, took: Took) {
        let Failed { failure, fate } = failed;
        // The end of the run is not the fault of a step that had sent nothing.
        if failure == Failure::CutOff && fate == Fate::NotSent {
            return;
        }
        let step = &self.stage.scene.session.steps[index];
        self.note(now, step.transaction, took, Some(failure));
        let mut recorder = self.stage.recorder.borrow_mut();
        recorder.failed(now, step.transaction, failure, fate);
        recorder.at(now).abandoned += 1;
        if fate == Fate::Unanswered {
            recorder.unanswered(Unanswered {
                moment: now,
                user: self.visit.user,
                iteration: self.visit.iteration,
                step: index,
                failure,
                variables: self.identified(step),
            });
        }
        drop(recorder);
        if fate == Fate::Answered {
            self.tell_answer(now, index, false);
        }
    }

    /// Takes a note of a transaction that ended at `end`, when the plan asks for it.
    fn note(&self, end: Moment, transaction: usize, took: Took, failure: Option<Failure>) {
        if !self.stage.scene.session.takes_notes() {
            return;
        }
        let [user, iteration, client] = [self.visit.user, self.visit.iteration, self.number]
            .map(|number| u32::try_from(number).unwrap_or(u32::MAX));
        let [latency_us, service_us] = [took.response, took.service.unwrap_or(took.response)]
            .map(|time| u32::try_from((time + Duration::from_nanos(500)).as_micros()).unwrap_or(u32::MAX));
        let note = Note {
            start: end.before(took.response),
            latency_us,
            service_us,
            user,
            iteration,
            client,
            transaction: u16::try_from(transaction).unwrap_or(u16::MAX),
            outcome: note::outcome(failure),
            phase: Phase::Ramp,
        };
        self.stage.recorder.borrow_mut().note(end, note);
    }

    /// Tells a complete answer, when the plan asks for it and the step identifies somebody.
    fn tell_answer(&self, moment: Moment, index: usize, valid: bool) {
        let session = &self.stage.scene.session;
        let step = &session.steps[index];
        if !session.tell_answers || step.identify.is_empty() {
            return;
        }
        self.stage.recorder.borrow_mut().answered(Answered {
            moment,
            user: self.visit.user,
            iteration: self.visit.iteration,
            step: index,
            valid,
            variables: self.identified(step),
        });
    }

    fn identified(&self, step: &Step) -> Vec<String> {
        step.identify.iter().map(|&name| self.player.values.get(name).to_owned()).collect()
    }

    fn draw(&mut self, feed: usize) {
        let session = &self.stage.scene.session;
        let whose = Whose {
            run: &session.run,
            user: self.visit.user,
            users: session.users,
            iteration: self.visit.iteration,
            earlier: u64::from(self.drawn[feed]),
        };
        self.drawn[feed] += 1;
        let feed = &session.feeds[feed];
        feed.draw(whose, &mut self.draws, self.player.values.renew(feed.variable));
    }

    /// Open model: waits for the next arrival. It begins at once when it was due before this user was free.
    async fn arrive(&mut self) -> ControlFlow<()> {
        self.rest();
        let stage = Rc::clone(&self.stage);
        let last = stage.scene.timetable.last_send();
        let Some(due) = stage.take_arrival() else { return self.wait(last).await };
        self.due = due;
        let free = stage.now();
        let begun = if due > free { self.wait(due).await } else { self.may_go_on(free) };
        let now = stage.now();
        match begun {
            ControlFlow::Break(()) if due <= now && due < last => {
                stage.recorder.borrow_mut().at(now).missed += 1;
            }
            ControlFlow::Continue(()) if due <= free => stage.recorder.borrow_mut().at(now).waited += 1,
            _ => {}
        }
        begun?;
        self.work();
        ControlFlow::Continue(())
    }

    /// Counts among the users at work from now on.
    fn work(&mut self) {
        self.at_work = true;
        self.stage.recorder.borrow_mut().user_started(self.stage.now());
    }

    /// Counts among the users at work no longer.
    fn rest(&mut self) {
        if std::mem::take(&mut self.at_work) {
            self.stage.recorder.borrow_mut().user_finished(self.stage.now());
        }
    }

    /// Thinks for `pause` since `at`; breaks when no more steps are to be sent. Without a think time nobody waits, and
    /// there is nothing to be late for.
    async fn think(&mut self, at: Moment, pause: Duration) -> ControlFlow<()> {
        let session = &self.stage.scene.session;
        if pause.is_zero() || session.unit() == Some(Unit::Requests) {
            self.due = at;
            return self.may_go_on(self.stage.now());
        }
        self.due = at + pause;
        self.wait(self.due).await
    }

    /// Waits for `deadline`; breaks when no more steps are to be sent. A deadline that has passed before anybody could
    /// wait for it is late like any other.
    async fn wait(&mut self, deadline: Moment) -> ControlFlow<()> {
        let last = self.stage.scene.timetable.last_send();
        if deadline >= last {
            self.pause.not_before(last).await;
            return ControlFlow::Break(());
        }
        if deadline > self.stage.now() && self.pause.until(deadline).await == Wake::Cut {
            return ControlFlow::Break(());
        }
        let now = self.stage.now();
        self.may_go_on(now)?;
        self.stage.recorder.borrow_mut().at(now).lateness.record(now - deadline);
        ControlFlow::Continue(())
    }

    fn may_go_on(&self, now: Moment) -> ControlFlow<()> {
        if now >= self.stage.scene.timetable.last_send() || self.stage.alarms.is_cut() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}
