"""A brokerage that follows specs/brokerage/README.md, one transaction after the other: what honest trading leaves.

The walk of a quote is written here from the README once more, so that the audit's SQL is checked by something else.
"""

from __future__ import annotations

from decimal import Decimal

from psycopg.rows import TupleRow

from middlemark.target.database import Connection

FEE = Decimal("24.95")


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
    """Works on one connection that commits each statement by itself."""

    def __init__(self, connection: Connection) -> None:
        """Work on `connection`."""
        self.connection = connection

    def register(self, user: str) -> None:
        """Open an account with 1,000,000.00."""
        self.connection.execute("INSERT INTO profiles VALUES (%s, 'xxx', 'New', 'Street', 'mail', 'card')", [user])
        self.connection.execute(
            "INSERT INTO accounts (user_id, creation_time, open_balance, balance, login_count, logout_count,"
            " last_login) VALUES (%s, now(), 1000000, 1000000, 1, 0, now())",
            [user],
        )

    def login(self, user: str) -> None:
        """Count a login."""
        self.connection.execute("UPDATE accounts SET login_count = login_count + 1 WHERE user_id = %s", [user])

    def logout(self, user: str) -> None:
        """Count a logout."""
        self.connection.execute("UPDATE accounts SET logout_count = logout_count + 1 WHERE user_id = %s", [user])

    def buy(self, user: str, symbol: str, quantity: int = 100) -> int:
        """Place and complete a buy; return the holding's id."""
        price = self._price(symbol)
        holding = self._number(
            "INSERT INTO holdings (account_id, symbol, quantity, purchase_price, purchase_time, being_sold)"
            " SELECT account_id, %s, %s, %s, now(), false FROM accounts WHERE user_id = %s RETURNING holding_id",
            [symbol, quantity, price, user],
        )
        self.connection.execute(
            "INSERT INTO orders (account_id, order_type, status, symbol, quantity, price, fee, open_time,"
            " completion_time, holding_id, seen) SELECT account_id, 'buy', 'closed', symbol, quantity, purchase_price,"
            " %s, purchase_time, purchase_time, holding_id, false FROM holdings WHERE holding_id = %s",
            [FEE, holding],
        )
        self._pay(user, -(quantity * price + FEE))
        self._move(symbol, quantity)
        return holding

    def sell(self, user: str, holding: int) -> None:
        """Place and complete a sell."""
        account, symbol, quantity = self._row(
            "DELETE FROM holdings WHERE holding_id = %s RETURNING account_id, symbol, quantity", [holding]
        )
        price = self._price(symbol)
        self.connection.execute(
            "INSERT INTO orders (account_id, order_type, status, symbol, quantity, price, fee, open_time,"
            " completion_time, holding_id, seen)"
            " VALUES (%s, 'sell', 'closed', %s, %s, %s, %s, now(), now(), %s, false)",
            [account, symbol, quantity, price, FEE, holding],
        )
        self._pay(user, quantity * price - FEE)
        self._move(symbol, quantity)

    def open_at(self, symbol: str, cents: int) -> None:
        """Give a symbol that has not traded another opening price."""
        self.connection.execute(
            "UPDATE quotes SET open = p, price = p, low = p, high = p, change = 0"
            " FROM (SELECT %s::numeric / 100 AS p) AS x WHERE symbol = %s AND trades = 0",
            [cents, symbol],
        )

    def _price(self, symbol: str) -> Decimal:
        return Decimal(self._row("SELECT price FROM quotes WHERE symbol = %s", [symbol])[0])

    def _number(self, query: str, values: list[object]) -> int:
        return int(self._row(query, values)[0])

    def _row(self, query: str, values: list[object]) -> TupleRow:
        row = self.connection.execute(query.encode(), values).fetchone()
        if row is None:
            raise LookupError(query, values)
        return row

    def _pay(self, user: str, amount: Decimal) -> None:
        self.connection.execute("UPDATE accounts SET balance = balance + %s WHERE user_id = %s", [amount, user])

    def _move(self, symbol: str, quantity: int) -> None:
        n = self._number("SELECT trades + 1 FROM quotes WHERE symbol = %s", [symbol])
        price = Decimal(walked(int(self._price(symbol) * 100), symbol, n)) / 100
        self.connection.execute(
            "UPDATE quotes SET trades = %(n)s, volume = volume + %(quantity)s, price = %(price)s,"
            " low = least(low, %(price)s), high = greatest(high, %(price)s), change = %(price)s - open"
            " WHERE symbol = %(symbol)s",
            {"n": n, "quantity": quantity, "price": price, "symbol": symbol},
        )
