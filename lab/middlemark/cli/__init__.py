"""The `middlemark` command: each command is a file here that parses, calls one function, prints."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from typer.exceptions import TyperException

from middlemark import __version__
from middlemark.cli.audit import audit
from middlemark.cli.build import build
from middlemark.cli.check import check
from middlemark.cli.doctor import doctor
from middlemark.cli.drive import drive_command
from middlemark.cli.files import files
from middlemark.cli.lines import lines
from middlemark.cli.listing import listing
from middlemark.cli.load import load
from middlemark.cli.new import new
from middlemark.cli.noise import noise
from middlemark.cli.report import report
from middlemark.cli.run import run_command
from middlemark.cli.session import session
from middlemark.cli.signals import ending_on_signals
from middlemark.cli.up import up
from middlemark.cli.verdict import verdict
from middlemark.cli.verify import verify
from middlemark.errors import LabError

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


def _show_version(requested: bool) -> None:  # noqa: FBT001 (typer calls it with the flag)
    if requested:
        print(f"middlemark {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def middlemark(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001, FBT002 (an option, whose callback has answered)
        bool, typer.Option("--version", help="Show the version and exit.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Compare application platforms with whole business applications."""
    if context.invoked_subcommand is None:
        print(context.get_help())


app.command("run")(run_command)
app.command()(report)
app.command()(load)
app.command()(files)
app.command()(audit)
app.command()(check)
app.command()(verdict)
app.command()(noise)
app.command()(verify)
app.command()(up)
app.command()(build)
app.command()(doctor)
app.command("list")(listing)
app.command()(lines)
app.command("drive")(drive_command)
app.add_typer(new, name="new")
app.add_typer(session, name="session")


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
    try:
        with ending_on_signals():
            status = app(standalone_mode=False)
    except LabError as error:
        print(f"middlemark: {error}", file=sys.stderr)
        sys.exit(error.exit_status)
    except TyperException as error:
        print(f"middlemark: {_usage(error)}", file=sys.stderr)
        sys.exit(2)
    except (typer.Abort, KeyboardInterrupt):
        print("middlemark: interrupted", file=sys.stderr)
        sys.exit(130)
    sys.exit(status if isinstance(status, int) else 0)
