"""Tables of what stands beside the figures: start-up and code, searches, work in the databases, published ratios."""

from __future__ import annotations

from collections.abc import Iterator

from middlemark.records.findings import Comparison, Counterpart, Findings
from middlemark.records.run import Searched
from middlemark.records.side_files import WORK_FIGURES, RatioOf
from middlemark.show.tables import Bullets, Cell, Column, Style, Table, Text, ends_of, fold, muted, table, titled
from middlemark.wording import TIMES, counted, few_or_many


def platforms(findings: Findings) -> Iterator[object]:
    """Yield start-up times and lines of code."""
    names: dict[str, list[str]] = {}
    for each in findings.run.combinations:
        names.setdefault(each.deployment, []).append(findings.name(each.path))
    starts = [
        (", ".join(names[one.path]), start)
        for one in findings.combinations
        if one.path in names
        for start in one.starts
    ]
    shared = " Combinations of one row ran on the same processes." if len(names) < len(findings.combinations) else ""
    yield from titled(
        "Start-up time",
        "From the begin of a process to its first response that it is ready; a process starts when the one before it "
        "is ready. Each is a first start on an empty folder. With other work, and after a build, it takes longer."
        f"{shared}",
        table(
            starts,
            "combination: 0 | process: 1.process | #starts: 1.number",
            "#median s: 1.median_s | #min s: 1.min_s | #max s: 1.max_s",
        ),
    )
    code = findings.run.code
    tiers = list(dict.fromkeys(tier for one in code for tier in one.tiers))
    yield from titled(
        "Lines of code",
        "Lines with more than white space and comment, without tests, generated code, copies of the specification and "
        "the configuration of servers. Lines of two languages do not hold the same: a size, no judgement.",
        table(
            code,
            ("platform", lambda one: ", ".join((one.platform, *one.modes.values()))),
            *((f"#{tier}", lambda one, tier=tier: one.tiers.get(tier, 0)) for tier in tiers),
            ("#sum", lambda one: sum(one.tiers.values())),
        ),
    )


def searches(findings: Findings) -> Iterator[object]:
    """Yield what the searches for loads found, and their points."""
    run = findings.run
    rate = run.specification.rate
    found = list(run.searched.items())
    if not found:
        return
    loads = "two loads around its limit" if run.seeks_limit else "the load with its highest throughput"
    yield Text(
        f"Each combination was searched by itself, then measured at {loads}. Points of a "
        f"search are in no comparison and no chart. A load is outside the limits with {found[0][1].limits.text}."
    )
    peaks: list[Column[tuple[str, Searched]]] = [
        ("highest throughput at", lambda row: _searched_peak(findings, *row)),
        (f"#{rate}", lambda row: row[1].throughput_tps),
    ]
    yield table(
        found,
        ("combination", lambda row: findings.name(row[0])),
        *([] if run.seeks_limit else peaks),
        ("within the limits", lambda row: _inside(findings, row[1])),
        ("#points", lambda row: len(row[1].points)),
    )
    yield fold(
        "Every point of the searches",
        table(
            ((path, point) for path, one in found for point in one.points),
            ("combination", lambda row: findings.name(row[0])),
            (f"#{run.load_unit}", lambda row: f"{row[1].load:g}"),
            (f"#{rate}", lambda row: row[1].throughput_tps),
            ("#mean ms", lambda row: row[1].mean_ms),
            ("limits", lambda row: "within" if row[1].inside else "outside"),
            ("counts", lambda row: "yes" if row[1].valid else "no: INVALID"),
        ),
    )


def _searched_peak(findings: Findings, path: str, one: Searched) -> str:
    if not one.ended:
        so_far = "nowhere" if one.peak is None else findings.run.load_name(one.peak)
        return f"{so_far} so far: the search has not ended"
    peak = findings.by_path[path].peak
    if one.peak is None or peak.load is None:
        return "nowhere: no point counts"
    return findings.run.load_name(one.peak) + (f" ({peak.remark})" if peak.remark else "")


def _inside(findings: Findings, one: Searched) -> str:
    name = findings.run.load_name
    if one.inside is None:
        return "none" if one.outside is None else f"below {name(one.outside)}"
    if one.outside is None:
        return f"{name(one.inside)} and more"
    return f"{name(one.inside)}, not {one.outside:,g}" + ("" if one.limit_known else " (no points left)")


