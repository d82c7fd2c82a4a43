"""Finds words that docs/reference/glossary.md replaces by better ones.

python -m checks.glossary: the number of places, by file; with -v each place.
"""

from __future__ import annotations

import fnmatch
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from checks.listing import REPOSITORY, files, read

GLOSSARY = Path("docs") / "reference" / "glossary.md"
SEARCHED = (
    "lab/middlemark",
    "lab/tests",
    "checks",
    "driver",
    "docs",
    "specs",
    "servers",
    "databases",
    "experiments",
    "published",
)
# Their code has the words of the specifications and of its libraries; of these and of the repository itself only the
# pages are searched.
PAGES_ONLY = ("platforms",)
# The table itself, and what reads it.
ITSELF = {GLOSSARY.as_posix(), "checks/glossary.py", "checks/test_glossary.py"}
CODE, TEXT, MESSAGES = "code", "text", "messages"

_ROW = re.compile(r"^\| (`[^|]+) \| [^|]+ \| ([^|]+) \|$", re.MULTILINE)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_TEXTS = (".html", ".jinja", ".md", ".toml", ".txt", ".yaml")
_STRINGS = {tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
_RUST = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<string>b?r(?P<hashes>\#*)".*?"(?P=hashes)|b?"(?:\\.|[^"\\])*")
      | b?'(?:\\(?:u\{[0-9A-Fa-f]+\}|x..|.)|[^'\\\n])'
      | \#\[test\](?P<attributes>(?:\s*\#\[[^\]]*\])*)\s*fn\s+(?P<test>\w+)
      | (?P<name>[A-Za-z_]\w*)""",
    re.DOTALL | re.VERBOSE,
)
# "It is no longer there" is not such a message.
_GOES_ON = re.compile(r"\s+(?:longer|more)\b")


class Words:
    """The replaced words that are looked for in one kind of place."""

    def __init__(self, words: Iterable[str]) -> None:
        """Tell words and phrases from patterns of whole identifiers, which have capitals."""
        self._patterns = [word for word in words if word != word.lower()]
        self._words = {_flexible(word): word for word in words if word == word.lower()}
        any_of = "|".join(f"({pattern})" for pattern in self._words) or "(?!)"
        self._text = re.compile(rf"(?<![\w-])(?:{any_of})s?(?![\w-])", re.IGNORECASE)
        self._known: dict[str, list[str]] = {}

    def in_text(self, text: str) -> Iterator[tuple[int, str, str]]:
        """Yield offset, word and what was found for each place in a text; an s may follow a word."""
        words = list(self._words.values())
        for match in self._text.finditer(text):
            if not _GOES_ON.match(text, match.end()):
                yield match.start(), words[(match.lastindex or 1) - 1], match[0].lower()

    def in_identifier(self, identifier: str) -> list[str]:
        """Return the words that an identifier has among its own."""
        if identifier not in self._known:
            own = " ".join(_WORD.findall(identifier))
            found = [pattern for pattern in self._patterns if fnmatch.fnmatchcase(identifier, pattern)]
            self._known[identifier] = found + [word for _, word, _ in self.in_text(own)]
        return self._known[identifier]


def _flexible(word: str) -> str:
    return re.escape(word).replace(r"\*", r"\w*").replace(r"\ ", r"\s+")


@dataclass(frozen=True)
class Allowed:
    """A replaced word that may stand in the files of `path`, in identifiers like `identifier`, because of `why`."""

    word: str
    why: str
    path: str = "*"
    identifier: str = "*"

    def covers(self, place: Place) -> bool:
        """Return whether the place is one of these."""
        return (
            self.word == place.word
            and fnmatch.fnmatchcase(place.path, self.path)
            and fnmatch.fnmatchcase(place.found, self.identifier)
        )


@dataclass(frozen=True)
class Place:
    """Where a replaced word stands; `found` is the identifier or the text with it."""

    path: str
    line: int
    word: str
    found: str

    def __str__(self) -> str:
        """Return `file:line: word`, with the identifier that has it."""
        return f"{self.path}:{self.line}: {self.word}" + (f" ({self.found})" if self.found != self.word else "")


ALLOWED = (
    Allowed("bench", "the benchmarks of `make bench-driver`", "checks/bench_driver/*"),
    Allowed("bench", "what `make bench-driver` writes", "docs/reference/driver-bench*"),
    Allowed("answer", "what a report says first", "lab/*", "*answer"),
    Allowed("answer", "what a report says first", "lab/*", "answer_of"),
    Allowed("answer", "what a report says first", "lab/*", "answer_lines"),
    Allowed("answer", "what a report says first", "lab/*", "MAX_ANSWER"),
    Allowed("front", "the front end is a term", identifier="*front_end*"),
    Allowed("cell", "a cell of a table", "lab/middlemark/show/*"),
    Allowed("cell", "a cell of a table", "lab/tests/test_show_*"),
    Allowed("cell", "a cell of a table", "lab/middlemark/cli/printing.py"),
    Allowed("cell", "Rust's std::cell", "driver/*", "cell"),
    Allowed("cell", "Rust's std::cell", "driver/*", "Cell"),
    Allowed("cell", "Rust's std::cell", "driver/*", "RefCell"),
    Allowed("front", "the first of Rust's VecDeque", "driver/*", "front"),
    Allowed("front", "the first of Rust's VecDeque", "driver/*", "pop_front"),
    Allowed("is no", "a message that specs/brokerage prescribes", "lab/tests/test_calling_*"),
    Allowed("is no", "a message that specs/brokerage prescribes", "lab/tests/test_conformance_*"),
)


def replaced_words(root: Path) -> dict[str, list[str]]:
    """Return the words of the table in the glossary by the kind of place in which they are looked for."""
    found: dict[str, list[str]] = {CODE: [], TEXT: [], MESSAGES: []}
    for words, column in _ROW.findall(read(root / GLOSSARY)):
        for kind in column.replace(" ", "").split(","):
            found.get(kind, []).extend(re.findall(r"`([^`]+)`", words))
    return found


@cache
def places_found(root: Path) -> list[Place]:
    """Return every place where a replaced word stands, the allowed ones too."""
    vocabulary = {kind: Words(words) for kind, words in replaced_words(root).items()}
    found: set[Place] = set()
    for path in (*root.glob("*.md"), *(page for one in PAGES_ONLY for page in files(root / one, ".md"))):
        found.update(_in_text(path.relative_to(root).as_posix(), 1, read(path), vocabulary[TEXT]))
    for path in (path for folder in SEARCHED for path in files(root / folder)):
        name = path.relative_to(root).as_posix()
        if name in ITSELF:
            continue
        found |= {Place(name, 1, word, path.stem) for word in vocabulary[CODE].in_identifier(path.stem)}
        if path.suffix == ".py":
            found.update(_in_python(name, read(path), vocabulary))
        elif path.suffix == ".rs":
            found.update(_in_rust(name, read(path), vocabulary))
        elif path.suffix in _TEXTS:
            found.update(_in_text(name, 1, read(path), vocabulary[TEXT]))
    return sorted(found, key=lambda place: (place.path, place.line, place.word))


def not_allowed(root: Path) -> list[Place]:
    """Return the places that no entry of ALLOWED covers."""
    return [place for place in places_found(root) if not any(one.covers(place) for one in ALLOWED)]


def _in_python(name: str, content: str, vocabulary: Mapping[str, Words]) -> Iterator[Place]:
    for token in tokenize.generate_tokens(io.StringIO(content).readline):
        line = token.start[0]
        if token.type == tokenize.NAME and token.string.startswith("test_"):
            # A test's name is a sentence.
            yield from _in_text(name, line, token.string.replace("_", " "), vocabulary[TEXT])
        elif token.type == tokenize.NAME:
            known = vocabulary[CODE].in_identifier(token.string)
            yield from (Place(name, line, word, token.string) for word in known)
        elif token.type in _STRINGS or token.type == tokenize.COMMENT:
            yield from _in_text(name, line, token.string, vocabulary[TEXT])
            if token.type in _STRINGS and not token.string.lstrip("rbfRBF").startswith('"""'):
                yield from _in_text(name, line, token.string, vocabulary[MESSAGES])


