"""Reads YAML and TOML files into typed models; a wrong file is one message with file and line."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from middlemark.errors import InputError


class Document(BaseModel):
    """A model of a file the user may write: unknown keys are errors, values do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


D = TypeVar("D", bound=BaseModel)
Location = tuple[str | int, ...]


def read_yaml(path: Path, model: type[D]) -> D:
    """Return the YAML file as `model`; raise InputError with file:line for anything wrong in it."""
    text = _read_text(path)
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InputError(_yaml_problem(error), where=_yaml_place(path, error)) from error
    return _validated(path, content, model, _lines_of(node))


def read_toml(path: Path, model: type[D]) -> D:
    """Return the TOML file as `model`; raise InputError with the file (and line when syntax is wrong)."""
    try:
        content = tomllib.loads(_read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise InputError(str(error), where=str(path)) from error
    return _validated(path, content, model, {})


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise InputError(f"cannot read this file ({reason})", where=str(path)) from error


def _validated(path: Path, content: object, model: type[D], lines: dict[Location, int]) -> D:
    try:
        return model.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(_explain(first), where=_place(path, first["loc"], lines)) from error


def _explain(problem: Any) -> str:
    key = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        return f"unknown key '{problem['loc'][-1]}' (at {key})"
    if problem["type"] == "missing":
        return f"the key '{problem['loc'][-1]}' is missing (at {key})"
    message = problem["msg"].removeprefix("Value error, ")
    return f"{key}: {message}" if key else message


def _place(path: Path, location: Location, lines: dict[Location, int]) -> str:
    """Return file:line of the innermost part of `location` that stands in the file."""
    known = tuple(location)
    while known and known not in lines:
        known = known[:-1]
    return f"{path}:{lines[known]}" if known in lines else str(path)


def _lines_of(node: yaml.Node | None) -> dict[Location, int]:
    """Map each path of keys and indexes to the line (1 = first) where it stands."""
    lines: dict[Location, int] = {}

    def walk(part: yaml.Node | None, location: Location) -> None:
        if part is None:
            return
        lines.setdefault(location, part.start_mark.line + 1)
        if isinstance(part, yaml.MappingNode):
            for key, value in part.value:
                lines[(*location, key.value)] = key.start_mark.line + 1
                walk(value, (*location, key.value))
        elif isinstance(part, yaml.SequenceNode):
            for index, value in enumerate(part.value):
                walk(value, (*location, index))

    walk(node, ())
    return lines


def _yaml_problem(error: yaml.YAMLError) -> str:
    return str(getattr(error, "problem", None) or error)


def _yaml_place(path: Path, error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    return f"{path}:{mark.line + 1}" if mark else str(path)
