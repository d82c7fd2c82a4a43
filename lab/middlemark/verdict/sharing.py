"""What driver, databases and what is measured had of the machine in common, in the words of every page and line."""

from __future__ import annotations

from collections.abc import Collection

from middlemark.records.folder import Result
from middlemark.records.point import Forbids
from middlemark.records.run import Run
from middlemark.verdict.naming import short_names
from middlemark.wording import counted


def sharing(run: Run) -> str:
    """Return the mark of a run: `shared_text`, else who shares CPUs with the driver; empty when none does."""
    if text := shared_text(run):
        return text
    return "" if run.percentiles_ranked else "driver shares CPUs with the database"


def times_not_ranked(result: Result) -> str:
    """Return why response times are shown and not ranked; empty where they are ranked."""
    if not result.run.percentiles_ranked:
        return sharing(result.run)
    valid = [point.verdict for point in result.points if point.verdict and point.valid]
    failed = [one for verdict in valid for one in verdict.checks if one.keeps_from(Forbids.RESPONSE_TIMES)]
    late = sum(not verdict.times_valid for verdict in valid)
    return f"{failed[0].name} over its limit in {late} of {counted(len(valid), 'point')}" if failed else ""


def shared_text(run: Run) -> str:
    """Return which combinations shared CPUs, or cores alone, with driver or database; empty when none did."""
    on_cpus = [path for path, one in run.placement.items() if one.shared]
    on_cores = [path for path, one in run.placement.items() if one.shared_cores and not one.shared]
    cpus = _named("shared CPUs", on_cpus, run) if run.shared_cpus else ""
    cores = _named("shared cores", on_cores, run) if on_cores else ""
    return "; ".join(part for part in (cpus, cores) if part)


def notes(run: Run) -> list[str]:
    """Return what is to be known of CPUs that roles were kept on, as sentences, each once."""
    found = dict.fromkeys(one.note for one in run.placement.values() if one.cpus and one.note)
    return [f"{note[0].upper()}{note[1:]}." for note in found]


def _named(what: str, paths: Collection[str], run: Run) -> str:
    """Return what is shared, and by which of several combinations when others do not."""
    names = short_names(run.combinations)
    named = [names[path] for path in paths if path in names]
    return what if len(named) in (0, len(names)) else f"{what}: {', '.join(named)}"
