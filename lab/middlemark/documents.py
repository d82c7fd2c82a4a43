"""Reads YAML and TOML files into typed models; a wrong file is one message with file and line."""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic_core import PydanticCustomError
from yaml.parser import ParserError
from yaml.reader import ReaderError
from yaml.scanner import ScannerError

from middlemark.composing import ExplainingLoader, FastLoader
from middlemark.errors import InputError
from middlemark.explaining import explained

Location = tuple[str | int, ...]


def exactly_one(*keys: str) -> ConfigDict:
    """Return the configuration of a model whose files hold exactly one of these keys, for its JSON Schema.

    A validator of the model calls `require_one`, which has the message for people.
    """
    return ConfigDict(json_schema_extra={"oneOf": [{"required": [key]} for key in keys]})


def require_one(document: BaseModel, *fields: str) -> str:
    """Return which one of these fields of a document has a value; ValueError for none and for several."""
    names = {field: type(document).model_fields[field].alias or field for field in fields}
    found = [field for field in fields if getattr(document, field) is not None]
    if len(found) != 1:
        *first, last = names.values()
        present = " and ".join(names[field] for field in found) or "none of them"
        raise ValueError(f"expected exactly one of {', '.join(first)} and {last}, found {present}")
    return found[0]


class Document(BaseModel):
    """A model of a file the user may write: unknown keys are errors, values do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    @model_validator(mode="before")
    @classmethod
    def _name_the_key_that_was_meant(cls, content: Any) -> Any:
        if isinstance(content, dict) and cls.model_config.get("extra") == "forbid":
            known = {field.alias or name for name, field in cls.model_fields.items()} | cls.model_fields.keys()
            for key in content:
                if key not in known:
                    raise wrong_at((key,), f"unknown key '{key}'. {suggestion(str(key), known)}")
        return content


D = TypeVar("D", bound=BaseModel)


def wrong_at(location: Location, message: str) -> PydanticCustomError:
    """Return the error for a validator to raise when the mistake is deeper in the file, at `location` below it."""
    return PydanticCustomError("wrong_at", "{message}", {"message": message, "location": location})


def suggestion(word: str, known: Collection[str]) -> str:
    """Return `Did you mean 'x'?` for the nearest known word, or the list of known words."""
    near = difflib.get_close_matches(word, known, n=1)
    if near:
        return f"Did you mean '{near[0]}'?"
    return f"Known here: {', '.join(sorted(known))}" if known else "None is known here"


def read_yaml(path: Path, model: type[D], *, context: object = None) -> D:
    """Return the YAML file as `model`; raise InputError with file:line for anything wrong in it.

    `context` reaches the model's validators as `info.context`.
    """
    return read_yaml_with_lines(path, model, context=context)[0]


def read_yaml_with_lines(path: Path, model: type[D], *, context: object = None) -> tuple[D, dict[Location, int]]:
    """Return what `read_yaml` does, and for each place in the file (keys and indexes from the top) its line."""
    reading = study_yaml(path, model, context=context)
    if reading.content is None:
        raise reading.mistakes[0]
    return reading.content, reading.lines


@dataclass(frozen=True)
class Reading(Generic[D]):
    """A YAML file with every mistake in it; `content` is None when there is one.

    `parsed` is what it holds before it is any model, None when it is not YAML. `lines`: see `read_yaml_with_lines`.
    """

    content: D | None
    mistakes: tuple[InputError, ...] = ()
    parsed: object = None
    lines: dict[Location, int] = field(default_factory=dict)


def study_yaml(path: Path, model: type[D], *, context: object = None) -> Reading[D]:
    """Return the YAML file as `model`, or every mistake in it with file:line, in the order of the file's keys."""
    try:
        lines, twice, parsed = _parsed(path, _read_text(path))
    except InputError as error:
        return Reading(None, (error,))
    try:
        content = model.model_validate(parsed, context=context)
    except ValidationError as error:
        return Reading(None, (*twice, *_mistakes(path, error, lines)), parsed, lines)
    return Reading(None if twice else content, twice, parsed, lines)


def place_in(path: Path, location: Location) -> str:
    """Return file:line of a place (keys and indexes from the top) in a YAML file, of what holds it if it is not there.

    Raises InputError when it is not YAML.
    """
    return _place(path, location, _parsed(path, _read_text(path))[0])


def read_json(path: Path, model: type[D]) -> D:
    """Return the JSON file as `model`; raise InputError with the file (and line when syntax is wrong)."""
    try:
        content = json.loads(_read_text(path))
    except json.JSONDecodeError as error:
        raise InputError(f"this is not JSON: {error.msg}", where=f"{path}:{error.lineno}") from error
    except (RecursionError, ValueError) as error:
        raise InputError(f"this JSON has {_excess(error)}", where=str(path)) from error
    return _validated(path, content, model)


def read_toml(path: Path, model: type[D]) -> D:
    """Return the TOML file as `model`; raise InputError with the file (and line when syntax is wrong)."""
    text = _read_text(path)
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message, _, place = str(error).partition(" (at ")
        line = re.match(r"line (\d+)", place)
        number = int(line[1]) if line else text.count("\n") + 1
        raise InputError(f"this is not TOML: {message}", where=f"{path}:{number}") from error
    except (RecursionError, ValueError) as error:
        raise InputError(f"this TOML has {_excess(error)}", where=str(path)) from error
    return _validated(path, content, model)


