"""What an application says about itself (`GET /about`, specs/README.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import httpx
from pydantic import BaseModel, ConfigDict, ValidationError

from middlemark.databases.database_url import without_password
from middlemark.errors import TargetError
from middlemark.explaining import first_mistake
from middlemark.specification.specification import about_name

SHOWN_TOKEN = "secret"  # noqa: S105 (that there is a token, and not which one)
_SECONDS = 10.0


class NotDefault(BaseModel):
    """A setting that differs from its default and can change performance."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    what: str
    value: str
    why: str


class About(BaseModel):
    """The answer of one process."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    platform: str
    server: str
    specification: str
    specification_version: str
    commit: str
    roles: tuple[str, ...]
    settings: dict[str, str]
    versions: dict[str, str]
    not_default: tuple[NotDefault, ...]


def read_about(address: str) -> About:
    """Return what the process at `address` says about itself; TargetError when that is not what it must be."""
    where = f"{address}/about"
    try:
        response = httpx.get(where, timeout=_SECONDS, trust_env=False)
        response.raise_for_status()
        return About.model_validate_json(response.content)
    except httpx.HTTPError as error:
        todo = "Is an application running there? If so, its own log says more"
        raise TargetError(f"GET /about failed ({error})", where=where, todo=todo) from error
    except ValidationError as error:
        what = f"says what specs/README.md does not allow ({first_mistake(error)})"
        raise TargetError(what, where=where) from error


def differs_from_request(name: str, about: About, requested: Mapping[str, str]) -> list[str]:
    """Return one text for everything the process `name` does otherwise than requested.

    `requested` holds `MM_*` settings, and `platform`, `specification` and `specification_version`.
    """
    found: list[str] = []
    for what, value in requested.items():
        setting = about_name(what)
        is_so = about.settings.get(setting, "missing") if what.startswith("MM_") else str(getattr(about, what))
        wanted = without_password(value) if "://" in value else value
        if is_so != wanted:
            found.append(f"{name}: {setting} is {is_so}, {wanted} was requested")
    return found


def settings_not_shown(name: str, about: About, variables: Iterable[str]) -> list[str]:
    """Return one text for each of these variables that the process `name` does not show at all."""
    names = map(about_name, variables)
    return [f"{name}: {one} is missing, /about shows every setting" for one in names if one not in about.settings]


def compare_about(before: Mapping[str, About], after: Mapping[str, About]) -> list[str]:
    """Return one text for everything that is different after the load, none when nothing is."""
    changes: list[str] = []
    for name in before:
        old, new = _flat(before[name]), _flat(after[name])
        changes += [
            f"{name}: {key} was {old.get(key, 'missing')}, is {new.get(key, 'missing')}"
            for key in sorted(old.keys() | new.keys())
            if old.get(key) != new.get(key)
        ]
    return changes


def _flat(about: About) -> dict[str, str]:
    # By name: a JSON object's keys have no order, and a process may tell them in another one after each start.
    flat = {f"setting {name}": value for name, value in about.settings.items()}
    flat |= {f"version of {name}": value for name, value in about.versions.items()}
    rest = about.model_dump(mode="json", exclude={"settings", "versions"})
    return flat | {name: str(value) for name, value in rest.items()}
