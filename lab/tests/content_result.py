"""Writes a result folder of a specification with an efficiency, each point made of the few figures a test is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from synthetic_result import HOST

from middlemark.records.folder import Result, point_folder, read_result, write_json
from middlemark.records.ledger import LEDGER, Ledger
from middlemark.records.point import Check, Fairness, Outcome, Point, TransactionFigures, Verdict
from middlemark.records.run import Combination, LeftOut, Load, LoadLimits, Phases, Run, RunStatus
from middlemark.records.specification import EfficiencyRecord, SpecificationRecord
from middlemark.verdict.fairness import EQUAL, UNEQUAL
from middlemark.verdict.naming import label

SPECIFICATION = SpecificationRecord(
    title="Contents",
    unit="request",
    leads_with=("throughput", "response_time"),
    efficiency=EfficiencyRecord(name="CALL", reference={"session": "files"}),
)
LIMITS = LoadLimits(mean_ms=3000, p90_ms=None, errors=0.0001)


@dataclass(frozen=True)
class Made:
    """The figures of one point. `equal` None: the figures of each client were not kept; `failed`: a failed check."""

    tps: float
    mean_ms: float
    size: float | None = 6250.0
    equal: bool | None = True
    failed: str = ""


Points = Sequence[tuple[Combination, Load, Sequence[Made]]]
"""The rounds of each load of each combination."""


def combination(subject: str, **choices: str) -> Combination:
    """Return a combination with these choices."""
    folder = ",".join(f"{name}={value}" for name, value in choices.items())
    return Combination(subject=subject, modes=choices, label=label(subject, choices), path=f"{subject}/{folder}")


def write_contents(
    root: Path, points: Points, *, left_out: Sequence[LeftOut] = (), limits: LoadLimits | None = LIMITS
) -> Result:
    """Write the folder and read it."""
    places: list[str] = []
    for one, load, rounds in points:
        for repeat, made in enumerate(rounds):
            folder = point_folder(root, one, load, repeat)
            write_json(folder / "point.json", _point(one, load, repeat, len(places)))
            write_json(folder / "verdict.json", _verdict(made, int(load)))
            places.append(folder.relative_to(root / "points").as_posix())
    combinations = {one.path: one for one, _, _ in points}
    run = _run(list(combinations.values()), points, places)
    write_json(root / "run.json", run.model_copy(update={"left_out": list(left_out), "limits": limits}))
    write_json(root / LEDGER, Ledger())
    return read_result(root)


def _point(one: Combination, load: Load, repeat: int, index: int) -> Point:
    return Point(
        index=index, combination=one.path, load=load, repeat=repeat, started="2026-11-20T08:00:00Z", seed=index,
        plan_sha256="0" * 64, expected_iteration_s=0.01, window_s=1.0, about={},
    )  # fmt: skip


def _verdict(made: Made, users: int) -> Verdict:
    times = dict.fromkeys(("p50_ms", "p90_ms", "p95_ms", "p99_ms", "p999_ms", "max_ms"), made.mean_ms)
    total = TransactionFigures(
        count=int(made.tps), errors=0, tps=made.tps, mean_ms=made.mean_ms, sd_ms=made.mean_ms, **times
    )
    check = Check(
        name=made.failed or "errors", outcome=Outcome.FAILED if made.failed else Outcome.PASSED,
        message="1 %" if made.failed else "0 %", requirement="0.01 %",
    )  # fmt: skip
    return Verdict(
        valid=not made.failed, shared_cpus=False, users=users, window_s=1.0, throughput_tps=made.tps, little_tps=None,
        transactions={"page": total}, total=total, errors_by_kind={}, bytes_per_s=made.tps * 6400, tiers={},
        checks=[check], mean_body_bytes=made.size, fairness=_fairness(made, users),
    )  # fmt: skip


def _fairness(made: Made, users: int) -> Fairness | None:
    if made.equal is None:
        return None
    judged = users > 1
    message = "not judged: one user alone" if not judged else EQUAL if made.equal else UNEQUAL
    spread = 0.02 if made.equal else 0.4
    return Fairness(
        clients=users, transactions_mean=100, transactions_cv=spread, transactions_min=90, transactions_max=110,
        response_cv=2 * spread, response_min_ms=1, response_max_ms=2, equal=made.equal if judged else None,
        message=message,
    )  # fmt: skip


def _run(combinations: list[Combination], points: Points, places: list[str]) -> Run:
    loads: dict[str, list[Load]] = {one.path: [] for one in combinations}
    for one, load, _ in points:
        loads[one.path].append(load)
    return Run(
        name="contents", status=RunStatus.FINISHED, started="2026-11-20T08:00:00Z", command=["run", "contents"],
        versions={}, commit="0123456789ab", host=HOST, spec="contents", spec_version="1",
        specification=SPECIFICATION, scales={}, fingerprints={}, databases={},
        sessions=list(dict.fromkeys(one.modes["session"] for one in combinations)), think="0 ms",
        loads=sorted({load for _, load, _ in points}), repeats=max(len(rounds) for _, _, rounds in points),
        phases=Phases(warm=1, ramp=0, settle=1, measure=1, drain=1), shared_cpus=False, combinations=combinations,
        left_out=[], not_default=[], inputs={}, seed=1, budget_s=60, points=places, chosen=loads,
    )  # fmt: skip
