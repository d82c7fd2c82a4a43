"""What a reader must know to judge the figures or to repeat them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from datetime import datetime

from middlemark.records.choices import is_mode, is_setting
from middlemark.records.findings import Findings
from middlemark.records.placement import cpu_list
from middlemark.records.run import Run
from middlemark.records.run_parts import WarmUp
from middlemark.records.side_files import PriceSheet
from middlemark.show.tables import Cell, Heading, Table, Text, fold, pairs, table
from middlemark.wording import counted

# More values of a warm-up do not fit into a line.
MAX_VALUES = 12
# More rows than this are folded.
MAX_OPEN = 8


def disclosure(findings: Findings) -> Iterator[object]:
    """Yield the tables of the disclosure."""
    run = findings.run
    yield Heading("The command that repeats this run")
    yield Text(shlex.join(["middlemark", *run.command]), "command")
    if changed := not_default(findings):
        yield from (Heading("Settings that differ from the default"), changed)
    databases = {
        f"Database {tier.partition('.')[2]}" if len(run.databases) > 1 else "Database": pairs(facts)
        for tier, facts in run.databases.items()
    }
    commit = f"{run.commit}, with changes that are in no commit" if run.changed else run.commit
    several = len(run.fingerprints) > 1
    data = {f"data set at scale {scale}" if several else "data set": one for scale, one in run.fingerprints.items()}
    found = {
        "What was run": pairs(_what(findings)),
        "Run segments": _segments(findings),
        "Warm-ups": _warm_ups(findings),
        "Machine": pairs(_machine(run)),
        "CPUs of each role": _placement(findings),
        "Limits of the run's processes": pairs(run.host.limits),
        "Kernel settings": pairs(run.host.kernel_settings),
        **databases,
        "Versions": pairs({**run.versions, "commit": commit, "judged by": f"middlemark {findings.lab}"}),
        "Files that differ from the commit": table(run.changed, ("file", str)),
        "Tuning": table(
            run.tuning,
            "platform: platform | #runs: runs",
            ("#hours", lambda log: f"{log.hours:g}"),
            "note: note",
        ),
        "Settings that were tried": table(
            ((log.platform, trial) for log in run.tuning for trial in log.trials),
            "platform: 0 | setting: 1.setting | tried: 1.value | before: 1.before | measured: 1.measured",
            "kept: 1.kept | why: 1.why",
        ),
        **_prices(findings.prices),
        "Left out": table(run.left_out, "combination: label | why: reason"),
        **{f"/about of {title}": pairs(flat_about(document)) for title, document in _documents(findings).items()},
        "Hashes of the inputs (SHA-256)": pairs({**run.inputs, **data}),
        "Seeds and plans": table(
            findings.rounds,
            "window: path",
            ("seed", lambda window: str(window.seed)),
            "SHA-256 of plan.json: plan_sha256",
        ),
    }
    for title, content in found.items():
        yield fold(title, content)


def differences(findings: Findings) -> Iterator[object]:
    """Yield the choices, settings and versions in which those that were started differ."""
    run = findings.run
    known = {one.path: _facts(findings, one.path) for one in run.combinations}
    missing = [findings.name(path) for path, facts in known.items() if not facts]
    if missing and len(known) > 1:
        text = f"{', '.join(missing)} {'was' if len(missing) == 1 else 'were'} not started"
        rest = "; nothing to compare." if len(known) - len(missing) < 2 else " and cannot be compared."
        yield Text(text + rest, "none")
    chosen = {
        one.path: {(c if is_setting(c) else c.replace("_", " ")): v for c, v in one.modes.items() if not is_mode(c)}
        for one in run.combinations
    }
    facts = {path: {**chosen[path], **values} for path, values in known.items() if values}
    keys = dict.fromkeys(key for values in facts.values() for key in values)
    differing = [key for key in keys if len({values.get(key) for values in facts.values()}) > 1]
    columns = [(findings.name(path), lambda key, path=path: facts[path].get(key, "none")) for path in facts]
    if differing:
        yield Text("By their choices and the /about of their processes; addresses are left out.")
    # Of different platforms these are long, and tell less.
    of_platforms = [key for key in differing if key.startswith(("not default: ", "versions "))]
    yield table((key for key in differing if key not in of_platforms), ("what", str), *columns)
    title = "Versions and settings that are not the default"
    few = len(of_platforms) <= MAX_OPEN
    yield fold(title, table(of_platforms, ("what", str), *columns), is_open=few)


def not_default(findings: Findings) -> Table | None:
    """What the run and every application's `/about` list as changed, each setting once."""
    listed: list[tuple[str, object]] = [("the run", row) for row in findings.run.not_default]
    for title, about in _documents(findings).items():
        own = about.get("not_default")
        listed += [(title, row) for row in (own if isinstance(own, list) else [])]
    where: dict[tuple[str, ...], list[str]] = {}
    for title, row in listed:
        if isinstance(row, Mapping):
            setting = tuple(str(row.get(key, "")) for key in ("what", "value", "why"))
            where.setdefault(setting, []).append(title)
    return table(
        where.items(),
        "what: 0.0 | value: 0.1 | why: 0.2",
        ("where", lambda row: "; ".join(row[1])),
    )


