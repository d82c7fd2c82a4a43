"""Who plays the steps of a case: one client with its browsers, its caller and what it has captured."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field

from middlemark.conformance.cases.suite import Placed
from middlemark.conformance.comparison.match import Surroundings
from middlemark.conformance.execution.calling import Caller, ContractBroken
from middlemark.conformance.execution.steps.browser import Browser
from middlemark.conformance.execution.steps.notes import Notes
from middlemark.conformance.execution.steps.stage import Stage
from middlemark.conformance.failure import StepFailed
from middlemark.databases.database import Connection


@dataclass
class Actor:
    """One client. `outcomes` is set for the clients of `at_once`: it counts what came instead of demanding it.

    `replaced` counts the volatile nodes of all its pages, `sizes` holds the bytes of each page without them.
    """

    stage: Stage
    placed: Placed
    binding: str | None
    began: datetime.datetime
    notes: Notes
    captured: dict[str, object] = field(default_factory=dict)
    browsers: dict[str, Browser] = field(default_factory=dict)
    outcomes: Counter[str] | None = None
    replaced: int = 0
    sizes: dict[str, int] = field(default_factory=dict)
    _stack: ExitStack = field(default_factory=ExitStack)
    _caller: Caller | None = None
    _connection: Connection | None = None

    def caller(self) -> Caller:
        """Return this client's caller, lent at the first use; StepFailed when the application describes another."""
        if self._caller is None:
            try:
                self._caller = self._stack.enter_context(self.stage.calling(self.binding or ""))
            except ContractBroken as broken:
                raise StepFailed(f"outside the contract: {broken}") from broken
        return self._caller

    def connection(self) -> Connection:
        """Return this client's connection to the database; clients at once open their own at the first use."""
        if self.outcomes is None and self.stage.database is not None:
            return self.stage.database.connection
        if self._connection is None:
            self._connection = self._stack.enter_context(self.stage.connected())
        return self._connection

    def browser(self, name: str, user: str | None = None) -> Browser:
        """Return the browser of that name; `user` logs in with it unless that is who has logged in last."""
        browser = self.browsers.setdefault(name, Browser(self.stage.client, self.stage.addresses.web))
        if user is not None and browser.user != user:
            browser.log_in(user)
        return browser

    def surroundings(self, ask: Callable[[str], object]) -> Surroundings:
        """Return what comparisons need."""
        return Surroundings(self.captured, self.began, ask)

    def double(self, notes: Notes) -> Actor:
        """Return another client that begins with this one's captures and cookies."""
        browsers = {name: browser.copy() for name, browser in self.browsers.items()}
        return Actor(self.stage, self.placed, self.binding, self.began, notes, dict(self.captured), browsers, Counter())

    def close(self) -> None:
        """Give back what was lent."""
        self._stack.close()
