//! The deadlines of one event loop: exact to the nanosecond, or coalesced to ticks of 1.6 ms.
//!
//! A coalesced deadline fires at the *nearest* tick, so up to 0.8 ms early or late: rounding up instead would lengthen
//! every think time by 0.8 ms on average. There is one wake-up for each tick instead of one for each deadline. The open
//! model cannot afford it: 0.8 ms is more than many responses take. Each loop has ticks of its own, between those of
//! the others: else all would send at the same moments.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::num::NonZeroUsize;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::Wake;
use super::clock::Moment;

/// Length of a coalesced tick in nanoseconds: a firing is still no later than one rounded up to the next millisecond.
pub const TICK_NS: u64 = 1_600_000;

/// How early or late a coalesced deadline fires at most.
pub const HALF_A_TICK: Duration = Duration::from_nanos(TICK_NS / 2);

/// How exactly an event loop wakes for its deadlines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum WakeUps {
    /// Once for each tick of 1.6 ms in which something is due.
    Coalesced,
    /// For each deadline, to the nanosecond.
    Exact,
}

/// Names one alarm of a [`Deadlines`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AlarmId(usize);

/// Alarms by tick. Every alarm stands at most once in the heap however often it is set anew, so memory is bounded by
/// the number of alarms.
#[derive(Debug)]
pub struct Deadlines {
    /// Length of a tick in nanoseconds.
    tick: u64,
    /// The first tick, in nanoseconds since `hello`; nothing is due before.
    first: u64,
    heap: BinaryHeap<Reverse<(u64, AlarmId)>>,
    alarms: Vec<State>,
    cut: bool,
}

/// Ticks as plain numbers, because every user has two of these.
#[derive(Debug)]
struct State {
    /// Tick at which the alarm fires; [`NEVER`] when it is not set, [`FIRED`] when it has fired.
    due: u64,
    /// Tick under which it stands in the heap; [`NEVER`] when it does not.
    queued: u64,
    waker: Option<Waker>,
}

const NEVER: u64 = u64::MAX;
const FIRED: u64 = u64::MAX - 1;

impl Deadlines {
    /// No deadlines yet; the loop wakes for those to come as `wake_ups` says. Coalesced, its ticks begin at `first`.
    #[must_use]
    pub fn new(wake_ups: WakeUps, first: Moment) -> Self {
        let (tick, first) = match wake_ups {
            WakeUps::Coalesced => (TICK_NS, first.nanos()),
            WakeUps::Exact => (1, 0),
        };
        Self { tick, first, heap: BinaryHeap::new(), alarms: Vec::new(), cut: false }
    }

    /// A new alarm, not set.
    pub fn add(&mut self) -> AlarmId {
        self.alarms.push(State { due: NEVER, queued: NEVER, waker: None });
        AlarmId(self.alarms.len() - 1)
    }

    /// Sets the alarm to fire at the tick nearest to `deadline`, whatever it was set to before.
    pub fn set(&mut self, id: AlarmId, deadline: Moment) {
        let tick = self.nearest_tick(deadline);
        let state = &mut self.alarms[id.0];
        state.due = tick;
        // A time-out that is pushed back by every request is not moved in the heap: its old entry looks again.
        if state.queued > tick {
            state.queued = tick;
            self.heap.push(Reverse((tick, id)));
        }
    }

    /// Takes the alarm back.
    pub fn clear(&mut self, id: AlarmId) {
        let state = &mut self.alarms[id.0];
        state.due = NEVER;
        state.waker = None;
    }

    /// Ready when the alarm has fired or everything was cut off; else remembers whom to wake.
    pub fn poll(&mut self, id: AlarmId, context: &Context<'_>) -> Poll<Wake> {
        if self.cut {
            return Poll::Ready(Wake::Cut);
        }
        let state = &mut self.alarms[id.0];
        if state.due == FIRED {
            return Poll::Ready(Wake::Due);
        }
        match &mut state.waker {
            Some(waker) => waker.clone_from(context.waker()),
            None => state.waker = Some(context.waker().clone()),
        }
        Poll::Pending
    }

