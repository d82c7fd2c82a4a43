"""Database URLs: libpq's whole syntax, read by libpq itself, and the one form of it that is shown and passed on.

It takes `postgresql://user:password@host:port/name?sslmode=require`, or the same as words: `host=/tmp user=me`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

import psycopg
from psycopg import pq
from psycopg.conninfo import conninfo_to_dict

from middlemark.errors import InputError

SHAPE = "postgresql://user:password@host:port/name"
PLACE = ("host", "port", "user", "password", "dbname")
"""The parameters that every client takes."""
_SCHEMES = ("postgresql://", "postgres://")
_FILES = ("sslrootcert", "sslcert", "sslkey", "sslcrl", "sslcrldir", "passfile")
_NO_FILE = {"", "system"}
_MAX_PORT = 65535
_OPTIONS = pq.Conninfo.get_defaults()
KEYWORDS = frozenset(option.keyword.decode() for option in _OPTIONS)
"""The names of libpq's parameters."""
_SECRET = {option.keyword.decode() for option in _OPTIONS if option.dispchar == b"*"}
_LIBPQS_OWN = {
    *("service", "servicefile", "passfile", "target_session_attrs", "load_balance_hosts", "replication"),
    *("application_name", "fallback_application_name", "client_encoding", "connect_timeout", "tcp_user_timeout"),
    *("keepalives", "keepalives_idle", "keepalives_interval", "keepalives_count", "sslkeylogfile"),
}
"""How a client finds the server and waits for it: other clients of the server found have ways of their own."""


def parameters_of(url: str) -> dict[str, str]:
    """Libpq's parameters in a database URL; files have absolute paths.

    Raises InputError, which repeats nothing of the URL: a part that is out of place may be the password.
    """
    found = _parsed(url)
    if found is None or not url:
        raise InputError("this is not a database URL", todo=f"Write {SHAPE}")
    if any("@" in host[1:] for host in found.get("host", "").split(",") if not host.startswith("/")):
        what = "the host of the database URL has an @ in it"
        raise InputError(what, todo=f"Write %40 for an @ in user or password: {SHAPE}")
    if any(port and not _is_port(port) for port in found.get("port", "").split(",")):
        what = f"the port of the database URL is not a number from 1 to {_MAX_PORT}"
        raise InputError(what, todo=f"Write %2F for a / in user or password: {SHAPE}")
    for name in _FILES:
        if found.get(name, "") not in _NO_FILE:
            found[name] = str(Path(found[name]).absolute())
    return found


def url_of(parameters: Mapping[str, str]) -> str:
    """The URL with these parameters; equal ones have one URL.

    What cannot be where host and port are, the folder of a socket or several hosts, is among the parameters.
    """
    rest = dict(parameters)
    user, password, name = (quote(rest.pop(one, ""), safe="") for one in ("user", "password", "dbname"))
    host, where = rest.get("host", ""), ""
    if not is_socket(host) and "," not in host:
        port = rest.pop("port", "")
        where = f"[{quote(host, safe=':')}]" if ":" in host else quote(host, safe="")
        where += f":{port}" if port else ""
        rest.pop("host", None)
    who = user + (f":{password}" if password else "")
    query = "&".join(f"{one}={quote(value, safe='')}" for one, value in sorted(rest.items()))
    return f"postgresql://{who}{'@' if who else ''}{where}/{name}{'?' if query else ''}{query}"


def is_socket(host: str) -> bool:
    """Say whether libpq takes a host for the folder of a Unix socket, or for an abstract one."""
    return host.startswith(("/", "@"))


def for_every_client(parameters: Mapping[str, str]) -> dict[str, str]:
    """The parameters that every client of the server needs, not the lab's alone."""
    return {name: value for name, value in parameters.items() if name not in _LIBPQS_OWN}


def without_password(url: str) -> str:
    """The URL, of a database or of anything else, as it may be shown."""
    parameters = _parsed(url) if url else None
    if parameters is not None:
        return url_of({name: value for name, value in parameters.items() if name not in _SECRET})
    if url.startswith(_SCHEMES):  # malformed: an @ may be anywhere in the password
        return f"postgresql://{url.rpartition('@')[2].partition('?')[0]}" if "@" in url else "postgresql://"
    parts = urlsplit(url)
    user, at, host = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{user.partition(':')[0]}{at}{host}"))


def word_without_password(word: str) -> str:
    """A word of a command line as it may be shown: `--database=URL` and `NAME=URL` without the password of the URL."""
    scheme = next((one for one in _SCHEMES if one in word), None)
    begins = [word.index(scheme)] if scheme else []
    begins += [0, *(place + 1 for place, letter in enumerate(word) if letter == "=")]
    for begin in begins:
        if _SECRET & (_parsed(word[begin:]) or {}).keys():
            return word[:begin] + without_password(word[begin:])
    return word


def _parsed(url: str) -> dict[str, str] | None:
    """What libpq reads in a URL; None when it cannot."""
    try:
        return {name: str(value) for name, value in conninfo_to_dict(url).items()}
    except (psycopg.ProgrammingError, UnicodeError):
        return None


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdigit() and 0 < int(text) <= _MAX_PORT
