"""Tables of what stands beside the figures: start-up and code, searches, work in the databases, published ratios."""

from __future__ import annotations

from collections.abc import Iterator

from middlemark.records.findings import Comparison, Counterpart, Findings
from middlemark.records.published import RatioOf
from middlemark.records.run import Searched
from middlemark.show.tables import Bullets, Cell, Style, Table, Text, Value, fold, muted, table, titled
from middlemark.wording import TIMES, counted

WORK = {"statements": "statements", "rows written": "rows", "WAL bytes": "wal_bytes"}


def platforms(findings: Findings) -> Iterator[object]:
    """Yield start-up times and lines of code."""
    starts = [(one.name, start) for one in findings.combinations for start in one.starts]
    yield from titled(
        "Start-up time",
        "From the begin of a process to its first response that it is ready, over the starts of this run; a process "
        "starts when the one before it is ready. Each is a first start on an empty folder: a server that keeps "
        "something for its next start finds nothing. On a machine with other work, and the first time after a build, "
        "it takes longer.",
        table(
            starts,
            ("combination", lambda row: row[0]),
            ("process", lambda row: row[1].process),
            ("#starts", lambda row: row[1].number),
            ("#median s", lambda row: row[1].median_s),
            ("#min s", lambda row: row[1].min_s),
            ("#max s", lambda row: row[1].max_s),
        ),
    )
    code = findings.run.code
    tiers = list(dict.fromkeys(tier for one in code for tier in one.tiers))
    yield from titled(
        "Lines of code",
        "Lines with more than white space and comment, without tests, generated code and what is copied from the "
        "specification. A line of one language does not hold as much as one of another: a size, no judgement. A "
        "server's own configuration (in servers/) is not counted, though what it hosts does not run without it.",
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
    yield Text(
        "Each combination was searched by itself; then the rounds were measured at the load with its highest "
        "throughput. Points of a search are in no comparison and in no chart. A load is outside the limits with "
        f"{found[0][1].limits.text}."
    )
    yield table(
        found,
        ("combination", lambda row: findings.name(row[0])),
        ("highest throughput at", lambda row: _searched_peak(findings, *row)),
        (f"#{rate}", lambda row: row[1].throughput_tps),
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
    rows = [(name, title) for name in dict.fromkeys(n for one in known.values() for n in one) for title in WORK]

    def at(path: str, row: tuple[str, str]) -> Value:
        one = known[path].get(row[0])
        if one is None:
            return None
        value = float(getattr(one, WORK[row[1]]))
        text = f"{value:,.0f}" if value >= 100 else f"{value:.2f}".rstrip("0").rstrip(".")
        return Cell(f"{text} ≠", style=Style.FAILED) if (path, *row) in marked else Cell(text, exact=value)

    steps = [(findings.name(one.combination), step) for one in findings.work for step in one.steps]
    unit = findings.run.specification.unit
    unavailable = [(findings.name(one.combination), one.unavailable) for one in findings.work if one.unavailable]
    yield from titled(
        f"What each {unit} asks of the databases",
        "One user alone ran the session after the warm-up, outside of every window: the median over the executions of "
        f"each step, and the mean over the steps that count as the same {unit}. Statements are those besides BEGIN and "
        "COMMIT, rows are inserted, updated and deleted ones, WAL bytes are without images of whole pages. ≠ marks "
        "other statements or rows than the first combination it is ranked with, or WAL bytes more than 10 % apart.",
        table(
            rows,
            (unit, lambda row: row[0]),
            ("of the databases", lambda row: row[1]),
            *((f"#{findings.name(path)}", lambda row, path=path: at(path, row)) for path in known),
        ),
        fold(
            "The statements of each step",
            table(
                steps,
                ("combination", lambda row: row[0]),
                ("step", lambda row: row[1].step),
                ("statements", lambda row: " · ".join(row[1].texts) or "none"),
            ),
        ),
        Bullets(tuple((name, f"n/a, {why}") for name, why in unavailable)) if unavailable else None,
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
    texts = dict.fromkeys((one.ratio.test, one.ratio.text) for one in own)
    here = dict.fromkeys(one.same for one in own if one.comparison is not None)

    def printed(row: tuple[str, str], system: str) -> Cell:
        ratios = (one.ratio for one in own if (one.ratio.test, one.ratio.text) == row and one.ratio.system == system)
        found = next(ratios, None)
        if found is None:
            return muted("")
        return muted(found.figures) if found.ratio is None else Cell(f"{found.ratio:.2f}", exact=found.ratio)

    def ours(row: tuple[str, str], same: str) -> Cell:
        of_row = [one for one in own if (one.ratio.test, one.ratio.text) == row and one.same == same and one.comparison]
        return _measured(of_row[0].comparison) if of_row else muted("not in this run")

    return table(
        texts,
        ("ratio", lambda row: row[1]),
        *((f"published: {one}", lambda row, one=one: printed(row, one)) for one in systems),
        *((f"#here: {one}", lambda row, one=one: ours(row, one)) for one in here),
    )


def _measured(one: Comparison | None) -> Cell:
    if one is None:
        return muted("not in this run")
    if one.ratio is None:
        return muted(one.reason)
    ends = "" if one.low is None or one.high is None else f"{one.low:.2f} … {one.high:.2f}"
    return Cell(f"{one.ratio:.2f} ({ends or counted(len(one.rounds), 'round')})", exact=one.ratio)


def _figures_of(findings: Findings, own: list[Counterpart], *, with_notes: bool) -> Table | None:
    kind = "ratio of costs" if {one.ratio.of for one in own} <= {RatioOf.COST} else "ratio"
    return table(
        own,
        (
            kind,
            lambda one: f"{one.ratio.test}: {one.ratio.text}" + (f"; {one.ratio.system}" if one.ratio.system else ""),
        ),
        ("published", lambda one: muted("none") if one.ratio.ratio is None else f"{one.ratio.ratio:.2f} {TIMES}"),
        ("from", lambda one: one.ratio.figures),
        ("#here", lambda one: _measured(one.comparison)),
        ("rounds here", lambda one: _rounds(one.comparison)),
        ("of this run", lambda one: _sides(findings, one)),
        *((("why it is not the same thing", lambda one: one.ratio.note),) if with_notes else ()),
    )


def _rounds(one: Comparison | None) -> str:
    if one is None or not one.rounds:
        return ""
    return f"{min(one.ratios):.2f} … {max(one.ratios):.2f} ({counted(len(one.rounds), 'round')})"


def _sides(findings: Findings, one: Counterpart) -> Cell:
    found = one.comparison
    if found is None:
        return muted("not in this run")
    sides = f"{findings.name(found.b)} ÷ {findings.name(found.a)}"
    if one.ratio.of is RatioOf.COST:
        return Cell(f"{sides}, CPU time of {' + '.join(one.ratio.tiers)}")
    if found.load_a is None or found.load_b is None:
        return Cell(sides)
    return Cell(f"{sides}, at {findings.run.load_name(found.load_b)} and {findings.run.load_name(found.load_a)}")
