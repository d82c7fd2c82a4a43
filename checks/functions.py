"""Finds the functions of hand-written Python, Rust, Go and Java: where each begins, how long it is, what it takes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

_RUST_TEXTS = re.compile(
    r"""//[^\n]* | /\*.*?\*/ | b?r(?P<hashes>\#*)".*?"(?P=hashes) | b?"(?:\\.|[^"\\])*"
      | b?'(?:\\(?:u\{[0-9A-Fa-f]+\}|x..|.)|[^'\\\n])'""",
    re.DOTALL | re.VERBOSE,
)
_GO_TEXTS = re.compile(r"""//[^\n]*|/\*.*?\*/|`[^`]*`|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""", re.DOTALL)
_JAVA_TEXTS = re.compile(
    r"""//[^\n]*|/\*.*?\*/|\"{3}(?:\\.|[^\\])*?\"{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""", re.DOTALL
)
_RUST_FUNCTION = re.compile(r"\bfn\s+(?P<name>\w+)")
_GO_FUNCTION = re.compile(r"^func\s+(?:\((?P<receiver>[^)]*)\)\s*)?(?P<name>\w+)", re.MULTILINE)
# A method, a constructor, or a call: what follows the brackets tells them apart. Components of a record are its fields.
_JAVA_FUNCTION = re.compile(r"(?:(?P<before>[\w\]>]+)\s+)?(?<![\w.@])(?P<name>[A-Za-z_]\w*)(?=\s*\()")
_JAVA_STATEMENTS = frozenset(
    {"assert", "case", "catch", "do", "else", "for", "if", "new", "record", "return", "switch", "synchronized", "throw"}
    | {"try", "while", "yield"}
)
_JAVA_AFTER = re.compile(r"\s*(?:throws[\w\s.,]+)?(?P<end>[{;])")
_OPENING, _CLOSING = "([{<", ")]}>"


@dataclass(frozen=True)
class Function:
    """A function: its first line (1 = the file's first), its length in lines, and its number of parameters."""

    name: str
    line: int
    length: int
    parameters: int


def functions(suffix: str, text: str) -> list[Function]:
    """Return the functions of a source text; `suffix` is its file's (`.py`, `.rs`, …), any other holds none."""
    if suffix == ".py":
        return list(_python(text))
    if suffix == ".rs":
        return list(_braced(_blank(_RUST_TEXTS, text).replace("->", "  ").replace("=>", "  "), _RUST_FUNCTION))
    if suffix == ".go":
        return list(_braced(_blank(_GO_TEXTS, text).replace("<-", "  "), _GO_FUNCTION))
    if suffix == ".java":
        return list(_java(_blank(_JAVA_TEXTS, text).replace("->", "  ")))
    return []


def _python(text: str) -> Iterator[Function]:
    """Yield Python's functions with no parameters counted: ruff does that, with a reason beside each exception."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            last = node.end_lineno or node.lineno
            yield Function(node.name, node.lineno, last - node.lineno + 1, 0)


def _blank(texts: re.Pattern[str], source: str) -> str:
    """Return `source` with comments and literals as blanks, so that every brace left is one of the language's."""
    return texts.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), source)


def _braced(code: str, beginning: re.Pattern[str]) -> Iterator[Function]:
    for match in beginning.finditer(code):
        opening = code.find("(", _after_generics(code, match.end()))
        if opening < 0:
            continue
        closing = _partner(code, opening)
        last = _end_of_body(code, closing)
        line = code.count("\n", 0, match.start()) + 1
        length = code.count("\n", match.start(), last) + 1
        yield Function(match["name"], line, length, _parameters(code[opening + 1 : closing]))


def _java(code: str) -> Iterator[Function]:
    for match in _JAVA_FUNCTION.finditer(code):
        before, name = match["before"], match["name"]
        opening = code.index("(", match.end())
        closing = _partner(code, opening)
        after = _JAVA_AFTER.match(code, closing + 1)
        if not after or {before, name} & _JAVA_STATEMENTS or (after["end"] == ";" and not before):
            continue
        begin = match.start("name")
        last = _end_of_block(code, after.start("end")) if after["end"] == "{" else closing
        length = code.count("\n", begin, last) + 1
        # What a method takes that overrides another is decided there.
        overrides = "@Override" in re.split(r"[;{}]", code[:begin])[-1]
        parameters = 0 if overrides else _parameters(code[opening + 1 : closing])
        yield Function(name, code.count("\n", 0, begin) + 1, length, parameters)


def _after_generics(code: str, place: int) -> int:
    return _partner(code, place) if code[place : place + 1] in {"<", "["} else place


def _partner(code: str, opening: int) -> int:
    """Return where the bracket at `opening` closes; the end of the code when it does not."""
    depth = 0
    for place in range(opening, len(code)):
        if code[place] in _OPENING:
            depth += 1
        elif code[place] in _CLOSING:
            depth -= 1
            if depth == 0:
                return place
    return len(code)


def _end_of_body(code: str, closing: int) -> int:
    """Return where the body after the parameters ends; `closing` itself for a declaration without one."""
    place = closing + 1
    while place < len(code):
        if code[place] == "{":
            return _end_of_block(code, place)
        if code[place] == ";":
            return closing
        place = _partner(code, place) + 1 if code[place] in "([" else place + 1
    return closing


def _end_of_block(code: str, opening: int) -> int:
    """Return where a block closes. Only braces count: inside a body `<` compares."""
    depth = 0
    for match in re.finditer(r"[{}]", code[opening:]):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return opening + match.start()
    return len(code)


def _parameters(inside: str) -> int:
    """Return the number of parameters between the brackets, `self` not counted."""
    depth = 0
    parts = [""]
    for letter in inside:
        depth += (letter in _OPENING) - (letter in _CLOSING)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    named = [part.strip() for part in parts if part.strip()]
    return sum(
        1 for part in named if not re.fullmatch(r"(?:&\s*)?(?:'\w+\s+)?(?:mut\s+)?self(?:\s*:.*)?", part, re.DOTALL)
    )
