"""Finds words in the lab that only a specification defines: its tiers, roles, modes, settings, effects and paths.

Names of tiers, roles, modes, databases and effects are also words of everyday English. They are refused where a program
would know them: in an identifier, in SQL, and as a string of their own. Variables, paths and mode values of several
words are refused everywhere, in comments and templates too.

python -m checks.specification_words: the number of words found, by file.
"""

from __future__ import annotations

import builtins
import io
import re
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from checks.listing import REPOSITORY, files, read

# An identifier's words: snake_case, camelCase, CONSTANT.
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
# What a string is made of when programs compare it: joined tiers, NAME=VALUE, kind-NAME.
_PARTS = re.compile(r"[\w-]+")

_SQL = re.compile(r"\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|TRUNCATE|(?:CREATE|ALTER|DROP|LOCK) TABLE)\b")
_STRINGS = {tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
_BEFORE_STATEMENTS = {tokenize.NEWLINE, tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT}

# Every application has these: specs/README.md.
_COMMON = {"MM_HOST", "MM_SERVER"}

# Words of any program with a network: a specification may give them to its tiers and modes, and defines none of them.
_OF_THE_TRADE = {"authentication", "client", "operation", "protocol", "service"}

# Names that libraries and systems have given to their own things.
OF_OTHERS = {
    "duration.py": {"order"},  # dataclass(order=True)
    "conformance/cases/wsdl.py": {"binding", "bindings"},  # zeep: bindings of a WSDL
    "conformance/execution/calling/over_grpc.py": {"services"},  # grpc_tools: services of a .proto
    "conformance/execution/calling/over_soap.py": {"binding", "bindings"},  # zeep: bindings of a WSDL
    "conformance/execution/calling/served_wsdl.py": {"binding", "bindings", "services"},  # zeep: those of a WSDL
    "topology/certificate.py": {"encryption"},  # cryptography: NoEncryption
    "topology/plan.py": {"order"},  # graphlib: static_order()
    "experiment/disclosure.py": {"processor"},  # platform.processor()
}


@dataclass(frozen=True)
class Words:
    """What specifications define: `names` are words, `exact` are texts like variables and paths."""

    names: frozenset[str]
    exact: frozenset[str]


def words_of(root: Path) -> Words:
    """Return the words of every specification of the repository."""
    names: set[str] = set()
    exact: set[str] = set()
    for file in sorted((root / "specs").glob("*/spec.toml")):
        content = tomllib.loads(read(file))
        names |= set(_names(content)) - _OF_THE_TRADE
        exact |= set(_exact(content))
    plurals = {f"{name}s" for name in names}
    return Words(frozenset(names | plurals), frozenset(exact - _COMMON))


def _names(content: dict[str, Any]) -> Iterator[str]:
    for table in ("tiers", "modes", "databases", "effects"):
        yield from content.get(table, {})
    yield from content.get("roles", {}).get("carries", {}).keys() - set(dir(builtins))
    yield from (effect["plural"] for effect in content.get("effects", {}).values())


def _exact(content: dict[str, Any]) -> Iterator[str]:
    yield from content.get("settings", {})
    yield from _variables(content)
    values = (value for mode in content.get("modes", {}).values() for value in mode.get("values", ()))
    yield from (value for value in values if "-" in value)
    for tier in content.get("tiers", {}).values():
        yield from tier.get("paths", ())
    yield from (one["path"] for one in content.get("interfaces", {}).values() if one.get("path"))
    if "login" in content:
        yield content["login"]["post"]


def _variables(value: object) -> Iterator[str]:
    if isinstance(value, str) and value.startswith("MM_"):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _variables(part)


def found_in(text: str, words: Words) -> Iterator[tuple[int, str]]:
    """Yield line and word for each word of a specification in a Python file."""
    yield from _exact_in(text, words)
    before = tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        is_docstring = before in _BEFORE_STATEMENTS
        if token.type == tokenize.NAME:
            yield from ((token.start[0], one) for one in _identifier_words(token.string) if one in words.names)
        elif token.type in _STRINGS and not is_docstring:
            yield from ((token.start[0], one) for one in _string_words(token.string) if one in words.names)
        before = token.type


def _exact_in(text: str, words: Words) -> Iterator[tuple[int, str]]:
    """Yield line and word for each variable, path or value of several words in any text."""
    for number, line in enumerate(text.splitlines(), start=1):
        yield from ((number, one) for one in words.exact if _stands_in(line, one))


def _stands_in(line: str, text: str) -> bool:
    """Say whether a text stands in a line, and not only the beginning of a longer word."""
    if text not in line:
        return False  # nearly all of them, and found out much faster
    return re.search(re.escape(text) + (r"(?![\w-])" if text[-1].isalnum() else ""), line) is not None


def _identifier_words(identifier: str) -> set[str]:
    parts = [part.lower() for part in _WORD.findall(identifier)]
    # data-access is two words of one identifier.
    return {*parts, *("-".join(pair) for pair in pairwise(parts))}


def _string_words(literal: str) -> set[str]:
    """Return the names in a string that programs compare, or in SQL; a sentence for people has blanks."""
    content = literal.lstrip("rbfRBF").strip("'\"")
    if " " in content and not _SQL.search(content):
        return set()
    return {part for word in _PARTS.findall(content) for part in (word, *word.split("-"))}


def specification_words(root: Path) -> list[str]:
    """Return every place in the lab's package where such a word stands, as `file:line: word`."""
    words, package = words_of(root), root / "lab" / "middlemark"
    return [
        f"{path.relative_to(root)}:{number}: {word}"
        for path in files(package)
        for number, word in sorted(set((found_in if path.suffix == ".py" else _exact_in)(read(path), words)))
        if word not in OF_OTHERS.get(path.relative_to(package).as_posix(), ())
    ]


def main() -> int:
    """Print how many such words stand in each file, and in all."""
    found = specification_words(Path(sys.argv[1]) if len(sys.argv) > 1 else REPOSITORY)
    for name, count in Counter(place.partition(":")[0] for place in found).most_common():
        print(f"{count:5} {name}")
    print(f"{len(found):5} words")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