def _in_rust(name: str, content: str, vocabulary: Mapping[str, Words]) -> Iterator[Place]:
    for match in _RUST.finditer(content):
        line = content.count("\n", 0, match.start(match.lastgroup or 0)) + 1
        if match["test"]:
            # A test's name is a sentence.
            yield from _in_text(name, line, match["test"].replace("_", " "), vocabulary[TEXT])
        elif match["name"]:
            known = vocabulary[CODE].in_identifier(match["name"])
            yield from (Place(name, line, word, match["name"]) for word in known)
        elif text := match["comment"] or match["string"]:
            yield from _in_text(name, line, text, vocabulary[TEXT])
            if match["string"]:
                yield from _in_text(name, line, text, vocabulary[MESSAGES])


def _in_text(name: str, line: int, text: str, words: Words) -> Iterator[Place]:
    for offset, word, found in words.in_text(text):
        yield Place(name, line + text.count("\n", 0, offset), word, found)


def main() -> int:
    """Print how many such words stand in each file, and in all; with -v each place."""
    words = [word for word in sys.argv[1:] if word != "-v"]
    found = not_allowed(Path(words[0]) if words else REPOSITORY)
    for name, count in Counter(place.path for place in found).most_common():
        print(f"{count:5} {name}")
    if "-v" in sys.argv:
        print(*found, sep="\n")
    print(f"{len(found):5} words")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
