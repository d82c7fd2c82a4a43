"""Makes findings from their types alone: every text in them, also each name, is markup that would run."""

from __future__ import annotations

import re
import types
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from rejudged_result import with_fields

from middlemark.records.figures import CPU_TIME, FIGURES, RESPONSE_TIME, THROUGHPUT
from middlemark.records.findings import CombinationFinding, Comparison, Counterpart, Estimate, Findings, Use
from middlemark.records.point import Audit, AuditFinding, Outcome
from middlemark.records.run import Combination, Run, Searched
from middlemark.records.run_parts import PlannedFault
from middlemark.records.side_files import PublishedRatio, RatioOf
from middlemark.records.window import Check, Part, Window

# Fields that are parsed, or looked up in the lab's own lists: they have no text of others.
MOMENT = "2026-11-20T08:00:00Z"
OWN_WORDS: Mapping[str, object] = {
    "metric": CPU_TIME.name, "started": MOMENT, "finished": MOMENT, "Resumption.at": MOMENT, "ended": MOMENT,
    "leads_with": ("cpu_ms_per_transaction", "bytes_per_second"),
}  # fmt: skip


def hostile(name: str) -> str:
    """Return a text that would run as a script or as an attribute; `name` says where it is."""
    return f"""<script>alert(1)</script><b class="x" onload='y'>&amp;{{{{ 7 }}}}</p>[{name.replace(".", "/")}]"""


FIRST, SECOND, TIER, DATABASE, PROCESS, EFFECT, TRANSACTION, SUBJECT, MODE, SOURCE = map(
    hostile, ("path", "other path", "tier", "database", "process", "effect", "transaction", "subject", "mode", "source")
)
# What records name each other by, by the field.
NAMES = (
    (r"\.(combination|combinations|path|runs_on|a|b|first)$", FIRST),
    (r"Run\.(references|faults|placement|deployments|searched|cut|chosen|outside) key|kept_together", FIRST),
    (r"Run\.references$", SECOND),
    (r"Window\.tiers key|CodeLines\.tiers|Combination\.tiers|DatabaseFigures\.pools|PublishedRatio\.tiers", TIER),
    (r"Window\.databases key|TierFigures\.pools|Statement\.database", DATABASE),
    (r"CallRecord\.to|ProcessRecord\.name", PROCESS),
    (r"effects key|\.effect$", EFFECT),
    (r"Window\.transactions key|StepWork\.transaction|WorkDifference\.transaction", TRANSACTION),
    (r"\.(subject|subjects)$", SUBJECT),
    (r"(Counterpart|PublishedSource)\.source$", SOURCE),
)


@dataclass
class Maker:
    """Makes records; `texts` has every field that holds text of others, with what it holds."""

    texts: dict[str, str] = field(default_factory=dict)

    def record(self, model: type[BaseModel], /, **given: object) -> Any:
        """Make a record with every field filled, also those that its checks would refuse."""
        missing = {name: each for name, each in model.model_fields.items() if name not in given}
        filled = {name: self._field(model.__name__, name, each.annotation) for name, each in missing.items()}
        fields: dict[str, Any] = {**filled, **given}
        return model.model_construct(**fields)

    def _field(self, model: str, name: str, kind: Any) -> Any:
        place = f"{model}.{name}"
        if place in OWN_WORDS or name in OWN_WORDS:
            return OWN_WORDS.get(place, OWN_WORDS.get(name))
        return self._value(kind, place)

    def _value(self, kind: Any, place: str) -> Any:
        origin, inside = get_origin(kind), get_args(kind)
        if origin in (Annotated, Union, types.UnionType):
            return self._value(inside[0], place)
        if origin is dict:
            return {self._value(inside[0], f"{place} key"): self._value(inside[1], place)}
        if origin in (list, tuple):
            return origin([self._value(inside[0], place)])
        if kind in (str, object):
            name = next((text for pattern, text in NAMES if re.search(pattern, place)), hostile(place))
            return self.texts.setdefault(place, name)
        if origin is Literal or issubclass(kind, Enum):
            return next(iter(inside or kind))
        numbers = len(fields(kind)) if is_dataclass(kind) else 1
        return self.record(kind) if issubclass(kind, BaseModel) else kind(*range(1, numbers + 1))


