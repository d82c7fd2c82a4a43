"""The names of the rules that a case can belong to: they stand in the specification, not in a list beside it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

README = "README.md"

# A heading, words in bold type, or an item that begins with a name in code type.
_NAMES = re.compile(r"^#+ ([^\n]+)$|\*\*([^*]+)\*\*|^- `([^`\n]+)`:", re.MULTILINE)


@cache
def rules_of(folder: Path) -> tuple[str, ...]:
    """Return the rules of the specification in a folder, in lower case: those of its pages and of all specifications'.

    The file of all specifications lies beside the folder.
    """
    files = (folder / README, *sorted(folder.glob("*.md")), folder.parent / README)
    texts = [file.read_text(encoding="utf-8") for file in files if file.is_file()]
    found = (next(filter(None, match.groups())) for text in texts for match in _NAMES.finditer(text))
    return tuple(dict.fromkeys(map(rule_name, found)))


def rule_name(words: str) -> str:
    """Return how a rule is compared: in lower case, with single blanks, without a full stop at its end."""
    return " ".join(words.split()).lower().removesuffix(".")
