"""Feeds of another session whose pattern a recorded value may have, so that users do not all send the same."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from middlemark.documents import read_yaml
from middlemark.workload.feed import Feed, Per
from middlemark.workload.session import Session


@dataclass
class KnownFeeds:
    """The feeds that recorded values are compared with, and those that were `used`, under the names used."""

    feeds: Mapping[str, Feed]
    used: dict[str, Feed] = field(default_factory=dict)
    _lasting: dict[str, str] = field(default_factory=dict)
    _drawn: dict[str, str] = field(default_factory=dict)

    def next_step(self) -> None:
        """Forget the values that last for one step."""
        self._drawn.clear()

    def lasting(self) -> Mapping[str, str]:
        """Return the recorded values of the feeds that keep theirs for the whole iteration, by name."""
        return self._lasting

    def lasting_name_of(self, value: str, place: str) -> str | None:
        """Return the feed that has given this value in this iteration already and keeps it; None without one."""
        for name, feed in self.feeds.items():
            if feed.per is Per.ITERATION and _fitting(name, feed, self.feeds, value, place) is not None:
                return next((used for used in _numbers_of(name, self._lasting) if self._lasting[used] == value), None)
        return None

    def name_of(self, value: str, place: str) -> str | None:
        """Return the feed that gives a value like this one, sent as the field `place`; None when no pattern fits."""
        for name, feed in self.feeds.items():
            fitting = _fitting(name, feed, self.feeds, value, place)
            if fitting is not None:
                return self._use(name, fitting, value)
        return None

    def _use(self, name: str, feed: Feed, value: str) -> str:
        values = self._lasting if feed.per is Per.ITERATION else self._drawn
        same = next((used for used in _numbers_of(name, values) if values[used] == value), None)
        if same is not None:
            return same
        free = next(name for name in _numbered(name) if self._is_free(name, feed, values))
        values[free] = value
        self.used[free] = feed
        if feed.source is not None:
            self.used.setdefault(feed.source, self.feeds[feed.source])
        return free

    def _is_free(self, name: str, feed: Feed, values: Mapping[str, str]) -> bool:
        return name not in values and self.used.get(name, self.feeds.get(name, feed)) == feed


def read_known_feeds(path: Path | None) -> KnownFeeds:
    """Return the feeds of a session file; InputError for a wrong one. None are known without a file.

    What a user keeps for an iteration becomes its own: two at once as the same customer would take away each other's
    holdings between the page and the click.
    """
    feeds = {} if path is None else read_yaml(path, Session).feeds
    sources = {feed.source for feed in feeds.values()}
    return KnownFeeds(
        {
            name: feed.model_copy(update={"own": True})
            if feed.range is not None and feed.per is Per.ITERATION and name not in sources
            else feed
            for name, feed in feeds.items()
        }
    )


def _numbered(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name}-{number}"
        number += 1


def _numbers_of(name: str, used: Mapping[str, str]) -> list[str]:
    """Return the names in use for one feed: its own and numbered ones."""
    return [each for each in used if re.fullmatch(rf"{re.escape(name)}(-\d+)?", each)]


def _fitting(name: str, feed: Feed, feeds: Mapping[str, Feed], value: str, place: str) -> Feed | None:
    """Return `feed`, or for a pick one of as many values, if it can give `value`."""
    if feed.range is not None:
        return feed if _in_range(name, feed, value, place) else None
    if feed.unique is not None:
        pattern = re.sub(r"\\\{\w+\\\}", "[^\\\\s]+", re.escape(feed.unique))
        is_plain = not re.sub(r"\{\w+\}|[\W_]", "", feed.unique)
        return feed if re.fullmatch(pattern, value) and (not is_plain or name == place) else None
    parts = value.split("," if feed.join is None else feed.join)
    source = feeds[feed.source or ""]
    several = len(parts) > 1 and all(_in_range(feed.source or "", source, part, place) for part in parts)
    return feed.model_copy(update={"pick": len(parts)}) if several else None


def _in_range(name: str, feed: Feed, value: str, place: str) -> bool:
    assert feed.range is not None  # noqa: S101 (for the type checker: the caller has looked)
    before, _, after = (feed.format or "{}").partition("{}")
    if not (before or after) and name != place:
        return False  # every number has the pattern of a feed of plain numbers
    match = re.fullmatch(f"{re.escape(before)}([0-9]{{1,18}}){re.escape(after)}", value)
    if match is None:
        return False
    first, end = feed.range
    number = int(match[1])
    return (isinstance(first, str) or first <= number) and (isinstance(end, str) or number < end)
