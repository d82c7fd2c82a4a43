"""The `middlemark` command: each command is a file here that parses, calls one function, prints."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated

import typer
from typer.exceptions import TyperException

from middlemark import __version__
from middlemark.cli.signals import ending_on_signals
from middlemark.cli.streams import standard_streams
from middlemark.errors import Interrupted, LabError

COMMANDS = {
    "run": "run.run_command",
    "report": "report.report",
    "load": "load.load",
    "files": "files.files",
    "audit": "audit.audit",
    "check": "check.check",
    "verdict": "verdict.verdict",
    "verify": "verify.verify",
    "up": "up.up",
    "build": "build.build",
    "doctor": "doctor.doctor",
    "list": "listing.listing",
    "lines": "lines.lines",
    "drive": "drive.drive_command",
    "ab": "ab.ab",
    "compare": "compare.compare",
    "new": "new.new",
    "session": "session.session",
}
"""Every command in the order of the help: its file, and in it the function or the group of commands."""


def application(words: Sequence[str] = ()) -> typer.Typer:
    """Return the command line; for words that begin with a command, with that one alone.

    The libraries of all commands together take longer to import than most commands work.
    """
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.callback(invoke_without_command=True)(middlemark)
    for name in words[:1] if words and words[0] in COMMANDS else COMMANDS:
        file, _, what = COMMANDS[name].partition(".")
        command = getattr(import_module(f"middlemark.cli.{file}"), what)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name)(command)
    return app


def _show_version(requested: bool) -> None:  # noqa: FBT001 (typer calls it with the flag)
    if requested:
        print(f"middlemark {__version__}")
        raise typer.Exit


def middlemark(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001, FBT002 (an option, whose callback has answered)
        bool, typer.Option("--version", help="Show the version and exit.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Compare application platforms by running whole business applications on them."""
    if context.invoked_subcommand is None:
        print(context.get_help())


def _usage(error: TyperException) -> str:
    """Return what is wrong with the words of the command line, and whose help tells which are right."""
    message = error.format_message().rstrip(".")
    context = getattr(error, "ctx", None)
    # `python -m middlemark` is not how a user calls it.
    words = context.command_path.split()[1:] if context is not None else []
    command = " ".join(["middlemark", *(word for word in words if word not in {"-m", "middlemark"})])
    return f"{message}{'' if message.endswith('?') else '.'} Try `{command} --help`"


def main() -> None:
    """Run the command line; expected errors are one message on stderr and their exit status."""
    with standard_streams():
        _run()


def _run() -> None:
    try:
        command = application(sys.argv[1:])
        with ending_on_signals():
            status = command(standalone_mode=False)
    except LabError as error:
        print(f"middlemark: {error}", file=sys.stderr)
        sys.exit(error.exit_status)
    except TyperException as error:
        print(f"middlemark: {_usage(error)}", file=sys.stderr)
        sys.exit(2)
    except (typer.Abort, KeyboardInterrupt):
        status = Interrupted.exit_status
    if status == Interrupted.exit_status:  # typer returns it for a KeyboardInterrupt
        print("middlemark: interrupted", file=sys.stderr)
    sys.exit(status if isinstance(status, int) else 0)
