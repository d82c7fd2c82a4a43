"""Lists every mutant that the mutation tool gremlins makes. It only lists: our runner applies and judges them.

gremlins judges by unit tests; what is asked here is whether `middlemark verify` and the audit notice.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from checks.mutation.mutant import Mutant, line_and_column
from middlemark.errors import HostError, MissingToolError

TOOL = "github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0"

_SWITCHES = (
    *("arithmetic-base", "conditionals-boundary", "conditionals-negation", "increment-decrement"),
    *("invert-assignments", "invert-bitwise", "invert-bwassign", "invert-logical", "invert-loopctrl"),
    *("invert-negatives", "remove-self-assignments"),
)

# What each mutator puts in place of a token: internal/engine/mappings.go of the version above.
_ASSIGNMENTS = {"+=": "-=", "-=": "+=", "*=": "/=", "/=": "*="}
_BITWISE = {"&^": "&", "&": "|", "|": "&", "^": "&", "<<": ">>", ">>": "<<"}
REPLACEMENTS = {
    "ARITHMETIC_BASE": {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*"},
    "CONDITIONALS_BOUNDARY": {">=": ">", "<=": "<", ">": ">=", "<": "<="},
    "CONDITIONALS_NEGATION": {"==": "!=", "!=": "==", ">=": "<", "<=": ">", ">": "<=", "<": ">="},
    "INCREMENT_DECREMENT": {"++": "--", "--": "++"},
    "INVERT_ASSIGNMENTS": _ASSIGNMENTS,
    "INVERT_BITWISE": _BITWISE,
    "INVERT_BWASSIGN": {"&^=": "&=", "&=": "|=", "|=": "&=", "^=": "&=", "<<=": ">>=", ">>=": "<<="},
    "INVERT_LOGICAL": {"&&": "||", "||": "&&"},
    "INVERT_LOOPCTRL": {"break": "continue", "continue": "break"},
    "INVERT_NEGATIVES": {"-": "+"},
    "REMOVE_SELF_ASSIGNMENTS": dict.fromkeys(
        ("&^=", "<<=", ">>=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="), "="
    ),
}


def listed(module: Path, package: str, folders: frozenset[str]) -> list[Mutant]:
    """Return the mutants of the Go files of `folders` (relative to `package`, "." for itself), by file and place.

    `module` is a copy without tests: gremlins lists what no test covers as well, and does not run any.
    """
    output = module / "gremlins.json"
    _run(module, package, output)
    found = json.loads(output.read_text(encoding="utf-8"))
    output.unlink()
    places: dict[tuple[str, int, str, str], set[str]] = {}
    for entry in found["files"]:
        name = str(entry["file_name"])
        if Path(name).parent.as_posix() not in folders:
            continue
        text = (module / package / name).read_bytes()
        for mutation in entry["mutations"]:
            offset = _offset(text, int(mutation["line"]), int(mutation["column"]))
            original, replacement = _change(text, offset, str(mutation["type"]))
            places.setdefault((f"{package}/{name}", offset, original, replacement), set()).add(mutation["type"])
    return list(_named(module, places))


def _run(module: Path, package: str, output: Path) -> None:
    words = ["go", "run", TOOL, "unleash", "--dry-run", "--silent", f"--output={output}"]
    words += [f"--{switch}" for switch in _SWITCHES]
    try:
        done = subprocess.run(
            [*words, f"./{package}"], cwd=module, env=_environment(), capture_output=True, text=True, check=False
        )
    except FileNotFoundError as error:
        raise MissingToolError("the program `go` is not there", todo="See platforms/go/platform.toml") from error
    if done.returncode != 0 or not output.is_file():
        raise HostError(f"gremlins ended with {done.returncode}: {done.stderr.strip()[-500:]}", where=str(module))


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("MM_", "GREMLINS_"))}


def _offset(text: bytes, line: int, column: int) -> int:
    return sum(len(one) + 1 for one in text.split(b"\n")[: line - 1]) + column - 1


def _change(text: bytes, offset: int, mutator: str) -> tuple[str, str]:
    """Return the token at a place and what the mutator puts there; the longest token that fits is the one."""
    replacements = REPLACEMENTS[mutator]
    for token in sorted(replacements, key=len, reverse=True):
        if text.startswith(token.encode(), offset):
            return token, replacements[token]
    line, column = line_and_column(text, offset)
    raise HostError(f"gremlins' {mutator} at {line}:{column} is not in its version 0.6.0", where=TOOL)


def _named(module: Path, places: dict[tuple[str, int, str, str], set[str]]) -> Iterator[Mutant]:
    """Name each mutant by its file and its changed line; of equal lines the second and later ones get a number."""
    seen: Counter[str] = Counter()
    for (file, offset, original, replacement), mutators in sorted(places.items()):
        text = (module / file).read_bytes()
        name = f"{file}: {_changed_line(text, offset, original, replacement)}"
        seen[name] += 1
        if seen[name] > 1:
            name = f"{name} ({seen[name]})"
        line, column = line_and_column(text, offset)
        yield Mutant(name, ", ".join(sorted(mutators)), file, offset, original, replacement, line, column)


def _changed_line(text: bytes, offset: int, original: str, replacement: str) -> str:
    begin = text.rfind(b"\n", 0, offset) + 1
    end = text.find(b"\n", offset)
    before = text[begin:offset].decode().lstrip()
    after = text[offset + len(original) : end if end >= 0 else len(text)].decode().rstrip()
    return f"{before}[{original} → {replacement}]{after}"
