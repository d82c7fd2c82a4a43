"""A commented, valid platform to start from."""

from __future__ import annotations

import re
from pathlib import Path

from middlemark.errors import InputError
from middlemark.new.session import write_new

STARTING_PLATFORM = """\
# What the lab needs to know to build, start and combine this platform. Commands are argument lists, run in this folder;
# {{artifact}} is the path of what `build` makes.
name = "{name}"
# Python stands from here on as an example: put in what the application is written in.
language = "Python"

# Printed by `middlemark doctor`: a command that shows the version, the least version, and how to install it.
[toolchain]
command = ["python3", "--version"]
minimum = "3.11"
debian = "apt install python3"
macos = "brew install python3"

# One table for each specification the platform implements.
[specs.brokerage]
build = ["cp", "application.py", "{{artifact}}"]
hosting = ["self"] # or the servers that can host the artifact: ["liberty"]
start = ["python3", "{{artifact}}"] # only with "self"; settings come as environment variables, see specs/README.md
roles = ["web", "services", "all"] # values of MM_ROLE it knows
bindings = ["local"] # values of MM_BINDING it knows

# Ways to do the same that are compared with each other; the first is the default.
[specs.brokerage.modes]
data-access = ["native"] # MM_DATA_ACCESS
orders = ["sync"] # MM_ORDERS

# Which files are which tier, for `middlemark lines` and the report (docs/reference/platforms-and-servers.md).
# As soon as there are files:
# [specs.brokerage.code.uncounted]
# tests = ["tests/**/*"]
# "not of the application" = ["README.md", "platform.toml"]
# [[specs.brokerage.code.parts]]
# tier = "user interface" # and so on: middle, data, configuration
# files = ["web/**/*"]

# What has to be there before it starts; xa says whether it takes part in distributed transactions.
[[specs.brokerage.resources]]
kind = "database"
name = "brokerage"
xa = false
"""

STARTING_README = """\
# {name}

The application of `specs/brokerage/`, as a good team would write it for production on this platform.

1. Read `specs/README.md` (settings, addresses, health, about) and `specs/brokerage/README.md`. Nothing else is needed.
2. Answer `GET /health`, `/about` and `/`, then write the operations, then the pages
   (docs/how-to/add-a-platform.md).
3. Say in `platform.toml` what is done: `middlemark up {name} brokerage` starts it.

| file | what is in it |
|---|---|
| `platform.toml` | how the lab builds and starts it |

Deliberately absent: say here what a reader would look for in vain, and why.
"""


def write_new_platform(checkout: Path, name: str) -> Path:
    """Write `platforms/NAME/` with its two files and return it; InputError when it is there already."""
    if not re.fullmatch(r"[a-z][a-z0-9-]*", name):
        raise InputError(f"'{name}' is no name for a platform", todo="Use lower-case letters, digits and -")
    folder = checkout / "platforms" / name
    if folder.exists():
        raise InputError("is there already and is not overwritten", where=str(folder), todo="Choose another name")
    folder.mkdir()
    write_new(folder / "platform.toml", STARTING_PLATFORM.format(name=name))
    write_new(folder / "README.md", STARTING_README.format(name=name))
    return folder
