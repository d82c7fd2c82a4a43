"""Files that people write, with anything in them: one message with file and place, within a bounded time and memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict

from middlemark.conformance.cases.contract import Contract
from middlemark.documents import read_json, read_toml, read_yaml, read_yaml_mapping
from middlemark.errors import InputError
from middlemark.experiment.definition import Experiment
from middlemark.prices.price_sheet import PriceSheetDefinition
from middlemark.workload.plan import Plan
from middlemark.workload.session import Session

LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n" for level in range(1, 12)
)
MERGES = "a0: &a0 {a: 1, b: 2}\n" + "".join(
    f"a{level}: &a{level} {{<<: [{', '.join([f'*a{level - 1}'] * 10)}]}}\n" for level in range(1, 12)
)
YAML: dict[str, tuple[str | bytes, str]] = {
    "brackets": ("a: 1\nb: " + "[" * 3000, "2: more than 100 levels"),
    # libyaml's own composer ends the process.
    "very many brackets": ("a: " + "[" * 1_000_000, "1: more than 100 levels"),
    "blocks": ("".join(" " * level + "a:\n" for level in range(3000)), "100: more than 100 levels"),
    "an alias in itself": ("a: 1\nb: &x [*x]\n", "2: the alias '*x' stands for what it is in"),
    "a billion laughs": (LAUGHS, "5: aliases stand for more than 100,000 values"),
    "a billion merges": (MERGES, "6: aliases stand for more than 100,000 values"),
    "an alias of nothing": ("a: *x\n", "1: found undefined alias 'x'"),
    "a tab": ("a:\n\tb: 1\n", "2: a tab neither indents nor begins a value; use blanks"),
    "a NUL byte": ("a: 1\r\nb: \0\n", "2: the character U+0000 is not allowed"),
    "Latin-1": (b"a: 1\nb: \xe9\n", "2: cannot read this file (not UTF-8 text)"),
    "UTF-16": ("a: 1\n".encode("utf-16"), "1: cannot read this file (not UTF-8 text)"),
    "a key twice": ("a: 1\nb: 2\na: 3\n", "3: the key 'a' stands here a second time"),
    "a key that is a list": ("? [a, b]\n: 1\n", "1: a list or a mapping cannot be a key"),
    "two documents": ("a: 1\n---\nb: 2\n", "2: a second document begins here; a file holds one"),
    "a day that is none": ("a: 1\nb: 2026-02-30\n", "2: this is not a valid timestamp; put text between quotes"),
    "too many digits": ("a: 1\nb: " + "1" * 5000 + "\n", "2: this is not a valid int; put text between quotes"),
    "a tag without its value": ("a: !!bool x\n", "1: this is not a valid bool; put text between quotes"),
    "a tag of Python": ("a: !!python/name:os.system x\n", "1: could not determine a constructor for the tag"),
}
TOML: dict[str, tuple[str | bytes, str]] = {
    "brackets": ("a = " + "[" * 3000 + "]" * 3000, " this TOML has too many levels"),
    "too many digits": ("a = " + "1" * 5000, " this TOML has a number with too many digits"),
    "a control character": ("a = 1\nb\x01 = 2\n", "2: this is not TOML: "),
    "a NUL byte": ('a = 1\nb = "\0"\n', "2: this is not TOML: Illegal character"),
    "Latin-1": (b"a = 1\nb = '\xe9'\n", "2: cannot read this file (not UTF-8 text)"),
    "a key twice": ("a = 1\nb = 2\na = 3\n", "3: this is not TOML: Cannot overwrite a value"),
    "an end in the middle": ('a = 1\nb = "x', "2: this is not TOML: Unterminated string"),
}
JSON: dict[str, tuple[str | bytes, str]] = {
    "brackets": ("[" * 3000, " this JSON has too many levels"),
    "too many digits": ('{"a": ' + "1" * 5000 + "}", " this JSON has a number with too many digits"),
    "a NUL byte": ('{"a": 1,\n"b": "\0"}', "2: this is not JSON: "),
    "Latin-1": (b'{"a":\n"\xe9"}', "2: cannot read this file (not UTF-8 text)"),
}


class Anything(BaseModel):
    """Whatever keys a file has."""

    model_config = ConfigDict(extra="allow")


def written(folder: Path, content: str | bytes) -> Path:
    path = folder / "file"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize("model", [Session, Experiment])
@pytest.mark.parametrize("mistake", YAML)
def test_yaml_that_nobody_can_mean_is_one_message(tmp_path: Path, mistake: str, model: type[Session]) -> None:
    content, message = YAML[mistake]
    path = written(tmp_path, content)
    with pytest.raises(InputError) as caught:
        read_yaml(path, model)
    assert str(caught.value).startswith(f"{path}:{message}")


@pytest.mark.parametrize("mistake", TOML)
def test_toml_that_nobody_can_mean_is_one_message(tmp_path: Path, mistake: str) -> None:
    content, message = TOML[mistake]
    path = written(tmp_path, content)
    with pytest.raises(InputError) as caught:
        read_toml(path, PriceSheetDefinition)
    assert str(caught.value).startswith(f"{path}:{message}")


@pytest.mark.parametrize("mistake", JSON)
def test_json_that_nobody_can_mean_is_one_message(tmp_path: Path, mistake: str) -> None:
    content, message = JSON[mistake]
    path = written(tmp_path, content)
    with pytest.raises(InputError) as caught:
        read_json(path, Plan)
    assert str(caught.value).startswith(f"{path}:{message}")


def test_an_alias_that_is_used_as_it_is_meant_is_read(tmp_path: Path) -> None:
    parsed = read_yaml(written(tmp_path, "a: &x [1, {b: 2}]\nc: *x\nd: {<<: &y {e: 1}, f: 2}\n"), Anything)
    assert parsed.model_extra == {"a": [1, {"b": 2}], "c": [1, {"b": 2}], "d": {"e": 1, "f": 2}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("- 1\n", " expected keys with their values"),
        ("openapi: 3.1.0\n", " expected `paths` of methods, each with an `operationId`"),
        ("paths:\n  /a: {post: {responses: {}}}\n", " expected `paths` of methods"),
        ("paths: {}\npaths: {}\n", "2: the key 'paths' stands here a second time"),
        ("paths: [\n", "2: "),
    ],
)
def test_a_contract_that_is_none_is_one_message(tmp_path: Path, content: str, message: str) -> None:
    path = written(tmp_path, content)
    with pytest.raises(InputError) as caught:
        Contract(path, read_yaml_mapping(path))
    assert str(caught.value).startswith(f"{path}:{message}")