def heaps(findings: Findings) -> str:
    """What was set of a heap, and where: memory figures are these settings as much as what is needed."""
    found = not_default(findings)
    rows = [row for row in (found.rows if found else ()) if "heap" in row[0].text.lower()]
    return "; ".join(f"{what.text} {value.text} ({where.text})" for what, value, _, where in rows)


def flat_about(document: Mapping[str, object]) -> dict[str, str]:
    """An `/about` as name to value: its objects by `object name`, what is not default by `not default: what`."""
    flat: dict[str, str] = {}
    for key, value in document.items():
        if isinstance(value, Mapping):
            flat |= {f"{key} {inner}": str(content) for inner, content in value.items()}
        elif not isinstance(value, list):
            flat[key] = str(value)
        elif key == "not_default":
            rows = [row for row in value if isinstance(row, Mapping)]
            flat |= {f"not default: {row.get('what')}": str(row.get("value")) for row in rows}
        else:
            flat[key] = ", ".join(map(str, value)) or "none"
    return flat


def _facts(findings: Findings, path: str) -> dict[str, str]:
    """What the first `/about` of a combination shows; where its processes differ, with the process.

    Addresses and roles are left out: every start chooses them anew.
    """
    spec = findings.run.specification
    places = {f"settings {name}" for name in {*spec.given_settings} - {*spec.mode_settings}}
    found: dict[str, dict[str, str]] = {}
    for process, document in _about(findings, path).items():
        for key, value in flat_about(document).items():
            if key != "roles" and key not in places:
                found.setdefault(key, {})[process] = value

    def joined(values: Mapping[str, str]) -> str:
        if len(set(values.values())) == 1:
            return next(iter(values.values()))
        return ", ".join(f"{value} ({process})" for process, value in values.items())

    return {key: joined(values) for key, values in found.items()}


def _about(findings: Findings, path: str) -> dict[str, dict[str, object]]:
    return next((window.about for window in findings.windows if window.combination == path and window.about), {})


def _documents(findings: Findings) -> dict[str, dict[str, object]]:
    """The `/about` of each process by `combination, process`."""
    every = ((one.name, _about(findings, one.path)) for one in findings.combinations)
    return {f"{name}, {process}": document for name, own in every for process, document in own.items()}


def _what(findings: Findings) -> dict[str, str]:
    run, phases = findings.run, findings.run.phases
    windows = sorted({window.planned_s for window in findings.rounds})
    measured = " … ".join(f"{s:.2f} s" for s in dict.fromkeys((windows[0], windows[-1]))) if windows else "none"
    scales = (f"{name} ({', '.join(f'{n:,} {what}' for what, n in own.items())})" for name, own in run.scales.items())
    return {
        "experiment": run.name,
        "specification": f"{run.spec}, version {run.spec_version}",
        "scale": "; ".join(scales) or "none",
        "session, think time": f"{run.session}, {run.think}",
        "loads": _loads(findings),
        "rounds": str(run.repeats),
        **_references(findings),
        "profile": run.profile or "none: phases and rounds as the experiment has them",
        "phases as expected before the run": f"warm-up {phases.warm_text}, ramp {phases.ramp:g} s, "
        f"settle {phases.settle:g} s, measure {phases.measure:g} s, drain {phases.drain:g} s",
        "planned windows": measured,
        "seed": str(run.seed),
        "started": run.started,
        "finished": run.finished or "no",
    }


def _references(findings: Findings) -> dict[str, str]:
    """What each combination is shown relative to; nothing where the experiment names no reference."""
    run = findings.run
    texts = [f"{findings.name(one)}: {findings.name(to)}" for one, to in run.references.items() if one != to]
    paths = {*run.references.keys(), *run.references.values()}
    alone = [findings.name(one.path) for one in run.combinations if run.references and one.path not in paths]
    found = {"shown relative to": "; ".join(texts), "without a reference, compared with none": "; ".join(alone)}
    return {what: text for what, text in found.items() if text}


def _loads(findings: Findings) -> str:
    run = findings.run
    if run.searched and not run.chosen:
        return f"{run.load_unit}; no search has ended"
    if not run.chosen:
        every = ", ".join(f"{load:,g}" for load in run.loads) + f" {run.load_unit}"
        return "1 user" if every == "1 users" else every
    own = (
        f"{findings.name(path)}: {', '.join(f'{x:,g}' for x in some) or 'none'}" for path, some in run.chosen.items()
    )
    return f"{run.load_unit}; {'; '.join(own)}"