    /// When an alarm set to `deadline` fires: the tick nearest to it.
    #[must_use]
    pub fn nearest(&self, deadline: Moment) -> Moment {
        self.moment(self.nearest_tick(deadline))
    }

    fn nearest_tick(&self, deadline: Moment) -> u64 {
        let since_first = deadline.nanos().saturating_sub(self.first);
        (since_first.saturating_add(self.tick / 2) / self.tick).min(FIRED - 1)
    }

    fn moment(&self, tick: u64) -> Moment {
        Moment::from_nanos(tick.saturating_mul(self.tick).saturating_add(self.first))
    }

    /// When the loop has to look next.
    #[must_use]
    pub fn next(&self) -> Option<Moment> {
        self.heap.peek().map(|Reverse((tick, _))| self.moment(*tick))
    }

    /// The deadline whose nearest tick is the first one not before `deadline`.
    #[must_use]
    pub fn not_before(&self, deadline: Moment) -> Moment {
        self.moment(deadline.nanos().saturating_sub(self.first).div_ceil(self.tick))
    }

    /// Fires everything due at `now` and hands out who is to be woken.
    pub fn fire(&mut self, now: Moment, wake: &mut Vec<Waker>) {
        let Some(since_first) = now.nanos().checked_sub(self.first) else { return };
        let current = since_first / self.tick;
        while let Some(&Reverse((tick, id))) = self.heap.peek() {
            if tick > current {
                break;
            }
            self.heap.pop();
            self.look_at(id, tick, wake);
        }
    }

    /// From now on every alarm is ready: the run is cut off.
    pub fn cut(&mut self, wake: &mut Vec<Waker>) {
        self.cut = true;
        wake.extend(self.alarms.iter_mut().filter_map(|state| state.waker.take()));
    }

    /// Whether the run is cut off.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    fn look_at(&mut self, id: AlarmId, tick: u64, wake: &mut Vec<Waker>) {
        let state = &mut self.alarms[id.0];
        if state.queued != tick {
            return; // an entry that a nearer deadline has replaced
        }
        state.queued = NEVER;
        match state.due {
            NEVER | FIRED => {}
            due if due > tick => {
                state.queued = due;
                self.heap.push(Reverse((due, id)));
            }
            _ => {
                state.due = FIRED;
                wake.extend(state.waker.take());
            }
        }
    }
}

