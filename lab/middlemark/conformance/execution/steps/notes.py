"""What an application answered in a case, so written that two applications that answered alike have equal notes.

Times after the beginning of the case are "now", ids drawn since then are numbered in the order in which they are seen.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Mapping

from middlemark.conformance.comparison.match import is_now
from middlemark.conformance.result import Choice

_CAPITAL = re.compile(r"([A-Z])")
_ID_KEY = re.compile(r"[a-z][A-Za-z]*Id\Z")
_ID_IN_JSON = re.compile(r'"([a-z][A-Za-z]*Id)": (\d+)\b')
_ID_IN_XML = re.compile(r"<((?:\w+:)?(\w+Id))>(\d+)</")
_TIME_IN_TEXT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?")
_NUMBER = re.compile(r"(?<![\w.])\d+(?!\w|\.\d)")


class Notes:
    """The notes of one client. Without knowing the loaded ids (`last_loaded` is empty) every id counts as new."""

    def __init__(self, began: datetime.datetime, last_loaded: Mapping[str, int]) -> None:
        self._began = began
        self._last_loaded = last_loaded
        self._new: dict[tuple[str, int], str] = {}
        self.lines: list[str] = []
        self.choices: list[Choice] = []

    def choice(self, where: str, *, refused: bool) -> None:
        """Note which way a step went that may be refused or not."""
        self.choices.append(Choice(responses=len(self.lines), refused=refused))
        self.lines.append(f"{where}: {'refused' if refused else 'accepted'}")

    def mark(self) -> tuple[int, int]:
        """Return how much is noted."""
        return len(self.lines), len(self.choices)

    def forget(self, mark: tuple[int, int]) -> None:
        """Forget what was noted since then."""
        del self.lines[mark[0] :], self.choices[mark[1] :]

    def value(self, where: str, value: object) -> None:
        """Note what an operation answered."""
        self.lines.append(f"{where}: {json.dumps(self._like(value, ''), ensure_ascii=False)}")

    def text(self, where: str, text: str) -> None:
        """Note a text: a message, a status, the body of a raw answer."""
        text = _ID_IN_JSON.sub(lambda found: f'"{found[1]}": {self._id(_column(found[1]), int(found[2]))}', text)
        text = _ID_IN_XML.sub(lambda found: f"<{found[1]}>{self._id(_column(found[2]), int(found[3]))}</", text)
        text = _TIME_IN_TEXT.sub(lambda found: "now" if is_now(found[0], self._began) else found[0], text)
        known = {str(value): name for (_, value), name in self._new.items()}
        self.lines.append(f"{where}: {_NUMBER.sub(lambda found: known.get(found[0], found[0]), text)}")

    def _like(self, value: object, key: str) -> object:
        if isinstance(value, Mapping):
            return {name: self._like(item, str(name)) for name, item in sorted(value.items())}
        if isinstance(value, list | tuple):
            return [self._like(item, key) for item in value]
        if isinstance(value, int) and not isinstance(value, bool) and _ID_KEY.match(key):
            return self._id(_column(key), value)
        return "now" if isinstance(value, str) and len(value) > 10 and is_now(value, self._began) else value

    def _id(self, column: str, value: int) -> int | str:
        if value <= self._last_loaded.get(column, 0):
            return value
        return self._new.setdefault((column, value), f"new {len(self._new) + 1}")


def _column(key: str) -> str:
    """Return the column an operation's key stands for: `item_id` for `itemId`."""
    return _CAPITAL.sub(lambda found: f"_{found[1].lower()}", key)
