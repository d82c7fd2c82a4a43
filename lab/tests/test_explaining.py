"""No message of pydantic's reaches a user: each of its kinds of problem is said in words of this project."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import Field, RootModel, ValidationError, model_validator
from pydantic_core import PydanticKnownError
from pydantic_core._pydantic_core import list_all_errors

import middlemark
from middlemark.documents import Document, read_json, read_toml, read_yaml
from middlemark.errors import InputError
from middlemark.explaining import first_mistake
from middlemark.specification.tiers import Name

PACKAGE = Path(middlemark.__file__).parent
KINDS: dict[str, Any] = {str(one["type"]): one for one in list_all_errors()}
RAW = re.compile(
    r"\b(Input|should|valid|dictionary|Tuple|String|Field required|not permitted|instance of|Value error)\b"
)


def problem_of(kind: str) -> ValidationError:
    """Return a ValidationError with one problem of this kind, at the key `value`."""
    context = {**(KINDS[kind].get("example_context") or {})}
    if kind in {"value_error", "assertion_error"}:
        context["error"] = ValueError("nothing fits")

    class Inner(RootModel[Any]):
        @model_validator(mode="before")
        @classmethod
        def _refuse(cls, _: object) -> object:
            raise PydanticKnownError(kind, context)  # type: ignore[arg-type] # every kind there is

    class Outer(Document):
        value: Inner

    with pytest.raises(ValidationError) as error:
        Outer.model_validate({"value": "here"})
    return error.value


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_problem_is_explained(kind: str) -> None:
    problem = problem_of(kind)
    text = first_mistake(problem)
    assert problem.errors()[0]["msg"] not in text
    assert not RAW.search(text)
    assert "value" in text


class Odd(Document):
    """A model with fields of every kind that a file of the lab has."""

    text: str = Field("long enough", min_length=3, max_length=20, pattern="^[a-z ]+$")
    number: int = Field(1, ge=1, le=5)
    share: float = Field(0.5, gt=0, lt=1, allow_inf_nan=False)
    sure: bool = True
    names: tuple[Name, ...] = Field(("a",), min_length=1, max_length=2)
    by_name: dict[Name, int] = Field({}, min_length=0)
    choice: Literal["one", "two"] = "one"
    inner: Inside | None = None


class Inside(Document):
    """A model inside."""

    needed: int


Odd.model_rebuild()

WRONG = {
    "text: 5": "text: expected text, found 5; put it between quotes",
    "text: [a]": "text: expected text, found a list",
    "text: ab": "text: expected at least 3 characters, found 'ab'",
    "text: ABCD": "text: 'ABCD' does not match the pattern ^[a-z ]+$",
    f"text: {'a' * 100}": "text: expected at most 20 characters, found 'aaa",
    "number: 0": "number: expected 1 or more, found 0",
    "number: 6": "number: expected 5 or less, found 6",
    "number: x": "number: expected a whole number, found 'x'",
    "number: 1.5": "number: expected a whole number, found 1.5",
    "number:": "number: expected a whole number, found nothing",
    "share: 0": "share: expected more than 0, found 0",
    "share: 1": "share: expected less than 1, found 1",
    "share: .nan": "share: expected a finite number, found nan",
    "share: {}": "share: expected a number, found keys with their values",
    "sure: perhaps": "sure: expected true or false, found 'perhaps'",
    "names: []": "names: expected at least 1 element, found none",
    "names: [a, b, c]": "names: expected at most 2 elements, found 3",
    "names: a": "names: expected a list, found 'a'",
    "names: [A]": "names.0: 'A' does not match the pattern",
    "by_name: []": "by_name: expected keys with their values, found an empty list",
    "by_name: {A b: 1}": "by_name.A b: 'A b' does not match the pattern",
    "choice: three": "choice: expected 'one' or 'two', found 'three'",
    "inner: {}": "the key 'needed' is missing (at inner.needed)",
    "inner: 7": "inner: expected keys with their values, found 7",
    "txt: a": "unknown key 'txt'. Did you mean 'text'?",
    "- 1": "expected keys with their values, found a list",
}


@pytest.mark.parametrize(("content", "text"), WRONG.items())
def test_a_wrong_value_is_said_with_what_was_found(tmp_path: Path, content: str, text: str) -> None:
    file = tmp_path / "odd.yaml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_yaml(file, Odd)
    assert text in str(error.value)
    assert not RAW.search(str(error.value))


def test_the_same_is_said_of_toml_and_json(tmp_path: Path) -> None:
    toml, json = tmp_path / "odd.toml", tmp_path / "odd.json"
    toml.write_text("names = []\n")
    json.write_text('{"names": []}')
    for read, file in ((read_toml, toml), (read_json, json)):
        with pytest.raises(InputError, match="names: expected at least 1 element, found none"):
            read(file, Odd)


def test_nothing_else_reads_the_message_of_a_problem() -> None:
    readers = {
        file.relative_to(PACKAGE).as_posix()
        for file in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and node.slice.value == "msg"
    }
    assert readers == {"explaining.py"}
