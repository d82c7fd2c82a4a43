"""A session file: the script of one virtual user, checked in itself before anything runs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, Self

from pydantic import BaseModel, Field, PrivateAttr, ValidationInfo, field_validator, model_validator

from middlemark.documents import Document, Location, exactly_one, read_yaml, require_one, suggestion, wrong_at
from middlemark.duration import Duration
from middlemark.steps.template import fill_some, is_name, names_in
from middlemark.workload.authentication import Authentication
from middlemark.workload.calls import MAX_OUTCOMES
from middlemark.workload.feed import Feed
from middlemark.workload.part import Part, cycles_of, may_run, steps_of
from middlemark.workload.scope import Scope
from middlemark.workload.step import Name, Step
from middlemark.workload.sub_resources import SubResources
from middlemark.workload.think import Think

Numbers = Mapping[str, int]


class Given(NamedTuple):
    """Names of a specification: `numbers` of its scale, and `modes` that requests carry."""

    numbers: Numbers
    modes: Collection[str]


class Renewal(StrEnum):
    """What a user has at the start of an iteration."""

    NEW = "new"
    KEEP = "keep"


class PerIteration(Document):
    """What a user starts an iteration with."""

    connections: Renewal = Field(Renewal.NEW, description="new: a new connection at every iteration")
    cookies: Renewal = Field(Renewal.NEW, description="new: no cookies at the start of every iteration")


class Counted(Document):
    """The transactions that count, where one of many requests does the work of the application."""

    unit: str = Field(min_length=1, description="what reports call it, singular")
    transactions: tuple[Name, ...] = Field(min_length=1, description="each of these that is answered validly counts")


class Script(Document):
    """One of the sessions of a mix."""

    name: Name = Field(description="name of the session in the mix")
    weight: float = Field(1, gt=0, le=1e9, description="how often it is drawn, compared with the others")
    think: Think | None = Field(None, description="think time after every step instead of the session's")
    steps: tuple[Part, ...] = Field(min_length=1, description="the requests of an iteration, in order")


class Session(Document):
    """The script of one virtual user: what an iteration does, with which values, and how fast."""

    model_config = exactly_one("steps", "mix")

    _folder: Path = PrivateAttr(Path())

    name: Name = Field(description="name of the session in reports")
    think: Think = Field(description="think time after every step, also the last")
    per_iteration: PerIteration = Field(PerIteration(), description="what an iteration starts with")
    feeds: dict[str, Feed] = Field({}, description="where the values of ${names} come from")
    steps: tuple[Part, ...] | None = Field(
        None, min_length=1, description="the requests of an iteration, in order: steps and groups of them"
    )
    mix: tuple[Script, ...] | None = Field(
        None, min_length=1, description="sessions of which each iteration runs one, drawn by their weights"
    )
    pacing: Think | None = Field(None, description="an iteration begins that long after the one before it began")
    sub_resources: SubResources | None = Field(
        None, description="images, style sheets, icons and scripts are fetched with their page"
    )
    authentication: Authentication | None = Field(None, description="how steps are authenticated")
    counts: Counted | None = Field(
        None, description="the transactions that throughput and costs count; all if left out"
    )
    needs: tuple[Name, ...] = Field((), description="features of the specification that the application has to have")

    @field_validator("feeds")
    @classmethod
    def _feeds_know_each_other(cls, feeds: dict[str, Feed], info: ValidationInfo) -> dict[str, Feed]:
        numbers, modes = info.context if isinstance(info.context, Given) else (None, ())
        for name, feed in feeds.items():
            if not is_name(name):
                raise wrong_at((name,), f"'{name}' is not a name; a name is letters, digits, - and _")
            for one in (name, *feed.columns):
                if one in modes:
                    raise wrong_at((name,), f"'{one}' is a mode of the specification; choose another name")
            if feed.range is not None and numbers is not None:
                _check_range(name, feed, numbers)
        _check_columns(feeds)
        for name, feed in feeds.items():
            if feed.source is not None:
                _check_pick(name, feed, feeds, numbers)
        return feeds

    @model_validator(mode="after")
    def _does_something(self) -> Self:
        require_one(self, "steps", "mix")
        for place, script in self.scripts:
            if not any(map(may_run, script.steps)):
                raise wrong_at(place, "no step ever runs; at least one needs a probability above 0")
        return self

    @model_validator(mode="after")
    def _everything_has_a_name_of_its_own(self) -> Self:
        names: set[str] = set()
        for index, script in enumerate(self.mix or ()):
            if script.name in names:
                raise wrong_at(("mix", index, "name"), f"another session is already called '{script.name}'")
            names.add(script.name)
        ids: set[str] = set()
        for place, step in self._steps():
            if step.id in ids:
                raise wrong_at((*place, "id"), f"another step is already called '{step.id}'")
            ids.add(step.id)
        return self

    @model_validator(mode="after")
    def _counts_its_own_transactions(self) -> Self:
        known = [step.transaction for step in self.every_step]
        for index, name in enumerate(self.counted):
            if name not in known:
                place = ("counts", "transactions", index)
                raise wrong_at(place, f"no step is the transaction '{name}'. {suggestion(name, known)}")
        return self

    @model_validator(mode="after")
    def _calls_stand_alone(self) -> Self:
        if self.sub_resources is not None and self.calling_step is not None:
            why = f"step '{self.calling_step.id}' reports calls, which have none; leave one of them out"
            raise wrong_at(("sub_resources",), why)
        names = {name for step in self.every_step if step.calls is not None for name in step.calls.outcomes}
        if len(names) > MAX_OUTCOMES:
            raise ValueError(
                f"the calls of all steps have {len(names)} outcomes with names; at most {MAX_OUTCOMES} can"
            )
        return self

    @model_validator(mode="after")
    def _has_one_cycle(self) -> Self:
        for place, script in self.scripts:
            for second, _ in list(cycles_of(script.steps, place))[1:]:
                raise wrong_at((*second, "cycle"), "another group is the cycle already")
        return self

    @model_validator(mode="after")
    def _names_have_values(self, info: ValidationInfo) -> Self:
        modes = info.context.modes if isinstance(info.context, Given) else ()
        for place, script in self.scripts:
            # What one script captures, another never saw.
            Scope(self.drawn_names, modes, self.authentication).check(script.steps, place)
        return self

    @property
    def scripts(self) -> tuple[tuple[Location, Script], ...]:
        """Return what an iteration may run, one of the mix or always the same; each with the place of its steps."""
        if self.mix is None:
            return ((("steps",), Script(name=self.name, steps=self.steps or ())),)
        return tuple((("mix", index, "steps"), script) for index, script in enumerate(self.mix))

    @property
    def folder(self) -> Path:
        """Return the folder of its file, below which it names others."""
        return self._folder

    def within(self, folder: Path) -> Self:
        """Return it as the session of a file in this folder."""
        self._folder = folder
        return self

    @property
    def every_step(self) -> tuple[Step, ...]:
        """Return the steps of all scripts, also those in groups, in their order."""
        return tuple(step for _, step in self._steps())

    @property
    def counted(self) -> tuple[str, ...]:
        """Return the transactions that count, none where all do."""
        return self.counts.transactions if self.counts else ()

    @property
    def drawn_names(self) -> tuple[str, ...]:
        """Return the names that feeds give values: their own, and those of the columns of lists."""
        return tuple(one for name, feed in self.feeds.items() for one in (name, *feed.columns))

    @property
    def calling_step(self) -> Step | None:
        """Return the first step whose response reports calls."""
        return next((step for step in self.every_step if step.calls is not None), None)

    @property
    def longest_calls(self) -> Duration:
        """Return how long the longest response that reports calls is expected to take; zero without any."""
        return max((step.calls.lasts for step in self.every_step if step.calls is not None), default=Duration(0))

    @property
    def names(self) -> frozenset[str]:
        """Return every name that requests and expectations hold: feeds, captured values and modes."""
        templates = [text for step in self.every_step for _, text in step.templates()]
        templates += [text for _, text in self.authentication.templates()] if self.authentication else []
        return frozenset(name for text in templates for name in names_in(text))

    def carrying(self, modes: Mapping[str, str]) -> Self:
        """Return the session whose requests hold these values of modes."""
        return self.model_copy(
            update={name: _with_values(getattr(self, name), modes) for name in ("steps", "mix", "authentication")}
        )

    @property
    def target_names(self) -> tuple[str, ...]:
        """Return the names of the targets that steps go to, each once; those that go to the driven one name none."""
        return tuple(dict.fromkeys(step.target for step in self.every_step if step.target is not None))

    @property
    def connections(self) -> int:
        """Return how many connections a user has open at most, if each target has one address."""
        at_once = self.sub_resources.connections if self.sub_resources else 1
        return at_once * len({step.target for step in self.every_step})

    def _steps(self) -> Iterator[tuple[Location, Step]]:
        for place, script in self.scripts:
            yield from steps_of(script.steps, place)


def read_session(path: Path, numbers: Numbers, modes: Collection[str] = ()) -> Session:
    """Return the session file, its names, feeds and the data set's `numbers` checked; InputError with file:line.

    `modes` are those that requests carry.
    """
    return read_yaml(path, Session, context=Given(dict(numbers), modes)).within(path.resolve().parent)


def number(bound: int | str, numbers: Numbers) -> int:
    """Return the whole number a range's bound stands for; raise KeyError for an unknown name."""
    return bound if isinstance(bound, int) else numbers[bound]


