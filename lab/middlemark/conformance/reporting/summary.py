"""Counts the plays of each cell."""

from __future__ import annotations

from collections.abc import Sequence

from middlemark.conformance.result import CellResult, Play, PlayOutcome


def cell_results(plays: Sequence[Play]) -> tuple[CellResult, ...]:
    """Return the counts of each cell, in the order in which the plays name them."""
    cells: dict[str, list[Play]] = {}
    for play in plays:
        cells.setdefault(play.cell, []).append(play)
    return tuple(_result(cell, here) for cell, here in cells.items())


def _result(cell: str, plays: Sequence[Play]) -> CellResult:
    def count(outcome: PlayOutcome) -> int:
        return sum(play.outcome is outcome for play in plays)

    return CellResult(
        cell=cell,
        cases=len({play.case for play in plays}),
        plays=len(plays),
        passed=count(PlayOutcome.PASSED),
        failed=count(PlayOutcome.FAILED),
        known=count(PlayOutcome.KNOWN),
        not_checked=count(PlayOutcome.NOT_CHECKED),
        replaced=sum(play.replaced for play in plays),
        seconds=round(sum(play.seconds for play in plays), 3),
    )
