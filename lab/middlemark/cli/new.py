"""`middlemark new`: commented, valid files to start from."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from middlemark.checkout import checkout
from middlemark.conformance.cases.suite import study_cases, topics
from middlemark.new.platform import write_new_platform
from middlemark.new.session import write_new_session
from middlemark.specification.specification import find_specification, only_specification

new = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Write a commented, valid file to start from.")


@new.command("session")
def new_session(name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the session.")]) -> None:
    """Write NAME.yaml here: what a virtual user does."""
    path = write_new_session(name)
    print(f"Try it: {shlex.join(['middlemark', 'drive', str(path), '--target', 'http://127.0.0.1:8080'])}")
    print(path)


@new.command("platform")
def new_platform(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the platform.")],
    spec: Annotated[
        str | None, typer.Argument(metavar="[SPEC]", help="Specification; the only one if left out.")
    ] = None,
) -> None:
    """Write platforms/NAME/ into the checkout: how the lab builds and starts a platform."""
    home = checkout()
    specification = find_specification(spec or only_specification(home), home)
    folder = write_new_platform(home, name, specification, topics(study_cases(specification).cases))
    words = ["middlemark", "up", name, specification.name]
    print(f"Next: read specs/README.md, write the application into {folder}, then: {shlex.join(words)}")
    print(folder)