def _machine(run: Run) -> dict[str, str]:
    host = run.host

    def ms(value: float | None) -> str:
        return "not measured" if value is None else f"{value:.2f} ms"

    return {
        "system": host.system,
        "kernel": host.kernel,
        "CPU": f"{host.cpu}, {host.cpus} of them",
        "memory": f"{host.memory_mib:,} MiB",
        "open files limit": f"{host.open_files:,}",
        **host.hardware,
        "durable write (fdatasync of 8 KiB, median) before the windows": ms(host.fsync_ms),
        "and after them": ms(host.fsync_after_ms),
    }


def _prices(sheet: PriceSheet | None) -> dict[str, Table | None]:
    """The price sheet that counts, line by line; nothing without one."""
    if sheet is None:
        return {}
    terms = sheet.terms
    paid = f"per {terms.per}" + (f" for {terms.years:g} years" if terms.years is not None else "")
    lines = table(
        sheet.lines,
        "item: item",
        ("for", lambda line: ", ".join(line.subjects)),
        "#quantity: quantity",
        (f"#{terms.currency} {paid}", lambda line: line.price),
        "date: date | source: source",
    )
    return {f"Price sheet: {sheet.title} ({terms.scope})": lines}


def _placement(findings: Findings) -> Table | None:
    """The CPUs of every role by combination; equal ones once."""
    rows: dict[tuple[str, ...], list[str]] = {}
    placement = findings.run.placement
    for path, one in placement.items():
        shared = "yes" if one.shared else "cores" if one.shared_cores else "no"
        shared = f"{shared}: {one.note}" if one.note else shared
        places = {role: f"CPU {cpu_list(numbers)}" for role, numbers in one.cpus.items()} or {"all": "anywhere"}
        for role, cpus in places.items():
            key = ("driver, lab" if role == "driver" else role, cpus, shared)
            rows.setdefault(key, []).append(findings.name(path))
    return table(
        rows.items(),
        "role: 0.0 | CPUs: 0.1 | the application shares some with driver or database: 0.2",
        ("combination", lambda row: "all" if len(row[1]) == len(placement) else ", ".join(row[1])),
    )


def _warm_ups(findings: Findings) -> Table | None:
    unit = findings.run.specification.unit
    return table(
        findings.run.warm_ups,
        ("combination", lambda one: findings.name(one.combination)),
        ("#start", lambda one: one.start + 1),
        ("by", lambda one: f"{counted(one.users, 'user')} without think time" if one.users else "the measured load"),
        "#seconds: seconds | ended: ending",
        (f"CPU ms per {unit}, from begin to end", lambda one: _course(one, share=False)),
        ("compiler, % of CPU time", lambda one: Cell(_course(one, share=True))),
    )


def _course(warm_up: WarmUp, *, share: bool) -> str:
    """The values of the course; those of the look at the measured load stand behind a bar."""
    parts = []
    for at_load in (False, True):
        own = [one for one in warm_up.course if one.at_load == at_load]
        shares = [100 * one.compiler_share for one in own if one.compiler_share is not None]
        values = shares if share else [one.cpu_ms for one in own]
        if len(values) > MAX_VALUES:
            values = [values[round(n * (len(values) - 1) / (MAX_VALUES - 1))] for n in range(MAX_VALUES)]
        parts.append(" ".join(f"{value:.3g}" for value in values))
    return " | ".join(filter(None, parts))


def _segments(findings: Findings) -> Table | None:
    """A row for each segment of a run that was resumed."""
    run = findings.run
    if not run.resumed:
        return None
    begins = [run.started, *(one.at for one in run.resumed)]
    ends = [*((one.ended, one.reason, len(one.aside)) for one in run.resumed)]
    ends.append((run.finished, run.message or run.status.value, 0))
    own = [[window for window in findings.rounds if window.segment == number] for number in range(len(begins))]
    return table(
        enumerate(ends),
        ("#segment", lambda row: row[0] + 1),
        ("began", lambda row: _time(begins[row[0]])),
        ("after a pause of", lambda row: Cell(_pause(ends[row[0] - 1][0], begins[row[0]]) if row[0] else "")),
        ("ended", lambda row: _time(row[1][0])),
        "by: 1.1",
        ("#windows", lambda row: len(own[row[0]])),
        ("rounds", lambda row: ", ".join(map(str, sorted({one.repeat + 1 for one in own[row[0]]}))) or "none"),
        "#set aside: 1.2",
    )


def _pause(ended: str | None, began: str) -> str:
    """How long nothing was measured, to the second."""
    if ended is None:
        return "unknown"
    seconds = int((datetime.fromisoformat(began) - datetime.fromisoformat(ended)).total_seconds())
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min {rest} s" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _time(moment: str | None) -> str:
    return "unknown" if moment is None else moment.replace("T", " ")
