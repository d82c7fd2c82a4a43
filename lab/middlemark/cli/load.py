"""`middlemark load`: load a specification's data set and prove it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from middlemark.load.loading import Progress
from middlemark.load.trial import Loaded, rehearse
from middlemark.specification.dataset import read_dataset, specification


def load(
    spec: Annotated[str, typer.Argument(metavar="SPEC", help="Specification, for example brokerage.")],
    scale: Annotated[str, typer.Option(help="Scale of its dataset.toml.")] = "demo",
    database: Annotated[
        str | None, typer.Option(metavar="URL", help="Your own PostgreSQL; keeps what is loaded.")
    ] = None,
) -> int:
    """Load a data set and prove it by its fingerprint. Without URL nothing of it stays."""
    dataset = read_dataset(specification(spec), scale)
    with _bar() as tell:
        loaded = rehearse(dataset, database, tell)
    _print(loaded, spec, scale)
    if database is not None:
        print(f"Stays as database {loaded.database}; `middlemark audit --database URL` with this name in it audits it")
    print(
        f"Loaded {sum(loaded.tables.values()):,} rows of {spec} at scale {scale} in {loaded.seconds:.1f} s, "
        f"fingerprint {loaded.fingerprint}."
    )
    return 0


@contextmanager
def _bar() -> Iterator[Callable[[Progress], None]]:
    """Show a bar on stderr, only on a terminal; give the function that moves it."""
    columns = (TextColumn("{task.description:<18}"), BarColumn(), TextColumn("{task.fields[rows]:>12,} rows"))
    console = Console(stderr=True)
    with Bar(*columns, TimeElapsedColumn(), console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("starting", total=None, rows=0)

        def tell(progress: Progress) -> None:
            bar.update(
                task, description=progress.step, completed=progress.done, total=progress.total, rows=progress.rows
            )

        yield tell


def _print(loaded: Loaded, spec: str, scale: str) -> None:
    width = max(len(table) for table in loaded.tables)
    print(f"{spec}, scale {scale}")
    for table, rows in loaded.tables.items():
        print(f"  {table:<{width}}  {rows:>12,} rows")
