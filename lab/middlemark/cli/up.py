"""`middlemark up`: start an application to look at."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from middlemark.checkout import checkout
from middlemark.cli.option_values import chosen_values
from middlemark.cli.placement import placement_of
from middlemark.load.stores import parse_urls
from middlemark.subject.subject import find_subject, specification_meant
from middlemark.up.text import up_lines
from middlemark.up.up import UpRequest, running_application, wait_while_alive


def up(  # noqa: PLR0913 (one parameter for each option of the command)
    subject: Annotated[str, typer.Argument(metavar="SUBJECT", help="PLATFORM or PLATFORM@SERVER, for example go.")],
    spec: Annotated[
        str | None, typer.Argument(metavar="[SPEC]", help="Specification; the platform's first if left out.")
    ] = None,
    scale: Annotated[
        str | None, typer.Option(help="Scale of its spec.toml: `demo` if left out and there is one.")
    ] = None,
    choice: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="CHOICE=VALUE", help="Choose a mode, a setting, a reverse proxy …"),
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Port of the pages; a free one if left out.")
    ] = None,
    database: Annotated[
        list[str] | None,
        typer.Option(metavar="[NAME=]URL", help="Your own PostgreSQL; of several databases one for each NAME."),
    ] = None,
    place: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE=CPUS", help="CPUs of a role: sut, database, reverse-proxy or a tier."),
    ] = None,
) -> int:
    """Start an application with loaded databases. It stays until Ctrl-C or SIGTERM; then nothing of it is left."""
    home = checkout()
    found = find_subject(home, subject, spec or specification_meant(home, subject))
    specification = found.specification
    request = UpRequest(
        home=home,
        subject=found,
        scale=scale if scale is not None else specification.default_scale,
        choices=chosen_values(choice),
        port=port,
        databases=parse_urls(specification, tuple(database or ())),
        placement=placement_of(specification, place),
    )
    is_up = False
    try:
        with running_application(request, _report) as running:
            is_up = True
            print(*up_lines(request, running), sep="\n", flush=True)
            wait_while_alive(running.target)
    except KeyboardInterrupt:
        if not is_up:
            raise
    print("Stopped; nothing of it is left.")
    return 0


def _report(step: str) -> None:
    print(f"{step} …", file=sys.stderr)
