"""`middlemark up`: start an application to look at."""

from __future__ import annotations

import dataclasses
import sys
from typing import Annotated

import typer

from middlemark.cli.option_values import chosen_modes
from middlemark.up.text import up_lines
from middlemark.up.up import standing, up_order, wait_while_alive


def up(  # noqa: PLR0913 (one parameter for each option of the command)
    subject: Annotated[str, typer.Argument(metavar="SUBJECT", help="PLATFORM or PLATFORM@SERVER, for example go.")],
    spec: Annotated[str, typer.Argument(metavar="SPEC", help="Specification, for example brokerage.")],
    scale: Annotated[str, typer.Option(help="Scale of its dataset.toml.")] = "demo",
    choice: Annotated[list[str] | None, typer.Option("--set", metavar="MODE=VALUE", help="Choose a mode.")] = None,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Port of the pages; a free one if left out.")
    ] = None,
    database: Annotated[str | None, typer.Option(metavar="URL", help="Your own PostgreSQL.")] = None,
) -> int:
    """Start an application with a loaded database. It stays until Ctrl-C; then nothing of it is left."""
    modes = chosen_modes(choice)
    order = dataclasses.replace(up_order(subject, spec, scale), modes=modes, port=port, database=database)
    is_up = False
    try:
        with standing(order, _tell) as stands:
            is_up = True
            print(*up_lines(order, stands), sep="\n", flush=True)
            wait_while_alive(stands.target)
    except KeyboardInterrupt:
        if not is_up:
            raise
    print("Stopped; nothing of it is left.")
    return 0


def _tell(step: str) -> None:
    print(f"{step} …", file=sys.stderr)
