"""The options of `middlemark ab`, checked before anything is started."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, urlsplit

from middlemark.drive.address import target_address
from middlemark.duration import Duration
from middlemark.errors import InputError

PORT = "{port}"
USERS = 4
# Shared machines change their speed within a second: slices of 200 ms gave intervals 0.6 times as wide as slices of
# 1 s, in runs of equal length.
SLICE = Duration(250)
BUDGET = Duration.of_seconds(120)
MIN_SLICE = Duration(200)
WARM_UP_SHARE = 0.25
"""Most of the budget that the warm-up takes unless it is given."""
# Characters of a path and a query that stay as they are (RFC 3986).
_SAFE = "/?:@!$&'()*+,;=-._~%[]"


@dataclass(frozen=True)
class SideOptions:
    """One side: where it is, or the command that starts it. `paths` are requested in turn; empty for a session.

    `name` is the address or command as the user gave it.
    """

    letter: str
    name: str
    address: str = ""
    command: tuple[str, ...] = ()
    paths: tuple[str, ...] = ("/",)


@dataclass(frozen=True)
class AbOptions:
    """Everything a comparison needs. `warm_up` is its longest; `numbers` are those that the session names."""

    sides: tuple[SideOptions, SideOptions]
    session: Path | None = None
    numbers: Mapping[str, int] = field(default_factory=dict)
    users: int = USERS
    slice: Duration = SLICE
    budget: Duration = BUDGET
    warm_up: Duration | None = None
    seed: int = 1
    equal_within: float = 0.05
    fail_if_slower: float | None = None

    @property
    def longest_warm_up_s(self) -> float:
        """Most seconds of the warm-up."""
        return self.budget.seconds * WARM_UP_SHARE if self.warm_up is None else self.warm_up.seconds

    @property
    def is_same(self) -> bool:
        """Whether both sides are the same pages of one address: then nothing is compared."""
        a, b = self.sides
        return bool(a.address) and (a.address, a.paths) == (b.address, b.paths)

    def checked(self) -> AbOptions:
        """Return itself; InputError for values that leave nothing to measure."""
        if self.slice < MIN_SLICE:
            raise InputError(f"a slice of {self.slice} is too short", where="--slice", todo=f"Give {MIN_SLICE} or more")
        least = Duration.of_seconds(20 * self.slice.seconds)
        if self.budget < least:
            raise InputError(f"{self.budget} holds no comparison", where="--budget", todo=f"Give at least {least}")
        if self.longest_warm_up_s > self.budget.seconds / 2:
            raise InputError(
                "the warm-up takes more than half of the budget",
                where="--warm-up",
                todo=f"Give --budget {Duration(2 * self.longest_warm_up_s * 1000)} or more",
            )
        return self


def sides_of(
    urls: Sequence[str], commands: Sequence[str], paths: Sequence[str], *, has_session: bool
) -> tuple[SideOptions, SideOptions]:
    """Return A and B: two addresses, or two commands; InputError for anything else."""
    if len(urls) + len(commands) != 2 or len(urls) == len(commands):
        raise InputError(
            f"expected two addresses or two commands, found {len(urls)} and {len(commands)}",
            where="middlemark ab",
            todo="Give URL URL, or --start 'COMMAND {port}' twice",
        )
    if paths and has_session:
        raise InputError("a session has its own paths", where="--path", todo="Leave out --path or --session")
    if commands:
        taken = () if has_session else tuple(_path(path) for path in paths) or ("/",)
        return (
            SideOptions("A", commands[0], command=_command(commands[0]), paths=taken),
            SideOptions("B", commands[1], command=_command(commands[1]), paths=taken),
        )
    return _at("A", urls[0], paths, has_session=has_session), _at("B", urls[1], paths, has_session=has_session)


def session_text(paths: Sequence[str], status: int) -> str:
    """Text of a session that requests the paths in turn (JSON is YAML)."""
    numbered = len(paths) > 1
    steps = [
        {
            "id": f"page-{number}" if numbered else "page",
            # A $ before a brace would begin a name.
            "get": path.replace("${", "$${"),
            "expect": {"status": status},
        }
        for number, path in enumerate(paths, 1)
    ]
    return json.dumps({"name": "ab", "think": {"constant": "0ms"}, "steps": steps}, indent=1) + "\n"


def _at(letter: str, url: str, paths: Sequence[str], *, has_session: bool) -> SideOptions:
    if "://" not in url:
        raise InputError("this is not an address", where=url, todo="Write it like http://127.0.0.1:8080/page")
    parts = urlsplit(url)
    if has_session or paths:
        address = target_address(url)
        return SideOptions(letter, url, address, paths=() if has_session else tuple(_path(path) for path in paths))
    address = target_address(parts._replace(path="", query="", fragment="").geturl())
    path = parts.path or "/"
    return SideOptions(letter, url, address, paths=(_path(f"{path}?{parts.query}" if parts.query else path),))


def _path(text: str) -> str:
    if not text.startswith("/"):
        raise InputError(f"'{text}' is not a path", where="--path", todo="Write it like /page?id=1")
    return quote(text, safe=_SAFE)


def _command(text: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise InputError(f"this is not a command ({error})", where=f"--start {text}") from error
    if not any(PORT in word for word in words):
        raise InputError(
            "the command has no place for its port",
            where=f"--start {text}",
            todo=f"Write {PORT} where the port belongs, as in 'python3 app.py {PORT}'",
        )
    return words