def _with_values(content: object, values: Mapping[str, str]) -> object:
    """Return steps and what is in them with these values in every text but in how values are captured."""
    if isinstance(content, str):
        return fill_some(content, values)
    if isinstance(content, BaseModel):
        fields = content.model_fields_set - {"capture"}
        return content.model_copy(update={name: _with_values(getattr(content, name), values) for name in fields})
    if isinstance(content, dict):
        return {key: _with_values(value, values) for key, value in content.items()}
    if isinstance(content, tuple):
        return tuple(_with_values(value, values) for value in content)
    return content


def _check_columns(feeds: Mapping[str, Feed]) -> None:
    known = set(feeds)
    for name, feed in feeds.items():
        for index, column in enumerate(feed.columns):
            if not is_name(column) or column in known:
                why = "is already the name of other values" if column in known else "is not a name"
                raise wrong_at((name, "columns", index), f"'{column}' {why}; choose another name")
            known.add(column)


def _check_range(name: str, feed: Feed, numbers: Numbers) -> None:
    assert feed.range is not None  # noqa: S101 (for the type checker: the caller has checked)
    for index, bound in enumerate(feed.range):
        if isinstance(bound, str) and bound not in numbers:
            hint = suggestion(bound, numbers) if numbers else f"Add --number {bound}=N"
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
        raise wrong_at((name, "from"), f"'{feed.source}' is not a feed with a range, and only those can be drawn from")
    if source.own:
        raise wrong_at((name, "from"), f"the numbers of '{feed.source}' are each user's own; pick from another range")
    if numbers is not None and feed.distinct:
        size = number(source.range[1], numbers) - number(source.range[0], numbers)
        if (feed.pick or 0) > size:
            raise wrong_at((name, "pick"), f"{feed.pick} different values of '{feed.source}', which has only {size}")
