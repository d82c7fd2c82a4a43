"""The names of the rules that a case can belong to: they stand in the specification, not in a list beside it."""

from __future__ import annotations

import re
from pathlib import Path

README = "README.md"

# A heading, words in bold type, or an item that begins with a name in code type.
_NAMES = re.compile(r"^#+ ([^\n]+)$|\*\*([^*]+)\*\*|^- `([^`\n]+)`:", re.MULTILINE)


def rules_of(spec_folder: Path) -> tuple[str, ...]:
    """Return the rules of a specification, in lower case: what its README and that of all specifications name."""
    files = (spec_folder / README, spec_folder.parent / README)
    texts = [file.read_text(encoding="utf-8") for file in files if file.is_file()]
    found = (next(filter(None, match.groups())) for text in texts for match in _NAMES.finditer(text))
    return tuple(dict.fromkeys(" ".join(words.split()).lower() for words in found))
