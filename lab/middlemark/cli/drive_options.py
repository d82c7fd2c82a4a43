"""The options of `middlemark drive` about load and transport, as values."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Literal, get_args

from middlemark.cli.option_values import duration_of
from middlemark.documents import suggestion
from middlemark.drive.options import DriveLoad
from middlemark.duration import Duration
from middlemark.errors import InputError
from middlemark.workload.plan import PlanTls, Resumption, Spacing, TimeOuts, Unit
from middlemark.workload.planning import Arrivals, checked_address, checked_interval

Version = Literal["1.2", "1.3"]
SWITCH = {"yes": True, "no": False}
TLS_FILES = ("ca", "certificate", "key")
TLS_VERSIONS = ("minimum", "maximum")
TLS_SWITCHES = ("insecure",)
RESUMPTION = "resumption"
TIMEOUTS = {"connect": "connect", "first-byte": "first_byte", "response": "response"}
"""The keys of `--timeout`, and those of the driver's plan."""


def interval_of(text: str | None) -> Duration | None:
    """Return the length of the driver's intervals, None when it was left out; InputError for anything else."""
    interval = duration_of("--interval", text)
    try:
        return None if interval is None else checked_interval(interval)
    except ValueError as error:
        raise InputError(str(error), where="--interval") from error


def load_of(users: str | None, rate: str | None, spacing: Spacing | None, unit: Unit | None) -> DriveLoad:
    """Return the load of `--users`, `--rate`, `--arrivals` and `--unit`; InputError when they disagree."""
    numbers, arrivals = _users_of(users), _arrivals_of(rate, spacing, unit)
    if len(numbers) < 2:
        return DriveLoad(numbers[0] if numbers else None, (), arrivals)
    if arrivals is not None:
        raise InputError("with a rate it is one number, the most users active at once", where="--users")
    return DriveLoad(None, numbers, None)


def _users_of(text: str | None) -> tuple[int, ...]:
    """Return the numbers of `--users N,N…`, empty when it was left out; InputError for anything else."""
    if text is None:
        return ()
    try:
        numbers = tuple(int(part) for part in text.split(","))
    except ValueError as error:
        raise InputError(
            f"'{text}' is not a number of users", where="--users", todo="Write it like 20, or 10,20,40 for three levels"
        ) from error
    if min(numbers) < 1:
        raise InputError("a load has at least one user", where="--users")
    return numbers


def _arrivals_of(rate: str | None, spacing: Spacing | None, unit: Unit | None) -> Arrivals | None:
    """Return the open model of `--rate`, `--arrivals` and `--unit`, None for the closed one."""
    if rate is None:
        for option, value in (("--arrivals", spacing), ("--unit", unit)):
            if value is not None:
                raise InputError(
                    "it is how a rate arrives, and --rate is missing", where=option, todo="Add --rate, or leave it out"
                )
        return None
    try:
        rates = tuple(float(part) for part in rate.split(","))
    except ValueError as error:
        raise InputError(
            f"'{rate}' is not a rate",
            where="--rate",
            todo="Write arrivals per second like 50, or 50,100 for two levels",
        ) from error
    if not all(0 < one <= 1_000_000 for one in rates):
        raise InputError(f"'{rate}': a rate is above 0 and at most 1,000,000 per second", where="--rate")
    return Arrivals(rates, spacing or Spacing.CONSTANT, unit or Unit.SESSIONS)


def tls_of(texts: Sequence[str] | None) -> PlanTls | None:
    """Return the values of `--tls KEY=VALUE`, None when it was left out; InputError for an unknown key or value."""
    if not texts:
        return None
    chosen: dict[str, str | bool] = {}
    for text in texts:
        key, value = _key_and_value("--tls", text, (*TLS_FILES, *TLS_VERSIONS, RESUMPTION, *TLS_SWITCHES))
        known = _values_of_tls(key)
        if known and value not in known:
            raise InputError(f"'{value}' is not a value of {key}. {suggestion(value, known)}", where=f"--tls {text}")
        chosen[key] = SWITCH[value] if key in TLS_SWITCHES else value
    return PlanTls.model_validate(chosen)


def _values_of_tls(key: str) -> tuple[str, ...]:
    """Return the values of a key of `--tls`, none where it is a file."""
    if key == RESUMPTION:
        return tuple(one.value for one in Resumption)
    if key in TLS_SWITCHES:
        return tuple(SWITCH)
    return get_args(Version) if key in TLS_VERSIONS else ()


def timeouts_of(texts: Sequence[str] | None) -> TimeOuts:
    """Return the time-outs that `--timeout KEY=TIME` changes; InputError for an unknown key or a wrong time."""
    chosen: dict[str, float] = {}
    for text in texts or ():
        key, value = _key_and_value("--timeout", text, TIMEOUTS)
        duration = duration_of(f"--timeout {key}", value)
        if duration is None or duration.ms <= 0:
            raise InputError("no response could come within 0s", where=f"--timeout {text}")
        chosen[TIMEOUTS[key]] = duration.ms
    return TimeOuts.model_validate(chosen)


def numbers_of(texts: Sequence[str] | None) -> dict[str, int]:
    """Return the numbers of `--number NAME=N` by their names; InputError for anything else."""
    found: dict[str, int] = {}
    for text in texts or ():
        name, _, value = text.partition("=")
        if not name or not value.isdecimal():
            raise InputError(f"'{text}' is not NAME=N", where="--number", todo="Write it like --number accounts=5000")
        found[name] = int(value)
    return found


def lists_of(texts: Sequence[str] | None) -> dict[str, Path]:
    """Return the files of `--list NAME=FILE` by their names; InputError for anything else."""
    found: dict[str, Path] = {}
    for text in texts or ():
        name, _, file = text.partition("=")
        if not name or not file:
            raise InputError(f"'{text}' is not NAME=FILE", where="--list", todo="Write it like --list requests=all.txt")
        found[name] = Path(file).absolute()
    return found


def sources_of(texts: Sequence[str] | None) -> tuple[str, ...]:
    """Return the local addresses of `--source`; InputError for anything else."""
    for text in texts or ():
        try:
            checked_address(text)
        except ValueError as error:
            raise InputError(str(error), where="--source", todo="Write it like 127.0.0.2") from error
    return tuple(texts or ())


def _key_and_value(option: str, text: str, known: Collection[str]) -> tuple[str, str]:
    key, _, value = text.partition("=")
    if key not in known:
        raise InputError(f"'{key}' is unknown. {suggestion(key, known)}", where=option)
    if not value:
        raise InputError(f"'{text}' has no value", where=option, todo=f"Write it like {key}=…")
    return key, value