def hostile_findings(maker: Maker) -> Findings:
    """Return findings of two combinations of two loads with everything that a report can show."""
    first = maker.record(CombinationFinding, load=1, percentiles={50.0: 1.0, 90.0: 2.0})
    estimates = {figure.name: maker.record(Estimate) for figure in FIGURES}
    levels = [each.model_copy(update={"figures": estimates}) for each in first.levels]
    first = first.model_copy(update={"levels": (*levels, levels[0].model_copy(update={"load": 2}))})
    windows = _windows(maker)
    three = (CPU_TIME, THROUGHPUT, RESPONSE_TIME)
    comparisons = [
        maker.record(Comparison, use=use, metric=figure.name, b=SECOND, not_ranked=reason)
        for use in Use
        for figure in three
        for reason in ("", hostile("Comparison.not_ranked"))
    ]
    without = [maker.record(Comparison, use=use, metric="", a=SECOND, ratio=None, low=None) for use in Use]
    ratios = [maker.record(PublishedRatio, of=of) for of in RatioOf]
    return maker.record(  # type: ignore[no-any-return]
        Findings,
        run=_run(maker),
        windows=windows,
        combinations=(first, first.model_copy(update={"path": SECOND, "name": hostile("other name"), "rank": None})),
        comparisons=(*comparisons, *without),
        counterparts=tuple(
            maker.record(Counterpart, ratio=ratio, comparison=one)
            for ratio in ratios
            for one in (comparisons[0], without[0], None)
        ),
    )


def _windows(maker: Maker) -> tuple[Window, ...]:
    checks = [maker.record(Check, outcome=one) for one in Outcome]
    conformance = [maker.record(Check, name="conformance", outcome=one) for one in Outcome]
    audit = maker.record(Audit, findings=[maker.record(AuditFinding, outcome=one) for one in Outcome])
    window = maker.record(Window, checks=(*checks, *conformance), audit=audit, aside="", repeat=0)
    changes: tuple[dict[str, object], ...] = (
        {}, {"repeat": 1}, {"load": 2}, {"valid": False, "combination": SECOND},
        {"part": Part.ASIDE, "aside": hostile("Window.aside"), "place": window.path},
    )  # fmt: skip
    return tuple(window.model_copy(update=change) for change in changes)


def _run(maker: Maker) -> Run:
    """Make the record of a run without faults and without a search."""
    modes = {MODE: hostile("Combination.modes"), "session": hostile("session"), "tiers.web": hostile("tiers.web")}
    one = maker.record(Combination, modes=modes)
    other = one.model_copy(update={"path": SECOND, "modes": {**modes, MODE: "b", "tiers.web": "b"}})
    changed = {name: hostile(f"Run.not_default.{name}") for name in ("what", "value", "why")}
    return maker.record(  # type: ignore[no-any-return]
        Run, combinations=[one, other], loads=[1, 2], chosen={FIRST: [1, 2], SECOND: [1, 2]}, faults={}, searched={},
        repeats=2, rounds=1, not_default=[changed],
    )  # fmt: skip


def with_run(findings: Findings, **changes: object) -> Findings:
    """Return findings of another run record."""
    run = findings.run.model_copy(update=changes)
    return with_fields(findings, run=run)


def of_search(maker: Maker, findings: Findings) -> Findings:
    """Return them as of a run that searched for its loads."""
    found = maker.record(Searched)
    return with_run(findings, searched={FIRST: found, SECOND: found})


def of_faults(maker: Maker, findings: Findings) -> Findings:
    """Return them as of a run with faults."""
    return with_run(findings, faults={FIRST: [[maker.record(PlannedFault)]]})


def without_efficiency(_: Maker, findings: Findings) -> Findings:
    """Return them as of a specification without an efficiency, of which other charts are drawn."""
    specification = findings.run.specification.model_copy(update={"efficiency": None})
    return with_run(findings, specification=specification)
