"""Who runs the steps of a case: one client with its browsers, its caller and what it has captured."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field

from middlemark.conformance.cases.expected import Queried
from middlemark.conformance.cases.names import Captured
from middlemark.conformance.cases.suite import Placed
from middlemark.conformance.comparison.match import Surroundings
from middlemark.conformance.execution.calling import Caller, ContractBroken, NoResponse
from middlemark.conformance.execution.steps.browser import Browser
from middlemark.conformance.execution.steps.context import Context
from middlemark.conformance.execution.steps.notes import Notes
from middlemark.conformance.execution.steps.queries import value_of
from middlemark.conformance.failure import StepFailed
from middlemark.databases.database import Connection


@dataclass
class Actor:
    """One client. `outcomes` is set for the clients of `at_once`: it counts what was found instead of demanding it.

    `replaced` counts the volatile nodes of all its pages, `sizes` holds the bytes of each page without them.
    """

    context: Context
    placed: Placed
    interface: str
    began: datetime.datetime
    notes: Notes
    captured: dict[str, object] = field(default_factory=dict)
    browsers: dict[str, Browser] = field(default_factory=dict)
    outcomes: Counter[str] | None = None
    replaced: int = 0
    sizes: dict[str, int] = field(default_factory=dict)
    _stack: ExitStack = field(default_factory=ExitStack)
    _caller: Caller | None = None
    _connections: dict[str | None, Connection] = field(default_factory=dict)

    def caller(self) -> Caller:
        """Return this client's caller, lent at the first use; StepFailed when the application describes another."""
        if self._caller is None:
            try:
                self._caller = self._stack.enter_context(self.context.calling(self.interface))
            except ContractBroken as broken:
                passing = isinstance(broken, NoResponse)
                raise StepFailed(f"outside the contract: {broken}", passing=passing) from broken
        return self._caller

    def connection(self, database: str | None) -> Connection:
        """Return this client's connection to a database, the only one if None; clients at once have their own."""
        if self.outcomes is None:
            return self.context.database(database).connection
        if database not in self._connections:
            self._connections[database] = self._stack.enter_context(self.context.connected(database))
        return self._connections[database]

    def browser(self, name: str, user: str | None = None) -> Browser:
        """Return the browser of that name; `user` logs in with it unless that is who has logged in last."""
        browser = self.browsers.setdefault(name, Browser(self.context.client, self.context.addresses.entry))
        if user is not None and browser.user != user:
            browser.log_in(user, self.context.specification.require_login())
        return browser

    def surroundings(self, captured: Captured | None = None) -> Surroundings:
        """Return what comparisons need, with other captured values than its own if given."""
        return Surroundings(self.captured if captured is None else captured, self.began, self._ask)

    def _ask(self, query: Queried) -> object:
        return value_of(self.connection(query.database), query.sql)

    def double(self, notes: Notes) -> Actor:
        """Return another client that begins with this one's captures and cookies."""
        browsers = {name: browser.copy() for name, browser in self.browsers.items()}
        captured = dict(self.captured)
        return Actor(self.context, self.placed, self.interface, self.began, notes, captured, browsers, Counter())

    def checkpoint(self) -> Callable[[], None]:
        """Return what forgets everything that is noted and counted from now on."""
        noted, replaced = self.notes.mark(), self.replaced
        outcomes = None if self.outcomes is None else Counter(self.outcomes)

        def forget() -> None:
            self.notes.forget(noted)
            self.replaced, self.outcomes = replaced, outcomes

        return forget

    def close(self) -> None:
        """Give back what was lent."""
        self._stack.close()
