"""A session file: the script of one simulated user, checked in itself before anything runs."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from middlemark.documents import Document, Location, read_yaml, suggestion, wrong_at
from middlemark.load.feed import Feed
from middlemark.load.step import Name, Step
from middlemark.load.template import NAME, names_in
from middlemark.load.think import Think

Numbers = Mapping[str, int]


class Renewal(StrEnum):
    """What a user has at the start of an iteration."""

    NEW = "new"
    KEEP = "keep"


class PerIteration(Document):
    """What a user starts an iteration with."""

    connections: Renewal = Field(Renewal.NEW, description="new: a new connection at every iteration")
    cookies: Renewal = Field(Renewal.NEW, description="new: no cookies at the start of every iteration")


class Session(Document):
    """The script of one simulated user: what an iteration does, with which values, and how fast."""

    name: Name = Field(description="name of the session in reports")
    think: Think = Field(description="think time after every step, also the last")
    per_iteration: PerIteration = Field(PerIteration(), description="what an iteration starts with")
    feeds: dict[str, Feed] = Field({}, description="where the values of ${names} come from")
    steps: tuple[Step, ...] = Field(min_length=1, description="the requests of an iteration, in order")

    @field_validator("feeds")
    @classmethod
    def _feeds_know_each_other(cls, feeds: dict[str, Feed], info: ValidationInfo) -> dict[str, Feed]:
        numbers = info.context if isinstance(info.context, Mapping) else None
        for name, feed in feeds.items():
            if not NAME.match(name):
                raise wrong_at((name,), f"'{name}' is no name; a name is letters, digits, - and _")
            if feed.range is not None and numbers is not None:
                _check_range(name, feed, numbers)
        for name, feed in feeds.items():
            if feed.source is not None:
                _check_pick(name, feed, feeds, numbers)
        return feeds

    @model_validator(mode="after")
    def _steps_have_names_of_their_own(self) -> Self:
        seen: set[str] = set()
        for index, step in enumerate(self.steps):
            if step.id in seen:
                raise wrong_at(("steps", index, "id"), f"another step is already called '{step.id}'")
            seen.add(step.id)
        if not any(step.probability for step in self.steps):
            raise wrong_at(("steps",), "no step is ever played; at least one needs a probability above 0")
        return self

    @model_validator(mode="after")
    def _names_have_values(self) -> Self:
        known = set(self.feeds)
        unsure: dict[str, str] = {}
        for index, step in enumerate(self.steps):
            place: Location = ("steps", index)
            for location, template in step.templates():
                _check_names(place + location, template, known, unsure)
            for position, name in enumerate(step.identify):
                _check_name((*place, "identify", position), name, known, unsure)
            for name in step.capture:
                if name in self.feeds or not NAME.match(name):
                    why = "is already a feed" if name in self.feeds else "is no name: letters, digits, - and _"
                    raise wrong_at((*place, "capture", name), f"'{name}' {why}; choose another name")
                if step.probability < 1 and name not in known:
                    unsure[name] = step.id
                else:
                    known.add(name)
        return self


def read_session(path: Path, numbers: Numbers) -> Session:
    """Return the session file, its names, feeds and the data set's `numbers` checked; InputError with file:line."""
    return read_yaml(path, Session, context=dict(numbers))


def number(bound: int | str, numbers: Numbers) -> int:
    """Return the whole number a range's bound stands for; raise KeyError for an unknown name."""
    return bound if isinstance(bound, int) else numbers[bound]


def _check_range(name: str, feed: Feed, numbers: Numbers) -> None:
    assert feed.range is not None  # noqa: S101 (for the type checker: the caller has looked)
    for index, bound in enumerate(feed.range):
        if isinstance(bound, str) and bound not in numbers:
            hint = suggestion(bound, numbers) if numbers else f"Say it: --number {bound}=N"
            raise wrong_at((name, "range", index), f"no number is called '{bound}'. {hint}")
    first, end = (number(bound, numbers) for bound in feed.range)
    if first >= end:
        raise wrong_at((name, "range"), f"[{first}, {end}] holds no number; the end must be greater than the first")


def _check_pick(name: str, feed: Feed, feeds: Mapping[str, Feed], numbers: Numbers | None) -> None:
    source = feeds.get(feed.source or "")
    ranges = [other for other, its in feeds.items() if its.range is not None]
    if source is None:
        raise wrong_at((name, "from"), f"no feed is called '{feed.source}'. {suggestion(feed.source or '', ranges)}")
    if source.range is None:
        raise wrong_at((name, "from"), f"'{feed.source}' is no feed with a range, and only those can be drawn from")
    if source.own:
        raise wrong_at((name, "from"), f"the numbers of '{feed.source}' are each user's own; pick from another range")
    if numbers is not None and feed.distinct:
        size = number(source.range[1], numbers) - number(source.range[0], numbers)
        if (feed.pick or 0) > size:
            raise wrong_at((name, "pick"), f"{feed.pick} different values of '{feed.source}', which has only {size}")


def _check_names(location: Location, template: str, known: set[str], unsure: Mapping[str, str]) -> None:
    try:
        names = names_in(template)
    except ValueError as error:
        raise wrong_at(location, str(error)) from error
    for name in names:
        _check_name(location, name, known, unsure)


def _check_name(location: Location, name: str, known: set[str], unsure: Mapping[str, str]) -> None:
    if name in known:
        return
    if name in unsure:
        raise wrong_at(
            location, f"'{name}' may have no value: step '{unsure[name]}', which captures it, can be left out"
        )
    raise wrong_at(location, f"'{name}' is neither a feed nor captured by an earlier step. {suggestion(name, known)}")
