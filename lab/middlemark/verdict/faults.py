"""How a point with faults is judged: by its audit, and by whether every fault was injected and all worked again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from middlemark.records.faults import Fault
from middlemark.records.folder import PointResult, Result
from middlemark.records.point import Audit, Check, Outcome, Reconciled
from middlemark.wording import TIMES, counted

# Whether the databases hold what was answered and the subject was the one requested does not depend on faults.
APPLIED = frozenset({"audit", "drained", "settings"})
REQUIREMENT = "each is injected under load, and everything works again"


def not_applied(check: Check) -> Check:
    """Return a check as it counts in a point with faults: errors, pace and drift are what faults disturb."""
    if check.name in APPLIED or check.outcome is Outcome.NOT_CHECKED:
        return check
    message = f"{check.message}; not applied with faults"
    return check.model_copy(update={"outcome": Outcome.NOT_CHECKED, "message": message})


def faults_check(faults: Sequence[Fault], audit: Audit | None) -> Check:
    """Every fault was injected under load, everything worked again, and effects were confirmed meanwhile."""
    wrong = [f"{fault.kind} planned at {fault.planned_s:.1f} s: {_wrong(fault)}" for fault in faults if not fault.done]
    if not wrong:
        wrong = [text for text in (_unproven(audit),) if text]
    done = ", ".join(f"{fault.kind} at {fault.injected_s or 0:.1f} s" for fault in faults)
    return Check(
        name="faults",
        outcome=Outcome.FAILED if wrong else Outcome.PASSED,
        message="; ".join(wrong) or done,
        requirement=REQUIREMENT,
        found=len(wrong),
        limit=0,
    )


def _wrong(fault: Fault) -> str:
    return fault.problem or ("it was never injected" if fault.injected_s is None else "not everything worked again")


def _unproven(audit: Audit | None) -> str:
    """Return why an audit proves nothing of the effects that are counted by name; empty when it does, or none are."""
    if audit is None or not audit.effects:
        return ""
    names, counts = " or ".join(audit.effects), [one for one in audit.reconciled.values() if one.effect]
    if not sum(one.confirmed for one in counts):
        return f"no {names} was confirmed: nothing is proven"
    if not all(one.by_name for one in counts if one.confirmed):
        return f"the driver did not name every response: one {names} lost and another doubled would cancel"
    return ""


@dataclass(frozen=True)
class EffectTotals:
    """Effects of one name in some points, of all transactions that have them, over all phases."""

    confirmed: int = 0
    found: int = 0
    unanswered: int = 0
    unanswered_done: int = 0
    invalid: int = 0
    invalid_done: int = 0
    lost: int = 0
    doubled: int = 0

    def text(self, plural: str) -> str:
        """Return all of it for people; `plural` is what several of them are called."""
        return (
            f"{self.confirmed:,} {plural} confirmed, {self.found:,} found; "
            f"{self.unanswered:,} unanswered, {self.unanswered_done:,} of them done; "
            f"{self.invalid:,} answered with an error, {self.invalid_done:,} of them done; "
            f"{self.lost:,} lost, {self.doubled:,} doubled"
        )


def effect_totals(points: Iterable[PointResult], effects: Iterable[str]) -> dict[str, EffectTotals]:
    """Return for each effect the sum over the audits of points; a point without an audit adds nothing."""
    reconciled = [one for point in points if point.audit for one in point.audit.reconciled.values()]
    return {effect: _total([one for one in reconciled if one.effect == effect]) for effect in effects}


def _total(reconciled: Sequence[Reconciled]) -> EffectTotals:
    return EffectTotals(
        confirmed=sum(n.confirmed for n in reconciled),
        found=sum(n.found for n in reconciled),
        unanswered=sum(n.unanswered for n in reconciled),
        unanswered_done=sum(n.unanswered_done for n in reconciled),
        invalid=sum(n.invalid for n in reconciled),
        invalid_done=sum(n.invalid_done for n in reconciled),
        lost=sum(n.lost for n in reconciled),
        doubled=sum(n.doubled for n in reconciled),
    )


def faults_sentence(result: Result) -> str:
    """Return in one sentence what the faults of a run did to effects and audits."""
    plurals = result.run.specification.effects
    injected = [fault for p in result.points for fault in p.faults if fault.done]
    audits = [p.audit for p in result.points if p.audit]
    effects = [
        f"{total.confirmed:,} {plurals[effect]} confirmed, {total.lost:,} lost, {total.doubled:,} doubled"
        for effect, total in effect_totals(result.points, plurals).items()
    ]
    passed = f"{sum(audit.passed for audit in audits)} of {len(audits)} audits passed"
    return f"{counted(len(injected), 'fault')} injected under load: {'; '.join([*effects, passed])}"


def totals_lines(result: Result) -> Iterator[str]:
    """Yield what the faults of a run did, a line for each kind in each combination and one for all."""
    plurals = result.run.specification.effects
    for combination in result.run.combinations:
        points = [p for p in result.points if p.combination == combination]
        kinds = Counter(fault.kind for p in points for fault in p.faults if fault.done)
        faults = ", ".join(f"{kind} {TIMES} {count}" for kind, count in kinds.items())
        yield f"{combination.label}: {'; '.join([*_texts(points, plurals), faults])}"
    if plurals:
        yield f"all: {'; '.join(_texts(result.points, plurals))}"


def _texts(points: Sequence[PointResult], plurals: Mapping[str, str]) -> list[str]:
    return [total.text(plurals[effect]) for effect, total in effect_totals(points, plurals).items()]
