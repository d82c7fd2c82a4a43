"""What an application answered in a case, so written that two applications that answered alike have equal notes.

Times after the beginning of the case are "now", ids drawn since then are numbered in the order in which they are seen.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Mapping

from middlemark.conformance.comparison.match import is_now
from middlemark.conformance.execution.state.tables import LoadedIds
from middlemark.conformance.result import Choice

_CAPITAL = re.compile(r"([A-Z])")
_ID_KEY = re.compile(r"[a-z][A-Za-z]*Id\Z")
_ID_IN_JSON = re.compile(r'"([a-z][A-Za-z]*Id)": (\d+)\b')
_ID_IN_XML = re.compile(r"<((?:\w+:)?(\w+Id))>(\d+)</")
_TIME_IN_TEXT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?")
_UUID = re.compile(r"(?<![\w-])[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![\w-])")
_NUMBER = re.compile(r"(?<![\w.])\d+(?!\w|\.\d)")


class Notes:
    """The notes of one client. Where no ids are known to be loaded every id counts as new."""

    def __init__(self, began: datetime.datetime, loaded: LoadedIds) -> None:
        self._began = began
        self._last_loaded = loaded.last_by_name()
        self._loaded_uuids = loaded.uuids
        self._new: dict[tuple[str, int | str], str] = {}
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
        text = self._without_uuids(text)
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
        if isinstance(value, str):
            return "now" if len(value) > 10 and is_now(value, self._began) else self._without_uuids(value)
        return value

    def _without_uuids(self, text: str) -> str:
        return _UUID.sub(lambda found: self._uuid(found[0]), text)

    def _uuid(self, value: str) -> str:
        if value.lower() in self._loaded_uuids:
            return value
        return self._name_of_new("uuid", value.lower())

    def _id(self, column: str, value: int) -> int | str:
        if value <= self._last_loaded.get(column, 0):
            return value
        return self._name_of_new(column, value)

    def _name_of_new(self, kind: str, value: int | str) -> str:
        return self._new.setdefault((kind, value), f"new {len(self._new) + 1}")


def _column(key: str) -> str:
    """Return the column an operation's key stands for: `item_id` for `itemId`."""
    return _CAPITAL.sub(lambda found: f"_{found[1].lower()}", key)
