"""`middlemark verdict`: judge samples that were measured anywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from middlemark.cli.option_values import floor_of
from middlemark.verdict.judgement import Better
from middlemark.verdict.pair_verdicts import judge_pairs, verdict_lines
from middlemark.verdict.sample_file import read_pairs


def verdict(
    samples: Annotated[
        Path, typer.Argument(metavar="SAMPLES.csv", help="Columns pair, block, subject, value.", show_default=False)
    ],
    floor: Annotated[str | None, typer.Option(metavar="X", help="A/A noise floor, like 2% or 0.02.")] = None,
    better: Annotated[Better, typer.Option(help="Which value is the faster one's.")] = Better.HIGHER,
    holm: Annotated[bool, typer.Option("--holm", help="Judge all pairs together.")] = False,  # noqa: FBT002 (an option)
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,  # noqa: FBT002 (an option)
) -> int:
    """Judge which subject of each pair of samples is faster."""
    verdicts = judge_pairs(read_pairs(samples), better, floor_of("--floor", floor), holm=holm)
    if as_json:
        print(verdicts.model_dump_json(indent=1))
    else:
        print(*verdict_lines(verdicts), sep="\n")
    return 0
