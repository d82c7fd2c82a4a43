"""What a reader must know to judge the figures or to repeat them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from middlemark.records.folder import Result
from middlemark.records.run import Run
from middlemark.report.figure import Table, text_table
from middlemark.report.placement import placement_table
from middlemark.report.segments import aside_table, segment_table
from middlemark.report.tables import flat_about
from middlemark.report.warm_ups import warm_up_table
from middlemark.verdict.naming import short_names


@dataclass(frozen=True)
class Disclosed:
    """A titled table of the disclosure; long ones are folded."""

    title: str
    table: Table
    folded: bool = False


def repeat_command(result: Result) -> str:
    """Return the command that repeats the run, as it is typed into a shell."""
    return shlex.join(["middlemark", *result.run.command])


def disclosure(result: Result) -> list[Disclosed]:
    """Return the tables of the disclosure besides `not_default`; empty ones are left out."""
    run = result.run
    found = [
        Disclosed("What was run", _pairs(_what(result))),
        Disclosed("Run segments", segment_table(result)),
        Disclosed("Set aside: windows that were disturbed, and those of rounds that were cut", aside_table(result)),
        Disclosed("Warm-ups", warm_up_table(result)),
        Disclosed("Machine", _pairs(_machine(result))),
        Disclosed("CPUs of each role", placement_table(result)),
        Disclosed("Limits of the run's processes", _pairs(run.host.limits)),
        Disclosed("Kernel settings", _pairs(run.host.kernel_settings)),
        *(Disclosed(_database_title(run, tier), _pairs(facts)) for tier, facts in run.databases.items()),
        Disclosed("Versions", _pairs({**run.versions, "commit": _commit(result)})),
        Disclosed("Files that differ from the commit", text_table(("file",), [(name,) for name in run.changed])),
        Disclosed("Tuning", _tuning(result)),
        Disclosed("Settings that were tried", _trials(result)),
        Disclosed("Left out", text_table(("combination", "why"), [(out.label, out.reason) for out in run.left_out])),
        *(Disclosed(title, _pairs(facts), folded=True) for title, facts in _abouts(result)),
        Disclosed("Hashes of the inputs (SHA-256)", _pairs(_hashes(run)), folded=True),
        Disclosed("Seeds and plans", _seeds(result), folded=True),
    ]
    return [part for part in found if part.table.rows]


def _what(result: Result) -> dict[str, str]:
    run, phases = result.run, result.run.phases
    windows = sorted({p.point.window_s for p in result.points if p.point})
    measured = " … ".join(f"{s:.2f} s" for s in dict.fromkeys((windows[0], windows[-1]))) if windows else "none"
    return {
        "experiment": run.name,
        "specification": f"{run.spec}, version {run.spec_version}",
        "scale": "; ".join(_scale(name, numbers) for name, numbers in run.scales.items()) or "none",
        "session, think time": f"{run.session}, {run.think}",
        "loads": _loads(result),
        "rounds": str(run.repeats),
        **_references(run),
        "profile": run.profile or "none: phases and rounds as the experiment has them",
        "phases as expected before the run": f"warm-up {phases.warm_text}, ramp {phases.ramp:g} s, "
        f"settle {phases.settle:g} s, measure {phases.measure:g} s, drain {phases.drain:g} s",
        "planned windows": measured,
        "seed": str(run.seed),
        "started": run.started,
        "finished": run.finished or "no",
    }


def _scale(name: str, numbers: Mapping[str, int]) -> str:
    return f"{name} ({', '.join(f'{number:,} {what}' for what, number in numbers.items())})"


def _references(run: Run) -> dict[str, str]:
    """Return what each combination is shown relative to; nothing where the experiment names no reference."""
    names = short_names(run.combinations)
    pairs = ((one, run.reference_of(one)) for one in run.combinations)
    texts = [f"{names[one.path]}: {names[to.path]}" for one, to in pairs if to is not None and to != one]
    paths = {*run.references.keys(), *run.references.values()}
    alone = [names[one.path] for one in run.combinations if run.references and one.path not in paths]
    found = {"shown relative to": "; ".join(texts), "without a reference, compared with none": "; ".join(alone)}
    return {what: text for what, text in found.items() if text}


def _database_title(run: Run, tier: str) -> str:
    return "Database" if len(run.databases) == 1 else f"Database {tier.partition('.')[2]}"


def _hashes(run: Run) -> dict[str, str]:
    several = len(run.fingerprints) > 1
    data = {f"data set at scale {scale}" if several else "data set": one for scale, one in run.fingerprints.items()}
    return {**run.inputs, **data}


def _loads(result: Result) -> str:
    run = result.run
    names = short_names(run.combinations)
    if run.searched and not run.chosen:
        return f"{run.load_unit}; no search has ended"
    if not run.chosen:
        every = ", ".join(f"{load:,g}" for load in run.loads) + f" {run.load_unit}"
        return "1 user" if every == "1 users" else every
    own = (
        f"{names.get(path, path)}: {', '.join(f'{load:,g}' for load in c) or 'none'}" for path, c in run.chosen.items()
    )
    return f"{run.load_unit}; {'; '.join(own)}"


def _machine(result: Result) -> dict[str, str]:
    host = result.run.host
    return {
        "system": host.system,
        "kernel": host.kernel,
        "CPU": f"{host.cpu}, {host.cpus} of them",
        "memory": f"{host.memory_mib:,} MiB",
        "open files limit": f"{host.open_files:,}",
        **host.hardware,
        "durable write (fdatasync of 8 KiB, median) before the points": _milliseconds(host.fsync_ms),
        "and after them": _milliseconds(host.fsync_after_ms),
    }


def _milliseconds(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.2f} ms"


def _commit(result: Result) -> str:
    """Return the commit in words: what a reader can check out, or cannot."""
    run = result.run
    return f"{run.commit}, with changes that are in no commit" if run.changed else run.commit


def _tuning(result: Result) -> Table:
    rows = [(log.platform, f"{log.runs:,}", f"{log.hours:g}", log.note) for log in result.run.tuning]
    return text_table(("platform", "runs", "hours", "note"), rows)


def _trials(result: Result) -> Table:
    columns = ("platform", "setting", "tried", "before", "measured", "kept", "why")
    rows = [
        (log.platform, t.setting, t.value, t.before, t.measured, "yes" if t.kept else "no", t.why)
        for log in result.run.tuning
        for t in log.trials
    ]
    return text_table(columns, rows)


def not_default(result: Result) -> Table:
    """Return what the run and every application's `/about` list as changed, each setting once."""
    listed: list[tuple[str, object]] = [("the run", row) for row in result.run.not_default]
    for title, about in _documents(result):
        own = about.get("not_default")
        listed += [(title, row) for row in (own if isinstance(own, list) else [])]
    where: dict[tuple[str, ...], list[str]] = {}
    for title, row in listed:
        if isinstance(row, Mapping):
            setting = tuple(str(row.get(key, "")) for key in ("what", "value", "why"))
            where.setdefault(setting, []).append(title)
    return text_table(("what", "value", "why", "where"), [(*row, "; ".join(titles)) for row, titles in where.items()])


def heaps(result: Result) -> list[str]:
    """Return what was set of a heap, and where: memory figures are these settings as much as what is needed."""
    rows = not_default(result).rows
    return [f"{what.text} {value.text} ({where.text})" for what, value, _, where in rows if "heap" in what.text.lower()]


def _abouts(result: Result) -> list[tuple[str, dict[str, str]]]:
    return [(f"/about of {title}", flat_about(document)) for title, document in _documents(result)]


def _documents(result: Result) -> list[tuple[str, dict[str, object]]]:
    """Return `combination, process` with its `/about`, from the first point of each combination that has one."""
    names = short_names(result.run.combinations)
    found = []
    for c in result.run.combinations:
        about = next((p.point.about for p in result.points if p.point and p.combination == c and p.point.about), {})
        found += [(f"{names[c.path]}, {process}", document) for process, document in about.items()]
    return found


def _seeds(result: Result) -> Table:
    rows = [(p.path, str(p.point.seed), p.point.plan_sha256) for p in result.points if p.point]
    return text_table(("point", "seed", "SHA-256 of plan.json"), rows)


def _pairs(pairs: dict[str, str]) -> Table:
    return text_table(("what", "value"), list(pairs.items()))