def work(findings: Findings) -> Iterator[object]:
    """Yield what each transaction asks of the databases."""
    known = {
        one.combination: {each.transaction: each for each in one.transactions} for one in findings.work if one.steps
    }
    marked = {(one.combination, one.transaction, one.figure) for one in findings.work_differences}
    rows = [(name, title) for name in dict.fromkeys(n for one in known.values() for n in one) for title in WORK_FIGURES]

    def at(path: str, row: tuple[str, str]) -> Cell | None:
        one = known[path].get(row[0])
        if one is None:
            return None
        value = float(getattr(one, WORK_FIGURES[row[1]]))
        text = few_or_many(value)
        return Cell(f"{text} ≠", style=Style.FAILED) if (path, *row) in marked else Cell(text, exact=value)

    steps = [
        (findings.name(one.combination), step.step, " · ".join(step.texts) or "none")
        for one in findings.work
        for step in one.steps
    ]
    unit = findings.run.specification.timed
    unavailable = tuple(
        (findings.name(one.combination), f"n/a, {one.unavailable}") for one in findings.work if one.unavailable
    )
    yield from titled(
        f"What each {unit} asks of the databases",
        "One user alone ran the session after the warm-up: the median over the executions of each step, the mean over "
        f"steps of the same {unit}. Statements without BEGIN and COMMIT; rows inserted, updated and deleted; WAL bytes "
        "without whole pages. ≠: other statements or rows than the first it is ranked with, or WAL 10 % apart.",
        table(
            rows,
            (unit, lambda row: row[0]),
            "of the databases: 1",
            *((f"#{findings.name(path)}", lambda row, path=path: at(path, row)) for path in known),
        ),
        fold("The statements of each step", table(steps, "combination: 0 | step: 1 | statements: 2")),
        Bullets(unavailable) if unavailable else None,
    )


def published(findings: Findings) -> Iterator[object]:
    """Yield the ratios of classic papers with those of this run beside them."""
    for source in findings.published.sources if findings.published else ():
        own = [one for one in findings.counterparts if one.source == source.source]
        systems = tuple(dict.fromkeys(one.ratio.system for one in own if one.ratio.system))
        of = dict.fromkeys(ratio.of for ratio in source.ratios)
        cost = f"CPU time per {findings.run.specification.unit} at {findings.at}"
        names = {RatioOf.COST: cost, RatioOf.THROUGHPUT: "throughput", RatioOf.RESPONSE_TIME: "mean response time"}
        peaks = ", each side at its own peak" if of.keys() - {RatioOf.COST} else ""
        here = " or ".join(names[one] for one in of) + peaks
        yield Text(
            f"From {source.source}. Its figures are {source.measured}; here it is {here}. The ratios are for "
            "orientation; nothing is concluded from a difference."
        )
        figures = _figures_of(findings, own, with_notes=not systems)
        if all(one.comparison is None for one in own):
            yield fold("None of them is in this run", figures)
        elif systems:
            yield _by_system(own, systems)
            yield fold("The figures of each ratio", figures)
            yield Text("Why they are not the same thing:")
            yield Bullets(tuple(dict.fromkeys((ratio.test, ratio.note) for ratio in source.ratios)))
        else:
            yield figures


def _by_system(own: list[Counterpart], systems: tuple[str, ...]) -> Table | None:
    """A row for each ratio: a column for each system of the paper, then one for each side of this run."""
    printed = {(one.ratio.test, one.ratio.text, one.ratio.system): one.ratio for one in reversed(own)}
    ours = {(one.ratio.test, one.ratio.text, one.same): one.comparison for one in reversed(own) if one.comparison}
    here = dict.fromkeys(one.same for one in own if one.comparison is not None)

    def published_by(place: tuple[str, str, str]) -> Cell:
        found = printed.get(place)
        if found is None or found.ratio is None:
            return muted(found.figures if found else "")
        return Cell(f"{found.ratio:.2f}", exact=found.ratio)

    return table(
        dict.fromkeys((one.ratio.test, one.ratio.text) for one in own),
        "ratio: 1",
        *((f"published: {one}", lambda row, one=one: published_by((*row, one))) for one in systems),
        *((f"#here: {one}", lambda row, one=one: _measured(ours.get((*row, one)))) for one in here),
    )


def _measured(one: Comparison | None) -> Cell:
    if one is None or one.ratio is None:
        return muted(one.reason if one else "not in this run")
    ends = ends_of((one.low, one.high)) or counted(len(one.rounds), "round")
    return Cell(f"{one.ratio:.2f} ({ends})", exact=one.ratio)


def _figures_of(findings: Findings, own: list[Counterpart], *, with_notes: bool) -> Table | None:
    kind = "ratio of costs" if {one.ratio.of for one in own} <= {RatioOf.COST} else "ratio"

    def rounds(one: Comparison | None) -> str:
        return f"{ends_of(one.ratios)} ({counted(len(one.rounds), 'round')})" if one and one.rounds else ""

    return table(
        own,
        (kind, lambda one: "; ".join(filter(None, (f"{one.ratio.test}: {one.ratio.text}", one.ratio.system)))),
        ("published", lambda one: muted("none") if one.ratio.ratio is None else f"{one.ratio.ratio:.2f} {TIMES}"),
        "from: ratio.figures",
        ("#here", lambda one: _measured(one.comparison)),
        ("rounds here", lambda one: rounds(one.comparison)),
        ("of this run", lambda one: _sides(findings, one)),
        *(["why it is not the same thing: ratio.note"] if with_notes else []),
    )


def _sides(findings: Findings, one: Counterpart) -> Cell:
    found = one.comparison
    if found is None:
        return muted("not in this run")
    sides = f"{findings.name(found.b)} ÷ {findings.name(found.a)}"
    if one.ratio.of is RatioOf.COST:
        return Cell(f"{sides}, CPU time of {' + '.join(one.ratio.tiers)}")
    loads = [findings.run.load_name(load) for load in (found.load_b, found.load_a) if load is not None]
    return Cell(f"{sides}, at {' and '.join(loads)}" if len(loads) == 2 else sides)
