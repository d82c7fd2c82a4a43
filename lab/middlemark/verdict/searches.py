"""What is to be known of the searches of a run: highest loads, ends of ranges and INVALID points on which one ended."""

from __future__ import annotations

from middlemark.records.run import Run, Searched
from middlemark.verdict.naming import short_names

NO_PEAK = "no peak that counts"


def search_reservation(run: Run) -> str:
    """Return which searches may have missed the peak and why, one after the other; empty for none."""
    names = short_names(run.combinations)
    doubts = {path: doubt_text(run, found) for path, found in run.searched.items() if found.ended}
    return "; ".join(f"the search of {names.get(path, path)} ended {doubt}" for path, doubt in doubts.items() if doubt)


def peak_doubt(found: Searched) -> str:
    """Return what keeps the peak of a search from being known, in a few words; empty for nothing."""
    if not found.ended:
        return ""
    if found.peak is None:
        return NO_PEAK
    if found.at_edge:
        return "peak at the edge of the range"
    if found.doubtful:
        return "peak beside loads that do not count"
    if may_lie_beyond(found):
        return "peak may lie beyond"
    return "" if found.peak_known else "peak not narrowed down"


def may_lie_beyond(found: Searched) -> bool:
    """Say whether a search ran out of points while its highest load still had the highest throughput."""
    loads = [point.load for point in found.points]
    return bool(loads) and found.peak == max(loads) and not found.peak_known and not found.at_edge


def doubt_text(run: Run, found: Searched) -> str:
    """Return on what a search ended that leaves open where the peak is; empty for nothing."""
    ends = []
    if found.peak is not None and found.at_edge:
        ends.append(f"at the edge of its range ({run.load_name(found.peak)})")
    loads = ", ".join(f"{load:,.10g}" for load in found.doubtful)
    if loads:
        ends.append(f"on INVALID points ({loads} {run.load_unit})")
    if found.peak is not None and may_lie_beyond(found):
        ends.append(f"at the highest load that it measured ({run.load_name(found.peak)}): the peak may lie beyond")
    return " and ".join(ends)
