"""A commented, valid platform to start from."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from middlemark.errors import InputError
from middlemark.saving import saving_under, write_new
from middlemark.specification.specification import Specification

STARTING_PLATFORM = """\
# What the lab needs to know to build, start and combine this platform. Commands are argument lists, run in this folder;
# {{artifact}} is the path of what `build` makes, {{python}} the Python interpreter that runs the lab.
name = "{name}"
# Python stands from here on as an example: put in what the application is written in.
language = "Python"
tuning = "tuning.toml"

# Printed by `middlemark doctor`: a command that shows the version, the minimum version, and how to install it.
[toolchain]
command = ["{{python}}", "--version"]
minimum = "3.11"
debian = "apt install python3"
macos = "brew install python3"

# One table for each specification the platform implements.
[specs.{spec}]
build = ["cp", "application.py", "{{artifact}}"]
# It starts by itself. For an artifact that servers host, write its kind (artifact = "war") instead of `start`.
start = ["{{python}}", "{{artifact}}"] # settings come as environment variables, see specs/README.md
{content}
# Which files are which tier, for `middlemark lines` and the report (docs/reference/platforms-and-servers.md).
# As soon as there are files:
# [specs.{spec}.code.uncounted]
# tests = ["tests/**/*"]
# "not of the application" = ["README.md", "platform.toml", "tuning.toml"]
# [[specs.{spec}.code.parts]]
# tier = "user interface" # and so on: middle, data, configuration
# files = ["pages/**/*"]
"""

STARTING_README = """\
# {name}

The application of `specs/{spec}/`, as a good team would write it for production on this platform.

1. Read `specs/README.md` (settings, addresses, health, about) and `specs/{spec}/README.md`. Nothing else is needed.
2. Answer `GET /health` and `/about`, then write the operations, then the pages (docs/how-to/add-a-platform.md).
3. Say in `platform.toml` what is done: `middlemark up {name} {spec}` starts it.

| file | what is in it |
|---|---|
| `platform.toml` | how the lab builds and starts it |
| `tuning.toml` | which settings were tried |

Cases by topic, those first that need least; a topic begins when what it needs stands in `platform.toml`:

| topic | cases | verified by |
|---|---|---|
{topics}

Deliberately absent: say here what a reader would look for in vain, and why.
"""

STARTING_TUNING = """\
# Settings tried on this platform, one at a time (docs/reference/platforms-and-servers.md). Every report shows them.
version = 1
runs = 0
hours = 0
note = "Nothing has been tried"
"""


def write_new_platform(checkout: Path, name: str, specification: Specification, topics: Mapping[str, int]) -> Path:
    """Write `platforms/NAME/` and return it; `topics` are numbers of cases. InputError when it is there already."""
    if not re.fullmatch(r"[a-z][a-z0-9-]*", name):
        raise InputError(f"'{name}' is not a name for a platform", todo="Use lower-case letters, digits and -")
    folder = checkout / "platforms" / name
    if folder.exists():
        raise InputError("is there already and is not overwritten", where=str(folder), todo="Choose another name")
    words = {"name": name, "spec": specification.name}
    verified = "middlemark verify {name} --spec {spec} --only".format(**words)
    rows = "\n".join(f"| {topic} | {count} | `{verified} {topic}` |" for topic, count in topics.items())
    content = "\n".join(_content(specification))
    with saving_under(folder.parent):
        folder.mkdir()
    try:
        write_new(folder / "platform.toml", STARTING_PLATFORM.format(**words, content=content))
        write_new(folder / "tuning.toml", STARTING_TUNING)
        write_new(folder / "README.md", STARTING_README.format(**words, topics=rows))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return folder


def _content(specification: Specification) -> Iterator[str]:
    """Yield the lines that depend on the specification: its roles, features, modes and databases."""
    description = specification.description
    if description.roles:
        yield f"roles = {_listed(description.roles.carries)} # values of {description.roles.variable} it knows"
    if description.features:
        yield f"features = [] # those it has, of {', '.join(description.features)}"
    yield ""
    if description.modes:
        yield "# Values it offers; the first is its default. A mode left out has the specification's default."
        yield f"[specs.{specification.name}.modes]"
        for name, mode in description.modes.items():
            values = mode.values[:1] or ("native",)
            known = f", of {', '.join(mode.values)}" if mode.values else ", named by you"
            yield f"{name} = {_listed(values)} # {mode.variable or 'in requests'}{known}"
        yield ""
    for name in description.databases:
        yield "# What has to be there before it starts; xa says whether it takes part in distributed transactions."
        yield f"[[specs.{specification.name}.resources]]"
        yield from ('kind = "database"', f'name = "{name}"', "xa = false", "")


def _listed(values: Iterable[str]) -> str:
    return json.dumps(list(values))