def read_yaml_mapping(path: Path) -> dict[str, Any]:
    """Return a YAML file of a format that others define, which has no model here; InputError like `read_yaml`."""
    _, twice, parsed = _parsed(path, _read_text(path))
    if twice:
        raise twice[0]
    if not isinstance(parsed, dict):
        raise InputError("expected keys with their values", where=str(path))
    return parsed


def _excess(error: RecursionError | ValueError) -> str:
    return "too many levels" if isinstance(error, RecursionError) else "a number with too many digits"


def _read_text(path: Path) -> str:
    """Return the text without its byte-order mark; line ends are those of the file, as parsers count them."""
    try:
        content = path.read_bytes()
        return content.decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot read this file ({error.strerror})", where=str(path)) from error
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError("cannot read this file (not UTF-8 text)", where=f"{path}:{line}") from error


_Parsed = tuple[dict[Location, int], tuple[InputError, ...], object]


def _parsed(path: Path, text: str) -> _Parsed:
    """Return lines, keys given twice and content of a YAML text.

    libyaml is ten times as fast, but PyYAML says what is wrong.
    """
    try:
        if yaml.__with_libyaml__:
            with suppress(ScannerError, ParserError, ReaderError):
                return _loaded(path, FastLoader(text))
        return _loaded(path, ExplainingLoader(text))
    except yaml.YAMLError as error:
        raise InputError(_yaml_problem(error), where=_yaml_place(path, text, error)) from error


def _loaded(path: Path, loader: FastLoader | ExplainingLoader) -> _Parsed:
    try:
        node = loader.get_single_node()
        lines, twice = _lines_of(path, node)  # first: constructing merges the keys that `<<` brings into the nodes
        return lines, twice, None if node is None else loader.construct_document(node)
    finally:
        loader.dispose()


def _validated(path: Path, content: object, model: type[D]) -> D:
    try:
        return model.model_validate(content)
    except ValidationError as error:
        raise next(_mistakes(path, error, {})) from error


def _mistakes(path: Path, error: ValidationError, lines: dict[Location, int]) -> Iterator[InputError]:
    problems = error.errors()
    for problem in problems:
        # Of a list with wrong elements pydantic also says that it is too short, because it does not count those.
        inside = [other for other in problems if other["loc"][: len(problem["loc"])] == problem["loc"]]
        if problem["type"] == "too_short" and len(inside) > 1:
            continue
        location = tuple(part for part in problem["loc"] if not _is_tag(part))
        location += tuple(problem.get("ctx", {}).get("location", ()))
        yield InputError(explained(problem, location), where=_place(path, location, lines))


def _is_tag(part: str | int) -> bool:
    """Return whether it only says which member of a union was meant: such tags are written `<so>`."""
    return isinstance(part, str) and part.startswith("<") and part.endswith(">")


def _place(path: Path, location: Location, lines: dict[Location, int]) -> str:
    """Return file:line of the innermost part of `location` that stands in the file.

    Parts that do not stand there (the names pydantic gives to the members of a union) are passed over.
    """
    known: Location = ()
    for part in location:
        if (*known, part) in lines:
            known = (*known, part)
    return f"{path}:{lines[known]}" if known in lines else str(path)


def _lines_of(path: Path, node: yaml.Node | None) -> tuple[dict[Location, int], tuple[InputError, ...]]:
    """Map each path of keys and indexes to the line (1 = first) where it stands; also a mistake for each key twice."""
    lines: dict[Location, int] = {}
    twice: list[InputError] = []

    def walk(part: yaml.Node | None, location: Location) -> None:
        if part is None:
            return
        lines.setdefault(location, part.start_mark.line + 1)
        if isinstance(part, yaml.MappingNode):
            for key, value in part.value:
                if not isinstance(key, yaml.ScalarNode):
                    continue  # constructing says that this is no key
                line = key.start_mark.line + 1
                place = (*location, key.value)
                if place in lines:
                    twice.append(InputError(f"the key '{key.value}' stands here a second time", where=f"{path}:{line}"))
                    continue
                lines[place] = line
                walk(value, place)
        elif isinstance(part, yaml.SequenceNode):
            for index, value in enumerate(part.value):
                walk(value, (*location, index))

    walk(node, ())
    return lines, tuple(twice)


_PROBLEMS = {
    "found character '\\t' that cannot start any token": "a tab neither indents nor begins a value; use blanks",
    "but found another document": "a second document begins here; a file holds one",
    "found unhashable key": "a list or a mapping cannot be a key",
}


def _yaml_problem(error: yaml.YAMLError) -> str:
    if isinstance(error, ReaderError):
        return f"the character U+{int(error.character):04X} is not allowed"
    problem = str(getattr(error, "problem", None) or error)
    return _PROBLEMS.get(problem, problem)


def _yaml_place(path: Path, text: str, error: yaml.YAMLError) -> str:
    if isinstance(error, ReaderError):
        return f"{path}:{text.count(chr(10), 0, error.position) + 1}"
    mark = getattr(error, "problem_mark", None)
    return f"{path}:{mark.line + 1}" if mark else str(path)
