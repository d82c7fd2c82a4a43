"""`middlemark session`: session files from recordings."""

from __future__ import annotations

import shlex
import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from middlemark.session.importing import ImportedSession, ImportRequest, import_recording

session = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Make a session file from a recording.")


@session.callback()
def _session() -> None:
    """Keep `import` a command of its own name: typer gives a lone command its parent's."""


@session.command("import")
def session_import(
    recording: Annotated[Path, typer.Argument(metavar="FILE.har", help="Recording of a browser.")],
    out: Annotated[
        Path | None, typer.Option(metavar="SESSION.yaml", help="The session file; by default FILE.yaml.")
    ] = None,
    feeds: Annotated[
        Path | None, typer.Option(metavar="SESSION.yaml", help="Session whose feeds replace values that fit them.")
    ] = None,
    origin: Annotated[
        str | None, typer.Option(metavar="URL", help="Site to import; by default the first page's.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the session file.")] = False,  # noqa: FBT002 (an option)
) -> None:
    """Write the session that does what a person did in a browser."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("reading", total=None)
        shown = partial(bar.update, task, description="steps")
        imported = import_recording(
            ImportRequest(recording, out, feeds, origin, force), lambda done, of: shown(completed=done, total=of)
        )
    for note in imported.findings.notes:
        print(f"{note}.", file=sys.stderr)
    for warning in imported.findings.warnings:
        print(f"warning: {warning}.", file=sys.stderr)
    print(f"Try it: {shlex.join(_trying(imported))}")
    print(imported.path)


def _trying(imported: ImportedSession) -> list[str]:
    words = ["middlemark", "drive", str(imported.path), "--target", imported.origin, "--users", "1"]
    for name in imported.numbers:
        words += ["--number", f"{name}=N"]
    return words
