"""A brokerage that follows specs/brokerage/README.md, one transaction after the other: what honest trading leaves.

The walk of a quote is written here from the README once more, so that the audit's SQL is checked by something else.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from psycopg.rows import TupleRow

from middlemark.audit.driver_report import DriverReport, NamedRequest
from middlemark.databases.database import Connection
from middlemark.records.driver_lines import ResponseCounts
from middlemark.records.point import RequestOutcome

FEE = Decimal("24.95")
# Two actions in a row lie so far apart that the audit may conclude from the order of times.
BETWEEN_ACTIONS = timedelta(seconds=97)


def walked(cents: int, symbol: str, n: int) -> int:
    """Return the price in cents after the n-th completed order."""
    s = int(symbol.removeprefix("s:"))
    if cents <= 100:
        return cents * 6
    if cents >= 40000:
        return (cents + 1) // 2
    factor = 9000 + ((s % 100003) * 7919 + n * 104729) % 2001
    return (cents * factor + 5000) // 10000


class Brokerage:
    """Works on one connection that commits each statement by itself; its clock began twenty days ago."""

    def __init__(self, connection: Connection) -> None:
        """Work on `connection`."""
        self.connection = connection
        self.now = datetime.now(UTC) - timedelta(days=20)
        self._confirmed: list[NamedRequest] = []

    def report(self) -> DriverReport:
        """Return what a driver would report of everything done so far: all was answered, with names."""
        counts = Counter(request.transaction for request in self._confirmed)
        responses = {name: ResponseCounts(valid=count) for name, count in counts.items()}
        return DriverReport(responses, tuple(self._confirmed), session="brokerage")

    def register(self, user: str) -> None:
        """Open an account with what the measured session types."""
        self._do(
            "INSERT INTO profiles VALUES (%s, 'xxx', 'New Customer', '1 Market Street, Springfield',"
            " 'new@example.com', '4000-0000-0000-0000')",
            user,
        )
        self._do(
            "INSERT INTO accounts (user_id, creation_time, open_balance, balance, login_count, logout_count,"
            " last_login) VALUES (%s, %s, 1000000, 1000000, 1, 0, %s)",
            *(user, self._later(), self.now),
        )
        self._confirm("register", new_user=user)

    def login(self, user: str) -> None:
        """Count a login."""
        login = "UPDATE accounts SET login_count = login_count + 1, last_login = %s WHERE user_id = %s"
        self._do(login, self._later(), user)
        self._confirm("login", user=user)

    def logout(self, user: str) -> None:
        """Count a logout."""
        self._do("UPDATE accounts SET logout_count = logout_count + 1 WHERE user_id = %s", user)
        self._confirm("logout", user=user)

    def look(self, user: str) -> None:
        """Show the user's alerts."""
        self._do(
            "UPDATE orders SET seen = true WHERE status = 'closed'"
            " AND account_id = (SELECT account_id FROM accounts WHERE user_id = %s)",
            user,
        )

    def buy(self, user: str, symbol: str, quantity: int = 100) -> int:
        """Place and complete a buy; return the holding's id."""
        return self.complete(self.place_buy(user, symbol, quantity))

    def sell(self, user: str, holding: int) -> None:
        """Place and complete a sell."""
        self.complete(self.place_sell(user, holding))

    def place_buy(self, user: str, symbol: str, quantity: int = 100) -> int:
        """Place a buy with its message; return the order's id."""
        price = self._price(symbol)
        self._pay(user, -(quantity * price + FEE))
        self._confirm("buy", user=user, symbol=symbol)
        return self._place(user, "buy", symbol, quantity, None)

    def place_sell(self, user: str, holding: int) -> int:
        """Place a sell with its message; return the order's id."""
        marked = "UPDATE holdings SET being_sold = true WHERE holding_id = %s RETURNING symbol, quantity"
        symbol, quantity = self._row(marked, holding)
        self._confirm("sell", holding_id=str(holding))
        return self._place(user, "sell", symbol, quantity, holding)

    def complete(self, order: int) -> int:
        """Complete an order and delete its message; return the holding's id."""
        account, kind, symbol, quantity, price, holding = self._row(
            "SELECT account_id, order_type, symbol, quantity, price, holding_id FROM orders WHERE order_id = %s", order
        )
        completed = self._later()
        if kind == "buy":
            holding = self._number(
                "INSERT INTO holdings (account_id, symbol, quantity, purchase_price, purchase_time, being_sold)"
                " VALUES (%s, %s, %s, %s, %s, false) RETURNING holding_id",
                *(account, symbol, quantity, price, completed),
            )
        else:
            self._do("DELETE FROM holdings WHERE holding_id = %s", holding)
            credit = "UPDATE accounts SET balance = balance + %s WHERE account_id = %s"
            self._do(credit, quantity * price - FEE, account)
        closed = "UPDATE orders SET status = 'closed', completion_time = %s, holding_id = %s WHERE order_id = %s"
        self._do(closed, completed, holding, order)
        self._do("DELETE FROM order_messages WHERE order_id = %s", order)
        self._move(symbol, quantity)
        return int(holding)

    def open_at(self, symbol: str, cents: int) -> None:
        """Give a symbol that has not traded another opening price."""
        self._do(
            "UPDATE quotes SET open = p, price = p, low = p, high = p, change = 0"
            " FROM (SELECT %s::numeric / 100 AS p) AS x WHERE symbol = %s AND trades = 0",
            *(cents, symbol),
        )

    def _place(self, user: str, kind: str, symbol: str, quantity: int, holding: int | None) -> int:
        order = self._number(
            "INSERT INTO orders (account_id, order_type, status, symbol, quantity, price, fee, open_time, holding_id,"
            " seen) SELECT account_id, %s, 'open', %s, %s, %s, %s, %s, %s, false FROM accounts WHERE user_id = %s"
            " RETURNING order_id",
            *(kind, symbol, quantity, self._price(symbol), FEE, self._later(), holding, user),
        )
        self._do("INSERT INTO order_messages (order_id, placed_at) VALUES (%s, %s)", order, self.now)
        return order

    def _confirm(self, transaction: str, **variables: str) -> None:
        self._confirmed.append(NamedRequest(transaction, RequestOutcome.VALID, variables))

    def _later(self) -> datetime:
        self.now += BETWEEN_ACTIONS
        return self.now

    def _price(self, symbol: str) -> Decimal:
        return Decimal(self._row("SELECT price FROM quotes WHERE symbol = %s", symbol)[0])

    def _do(self, query: str, *values: object) -> None:
        self.connection.execute(query.encode(), values)

    def _number(self, query: str, *values: object) -> int:
        return int(self._row(query, *values)[0])

    def _row(self, query: str, *values: object) -> TupleRow:
        row = self.connection.execute(query.encode(), values).fetchone()
        if row is None:
            raise LookupError(query, values)
        return row

    def _pay(self, user: str, amount: Decimal) -> None:
        self._do("UPDATE accounts SET balance = balance + %s WHERE user_id = %s", amount, user)

    def _move(self, symbol: str, quantity: int) -> None:
        n = self._number("SELECT trades + 1 FROM quotes WHERE symbol = %s", symbol)
        price = Decimal(walked(int(self._price(symbol) * 100), symbol, n)) / 100
        self.connection.execute(
            "UPDATE quotes SET trades = %(n)s, volume = volume + %(quantity)s, price = %(price)s,"
            " low = least(low, %(price)s), high = greatest(high, %(price)s), change = %(price)s - open"
            " WHERE symbol = %(symbol)s",
            {"n": n, "quantity": quantity, "price": price, "symbol": symbol},
        )


def trade_honestly(connection: Connection) -> DriverReport:
    """Do what a run does: customers come, look, register, buy, sell and go; return what its driver reports."""
    brokerage = Brokerage(connection)
    for index in range(0, 40, 2):
        brokerage.login(f"uid:{index}")
        brokerage.logout(f"uid:{index}")
    for index in range(25):
        user = f"new:{index}"
        brokerage.register(user)
        bought = [brokerage.buy(user, f"s:{(index * 4 + step) % 30}", 100 + step) for step in range(4)]
        if index % 2:
            brokerage.look(user)
        if index % 3 == 0:
            brokerage.sell(user, bought[1])
        if index % 4:
            brokerage.logout(user)
    for index in range(0, 20, 5):
        # The holding that order 5 × index + 1 of the data set made.
        brokerage.sell(f"uid:{index}", 5 * index + 1)
        brokerage.look(f"uid:{index}")
    return brokerage.report()