/// The first tick of loop `number` of so many `loops`: their ticks are spread evenly over the length of one.
#[must_use]
pub fn first_tick(start: Moment, number: usize, loops: NonZeroUsize) -> Moment {
    start + Duration::from_nanos(TICK_NS * number as u64 / loops.get() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(microseconds: u64) -> Moment {
        Moment::from_nanos(microseconds * 1_000)
    }

    fn fired(deadlines: &mut Deadlines, id: AlarmId) -> bool {
        deadlines.poll(id, &Context::from_waker(Waker::noop())).is_ready()
    }

    #[test]
    fn a_deadline_fires_at_the_nearest_tick() {
        let mut deadlines = Deadlines::new(WakeUps::Coalesced, Moment::default());
        let (early, late) = (deadlines.add(), deadlines.add());
        deadlines.set(early, at(16_700));
        deadlines.set(late, at(16_900));
        deadlines.fire(at(16_000), &mut Vec::new());
        assert!(fired(&mut deadlines, early));
        assert!(!fired(&mut deadlines, late));
        deadlines.fire(at(17_600), &mut Vec::new());
        assert!(fired(&mut deadlines, late));
    }

    #[test]
    fn the_ticks_of_each_loop_lie_between_those_of_the_others_and_none_before_the_start() {
        let start = at(10_000);
        let loops = NonZeroUsize::new(4).expect("not zero");
        let fires = |number, deadline| {
            let first = first_tick(start, number, loops);
            let mut deadlines = Deadlines::new(WakeUps::Coalesced, first);
            let id = deadlines.add();
            deadlines.set(id, deadline);
            let next = deadlines.next().expect("an alarm is set");
            assert_eq!(next, deadlines.nearest(deadline));
            deadlines.fire(Moment::from_nanos(next.nanos() - 1), &mut Vec::new());
            assert!(!fired(&mut deadlines, id));
            deadlines.fire(next, &mut Vec::new());
            assert!(fired(&mut deadlines, id));
            next
        };
        assert_eq!([0, 1, 2, 3].map(|number| fires(number, start)), [10_000, 10_400, 10_800, 11_200].map(at));
        let later = at(20_000);
        assert_eq!([0, 1, 2, 3].map(|number| fires(number, later)), [19_600, 20_000, 20_400, 20_800].map(at));
        let third = Deadlines::new(WakeUps::Coalesced, first_tick(start, 2, loops));
        assert_eq!(third.not_before(at(20_401)), at(22_000));
    }

    #[test]
    fn an_exact_deadline_fires_at_its_nanosecond() {
        let mut deadlines = Deadlines::new(WakeUps::Exact, at(5));
        let id = deadlines.add();
        deadlines.set(id, Moment::from_nanos(10_400_001));
        assert_eq!(deadlines.next(), Some(Moment::from_nanos(10_400_001)));
        deadlines.fire(Moment::from_nanos(10_400_000), &mut Vec::new());
        assert!(!fired(&mut deadlines, id));
        deadlines.fire(Moment::from_nanos(10_400_001), &mut Vec::new());
        assert!(fired(&mut deadlines, id));
    }

    #[test]
    fn the_mean_of_many_firings_is_the_mean_of_their_deadlines() {
        let mut deadlines = Deadlines::new(WakeUps::Coalesced, Moment::default());
        let mut sum = 0_i64;
        for step in 0..1_000 {
            let id = deadlines.add();
            let deadline = at(5_000 + step * 37);
            deadlines.set(id, deadline);
            let fires = deadlines.next().expect("an alarm is set");
            deadlines.fire(fires, &mut Vec::new());
            sum += i64::try_from(fires.nanos()).unwrap() - i64::try_from(deadline.nanos()).unwrap();
        }
        assert!((sum / 1_000).abs() < 5_000, "mean error {} ns", sum / 1_000);
    }

    #[test]
    fn an_alarm_pushed_back_a_million_times_stands_in_the_heap_once() {
        let mut deadlines = Deadlines::new(WakeUps::Coalesced, Moment::default());
        let id = deadlines.add();
        for request in 0..1_000_000 {
            deadlines.set(id, at(30_000_000 + request * 100));
        }
        assert_eq!(deadlines.heap.len(), 1);
        deadlines.fire(at(30_000_000), &mut Vec::new());
        assert!(!fired(&mut deadlines, id));
        deadlines.fire(at(130_000_000), &mut Vec::new());
        assert!(fired(&mut deadlines, id));
    }

    #[test]
    fn an_alarm_taken_back_does_not_fire() {
        let mut deadlines = Deadlines::new(WakeUps::Coalesced, Moment::default());
        let id = deadlines.add();
        deadlines.set(id, at(1_000));
        deadlines.clear(id);
        deadlines.fire(at(9_000), &mut Vec::new());
        assert!(!fired(&mut deadlines, id));
    }

    #[test]
    fn a_cut_makes_every_alarm_ready() {
        let mut deadlines = Deadlines::new(WakeUps::Coalesced, Moment::default());
        let id = deadlines.add();
        assert!(!fired(&mut deadlines, id));
        deadlines.cut(&mut Vec::new());
        assert_eq!(deadlines.poll(id, &Context::from_waker(Waker::noop())), Poll::Ready(Wake::Cut));
    }
}
