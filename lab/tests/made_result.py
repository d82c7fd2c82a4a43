"""Makes the contents of a result folder in memory: windows that were judged, with the few figures a test is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from synthetic_result import APART, HOST

from middlemark.judge.result import measured_of
from middlemark.records.findings import Measured
from middlemark.records.naming import label
from middlemark.records.placement import Placement
from middlemark.records.point import Outcome
from middlemark.records.run import Combination, LeftOut, Load, LoadLimits, Phases, Run, RunStatus
from middlemark.records.run_parts import EfficiencyRecord, SpecificationRecord
from middlemark.records.window import Check, Fairness, Part, TierFigures, TransactionFigures, Window
from middlemark.verdict.fairness import EQUAL, UNEQUAL

SPECIFICATION = SpecificationRecord(title="Shop", unit="page", leads_with=("cpu_ms_per_transaction", "throughput"))
CONTENTS = SpecificationRecord(
    title="Contents",
    unit="request",
    leads_with=("throughput", "response_time"),
    efficiency=EfficiencyRecord(name="CALL", reference={"session": "files"}),
)
LIMITS = LoadLimits(mean_ms=3000, p90_ms=None, errors=0.0001)
WEB = "web"


@dataclass(frozen=True)
class Made:
    """The figures of one window, of one second.

    `size` is that of an answer in bytes. `equal` None: the figures of each client were not kept; `failed`: a failed
    check. `cpu_ms` of a transaction, None where the tier was not watched; `compilers`: share of compiler threads in it.
    """

    tps: float
    mean_ms: float
    size: float | None = 6250.0
    equal: bool | None = True
    failed: str = ""
    cpu_ms: float | None = None
    compilers: float | None = None


Points = Sequence[tuple[Combination, Load, Sequence[Made]]]
"""The rounds of each load of each combination."""


def combination(subject: str, **choices: str) -> Combination:
    """A combination with these choices."""
    folder = ",".join(f"{name}={value}" for name, value in choices.items())
    return Combination(subject=subject, modes=choices, label=label(subject, choices), path=f"{subject}/{folder}")


LOCAL, JSON, SOAP = (combination("go", binding=binding) for binding in ("local", "json", "soap"))
LOW, HIGH, DEAR = (1.0, 1.01, 0.99, 1.0), (1.4, 1.42, 1.38, 1.4), (2.4, 2.42, 2.38, 2.4)
"""CPU times of four rounds."""


def costing(*cpu_ms: float, failed: str = "", compilers: float | None = None) -> list[Made]:
    """Rounds that differ in the CPU time of a transaction alone."""
    return [Made(100.0, 5.0, failed=failed, cpu_ms=one, compilers=compilers) for one in cpu_ms]


def made(points: Points, **changes: object) -> Measured:
    """What a folder of these windows holds; the run has `changes`, its windows are rounds of one start each."""
    combinations = {one.path: one for one, _, _ in points}
    windows = [
        _window(one, load, repeat, each) for one, load, rounds in points for repeat, each in enumerate(rounds)
    ]  # fmt: skip
    numbered = [window.model_copy(update={"index": index}) for index, window in enumerate(windows)]
    run = _run(list(combinations.values()), points, [window.path for window in windows])
    return measured_of(Path("made"), run.model_copy(update=changes), numbered)


def changed(measured: Measured, windows: Sequence[Window] | None = None, /, **changes: object) -> Measured:
    """The same with other windows, or another run."""
    run = measured.run.model_copy(update=changes)
    fields = {name: getattr(measured, name) for name in Measured.model_fields}
    return Measured(**fields | {"run": run, "windows": tuple(measured.windows if windows is None else windows)})


def _window(one: Combination, load: Load, repeat: int, figures: Made) -> Window:
    times = dict.fromkeys(("p50_ms", "p90_ms", "p95_ms", "p99_ms", "p999_ms", "max_ms"), figures.mean_ms)
    total = TransactionFigures(
        count=int(figures.tps), errors=0, tps=figures.tps, mean_ms=figures.mean_ms, sd_ms=figures.mean_ms, **times
    )
    check = Check(
        name=figures.failed or "errors", outcome=Outcome.FAILED if figures.failed else Outcome.PASSED,
        message="1 %" if figures.failed else "0 %", requirement="0.01 %",
    )  # fmt: skip
    proven = Check(name="conformance", outcome=Outcome.PASSED, message="", requirement="")
    return Window(
        path=f"{one.path}/{load:g}/{repeat}", part=Part.ROUND, combination=one.path, load=load, repeat=repeat, index=0,
        started=f"2026-11-20T08:{repeat:02}:00Z", segment=0, seed=repeat, plan_sha256="0" * 64, planned_s=1.0,
        about={}, valid=not figures.failed, users=int(load), start_s=0.0, window_s=1.0, throughput_tps=figures.tps,
        little_tps=None, transactions={"page": total}, total=total, errors_by_kind={},
        bytes_per_s=figures.tps * 6400, sent_bytes_per_s=0.0, connections=1, reconnected=0,
        mean_body_bytes=figures.size, tiers=_tiers(figures), checks=(check, proven), fairness=_fairness(figures, load),
        compiler_share=figures.compilers,
    )  # fmt: skip


def _tiers(figures: Made) -> dict[str, TierFigures]:
    if figures.cpu_ms is None:
        return {}
    cpu_s = figures.cpu_ms * figures.tps / 1000
    web = TierFigures(
        cpu_s=cpu_s, cpu_share=cpu_s, cpu_ms_per_transaction=figures.cpu_ms, memory_mean_mib=40, memory_max_mib=50
    )
    return {WEB: web}


def _fairness(figures: Made, load: Load) -> Fairness | None:
    if figures.equal is None:
        return None
    judged = load > 1
    message = "not judged: one user alone" if not judged else EQUAL if figures.equal else UNEQUAL
    spread = 0.02 if figures.equal else 0.4
    return Fairness(
        clients=int(load), transactions_mean=100, transactions_cv=spread, transactions_min=90, transactions_max=110,
        response_cv=2 * spread, response_min_ms=1, response_max_ms=2, equal=figures.equal if judged else None,
        message=message,
    )  # fmt: skip


def _run(combinations: list[Combination], points: Points, places: list[str]) -> Run:
    loads: dict[str, list[Load]] = {one.path: [] for one in combinations}
    for one, load, _ in points:
        loads[one.path].append(load)
    placement: dict[str, Placement] = {one.path: APART for one in combinations}
    return Run(
        name="made", status=RunStatus.FINISHED, started="2026-11-20T08:00:00Z", command=["run", "made"],
        versions={}, commit="0123456789ab", host=HOST, spec="shop", spec_version="1", specification=SPECIFICATION,
        scales={}, fingerprints={}, databases={}, sessions=["shop"], think="0 ms",
        loads=sorted({load for _, load, _ in points}), repeats=max((len(rounds) for _, _, rounds in points), default=1),
        phases=Phases(warm=1, ramp=0, settle=1, measure=1, drain=1), shared_cpus=False, combinations=combinations,
        left_out=[], not_default=[], inputs={}, seed=1, budget_s=60, points=places, chosen=loads, placement=placement,
        limits=LIMITS,
    )  # fmt: skip


def contents(points: Points, *, left_out: Sequence[LeftOut] = (), limits: LoadLimits | None = LIMITS) -> Measured:
    """Windows of a specification whose combinations have an efficiency relative to the session `files`."""
    return made(points, specification=CONTENTS, left_out=list(left_out), limits=limits, placement={})
