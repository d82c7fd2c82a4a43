"""A commented, valid session to start from."""

from __future__ import annotations

import re
from pathlib import Path

from middlemark.errors import InputError
from middlemark.saving import write_new

STARTING_SESSION = """\
# What one virtual user does, again and again: an iteration. Every key is described in docs/reference/sessions.md.
# Try it:  middlemark drive {file} --target http://127.0.0.1:8080
name: {name}

# Waited after every step, also the last: {{constant: 1s}}, {{uniform: [500ms, 2s]}} or {{exponential: 1s}}.
think: {{constant: 1s}}

# What an iteration starts with: new or keep.
per_iteration: {{connections: new, cookies: new}}

# Where the values of ${{names}} come from. A feed draws a new value for every step, or one for the whole iteration.
feeds:
  item: {{range: [1, 1000]}} # a whole number, 1 <= n < 1000
  # user: {{range: [0, users], format: "user-{{}}", per: iteration}} # needs --number users=50
  # new_user: {{unique: "new:{{run}}-{{user}}-{{iteration}}", per: iteration}} # never the same twice
  # items: {{pick: 4, distinct: true, from: item}} # "17,3,980,42"

# One request each. A step that fails ends the iteration.
steps:
  - id: start
    get: /
    expect: {{status: 200}} # after redirects
  - id: look
    transaction: item # the name it is counted under; the id if left out
    get: /?item=${{item}}
    expect:
      status: 200
      # marker: "Item ${{item}}" # a text the page must hold: a wrong page with status 200 is an error too
      # path: /item # where redirects must end
    # capture:
    #   token: {{between: ['name="token" value="', '"']}} # or regex, json, header; later steps use ${{token}}
    # probability: 0.5
    # repeat: 3
  # - id: send
  #   post: /form
  #   form: {{item: "${{item}}", number: "1"}}
  #   expect: {{status: 200, path: /form}}
  #   identify: [item] # reported when no response comes, so that the outcome can be looked up
"""


def write_new_session(name: str) -> Path:
    """Write `NAME.yaml` into the working directory and return it; InputError when it is there already."""
    stem = name.removesuffix(".yaml")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]*", stem):
        raise InputError(f"'{name}' is not a name for a session", todo="Use letters, digits, -, _ and dots")
    path = Path(f"{stem}.yaml")
    write_new(path, STARTING_SESSION.format(name=stem, file=path))
    return path
