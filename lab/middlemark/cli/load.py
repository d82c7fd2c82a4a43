"""`middlemark load`: load a specification's data set and prove it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.table import Table

from middlemark.cli.printing import print_table
from middlemark.load.loading import Progress
from middlemark.load.stores import parse_urls
from middlemark.load.trial_load import Loaded, trial_load
from middlemark.specification.specification import find_specification
from middlemark.wording import counted


def load(
    spec: Annotated[str, typer.Argument(metavar="SPEC", help="Specification.")],
    scale: Annotated[
        str | None, typer.Option(help="Scale of its spec.toml: `demo` if left out and there is one.")
    ] = None,
    database: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]URL", help="Your own PostgreSQL; it keeps what is loaded. Of several databases one each."
        ),
    ] = None,
) -> int:
    """Load the data sets and prove them by their fingerprints. Without URL nothing of them stays."""
    specification = find_specification(spec)
    scale = specification.default_scale if scale is None else scale
    urls = parse_urls(specification, tuple(database or ()))
    with _bar() as show:
        loaded = trial_load(specification, scale, urls, show)
    if not loaded:
        print(f"{spec} has no database: nothing to load.")
    for one in loaded:
        _print(
            one, spec + (f", scale {scale}" if scale else "") + (f", database {one.name}" if len(loaded) > 1 else "")
        )
        if one.kept:
            command = f"`middlemark audit --spec {spec} --database URL`"
            print(f"Stays as database {one.database}; {command} with this name in it audits it")
        print(
            f"Loaded {counted(sum(one.tables.values()), 'row')} of {one.name}{f' at scale {scale}' if scale else ''} "
            f"in {one.seconds:.1f} s, "
            f"fingerprint {one.fingerprint}."
        )
    return 0


@contextmanager
def _bar() -> Iterator[Callable[[Progress], None]]:
    """Show a bar on stderr, only on a terminal; give the function that moves it."""
    columns = (TextColumn("{task.description:<18}"), BarColumn(), TextColumn("{task.fields[rows]:>12,} rows"))
    console = Console(stderr=True)
    with Bar(*columns, TimeElapsedColumn(), console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("starting", total=None, rows=0)

        def show(progress: Progress) -> None:
            bar.update(
                task, description=progress.step, completed=progress.done, total=progress.total, rows=progress.rows
            )

        yield show


def _print(loaded: Loaded, title: str) -> None:
    print(title)
    table = Table(box=None, show_header=False)
    table.add_column()
    table.add_column(justify="right")
    for name, rows in loaded.tables.items():
        table.add_row(name, counted(rows, "row"))
    print_table(table)
