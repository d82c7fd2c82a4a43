"""`middlemark verdict`: judge samples that were measured anywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from middlemark.records.figures import Better
from middlemark.verdict.pair_verdicts import judge_pairs, read_pairs, verdict_lines


def verdict(
    samples: Annotated[
        Path, typer.Argument(metavar="SAMPLES.csv", help="Columns pair, round, subject, value.", show_default=False)
    ],
    better: Annotated[Better, typer.Option(help="Which value is the faster one's.")] = Better.HIGHER,
    holm: Annotated[bool, typer.Option("--holm", help="Judge all pairs together.")] = False,  # noqa: FBT002 (an option)
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,  # noqa: FBT002 (an option)
) -> int:
    """Judge which subject of each pair of samples is faster."""
    verdicts = judge_pairs(read_pairs(samples), better, holm=holm)
    if as_json:
        print(verdicts.model_dump_json(indent=1))
    else:
        print(*verdict_lines(verdicts), sep="\n")
    return 0
