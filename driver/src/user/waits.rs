//! When a user goes on: think times, starts, arrivals of the timetable.

use std::ops::ControlFlow;
use std::rc::Rc;
use std::time::Duration;

use super::User;
use crate::context::LoopContext;
use crate::pace::{Moment, Rounding, Wake};
use crate::workload::plan::Unit;

impl User {
    /// Open model: waits for the next arrival. It begins at once when it was due before this user was free.
    pub(super) async fn arrive(&mut self) -> ControlFlow<()> {
        self.rest();
        let context = Rc::clone(&self.context);
        let last = context.run.timetable.last_send();
        let Some(due) = context.visitors.take_arrival() else { return self.wait(last).await };
        self.due = due;
        let free = context.now();
        let begun = if due > free { self.wait(due).await } else { self.may_go_on(free) };
        let now = context.now();
        match begun {
            ControlFlow::Break(()) if due <= now && due < last => {
                context.recorder.borrow_mut().at(now).missed += 1;
            }
            ControlFlow::Continue(()) if due <= free => context.recorder.borrow_mut().at(now).waited += 1,
            _ => {}
        }
        begun?;
        self.work();
        ControlFlow::Continue(())
    }

    /// Counts among the users at work from now on.
    pub(super) fn work(&mut self) {
        self.at_work = true;
        self.context.recorder.borrow_mut().user_started(self.context.now());
    }

    /// Counts among the users at work no longer.
    pub(super) fn rest(&mut self) {
        if std::mem::take(&mut self.at_work) {
            self.context.recorder.borrow_mut().user_finished(self.context.now());
        }
    }

    /// Thinks for `pause` since `at`; breaks when no more steps are to be sent. Without a think time nobody waits, and
    /// there is nothing to be late for.
    pub(super) async fn think(&mut self, at: Moment, pause: Duration) -> ControlFlow<()> {
        let session = &self.context.run.session;
        if pause.is_zero() || session.unit() == Some(Unit::Requests) {
            self.due = at;
            return self.may_go_on(self.context.lately());
        }
        let (due, left) = self.rounding.due(at, pause);
        self.due = due;
        let begun = self.wait(due).await;
        self.rounding = self.rounding.with(left);
        begun
    }

    /// Waits for `deadline`; breaks when no more steps are to be sent. A deadline that has passed before anybody could
    /// wait for it is late like any other.
    pub(super) async fn wait(&mut self, deadline: Moment) -> ControlFlow<()> {
        let last = self.context.run.timetable.last_send();
        if deadline >= last {
            self.pause.not_before(last).await;
            return ControlFlow::Break(());
        }
        let from = self.context.now();
        self.rounding = Rounding::default();
        if deadline > from {
            self.rounding = Rounding::between(deadline, self.pause.fires(deadline).max(from));
            if self.pause.until(deadline).await == Wake::Cut {
                return ControlFlow::Break(());
            }
        }
        let now = self.context.now();
        self.may_go_on(now)?;
        self.context.recorder.borrow_mut().at(now).lateness.record(now - deadline);
        ControlFlow::Continue(())
    }

    /// Waits while the users are held; breaks when no more steps are to be sent.
    pub(super) async fn pass_gate(&self, context: &LoopContext) -> ControlFlow<()> {
        let held = !context.gate.is_open();
        context.gate.enter().await?;
        let go_on = if held { self.may_go_on(context.now()) } else { ControlFlow::Continue(()) };
        if go_on.is_break() {
            context.gate.leave();
        }
        go_on
    }

    fn may_go_on(&self, now: Moment) -> ControlFlow<()> {
        if now >= self.context.run.timetable.last_send() || self.context.alarms.is_cut() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}
