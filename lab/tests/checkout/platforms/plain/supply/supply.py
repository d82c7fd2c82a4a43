"""The application of specs/supply with Python's standard library and psycopg: one process carries one tier."""

import http.server
import json
import os
import signal
import socket
import socketserver
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

import psycopg

SETTINGS = {name.removeprefix("MM_").lower(): value for name, value in os.environ.items() if name.startswith("MM_")}
RETRY_SECONDS = SETTINGS.setdefault("retry_seconds", "1")
ROLE, HOST = SETTINGS["role"], SETTINGS["host"]
HEAD = '<head><meta charset="utf-8"><title>Supply</title></head>'
PAGE = '<!DOCTYPE html>\n<html lang="en">' + HEAD + "\n<body>{}</body></html>\n"
URL = SETTINGS.get("sales_url") or SETTINGS.get("stock_url", "")
HTML, JSON = "text/html; charset=utf-8", "application/json"


def about() -> str:
    """Return what this process is, without the password of its database."""
    shown = {name: urllib.parse.urlsplit(value)._replace(netloc=f"{urllib.parse.urlsplit(value).username}@"
             f"{value.rpartition('@')[2].partition('/')[0]}").geturl() if "@" in value else value
             for name, value in SETTINGS.items()}  # fmt: skip
    what = {"platform": "plain", "server": "http.server", "specification": "supply", "specification_version": "1"}
    return json.dumps({**what, "commit": "none", "roles": [ROLE], "settings": shown, "versions": {}, "not_default": []})


def ask_desk(sale: dict[str, str]) -> int:
    """Return the id of a sale that the desk has written."""
    host, _, port = SETTINGS["desk"].rpartition(":")
    with socket.create_connection((host, int(port)), 5) as desk, desk.makefile("rw") as lines:
        lines.write(json.dumps(sale) + "\n")
        lines.flush()
        return int(json.loads(lines.readline())["sale"])


def write_sale(sale: dict[str, str]) -> int:
    """Write a sale and try to have it shipped at once; return its id."""
    insert = "INSERT INTO sales (buyer, item, amount, state) VALUES (%s, %s, %s, 'pending') RETURNING sale_id"
    with psycopg.connect(URL) as sales:
        written = sales.execute(insert, [sale["buyer"], int(sale["item"]), int(sale["amount"])]).fetchone()
    number = int(written[0]) if written else 0
    ship({"sale": number, "item": int(sale["item"]), "amount": int(sale["amount"])})
    return number


def ship(sale: dict[str, int]) -> None:
    """Close a sale and have the depot ship it, by two-phase commit; leave it pending when the depot does not answer."""
    try:
        ask_depot("/prepare", sale)
        with psycopg.connect(URL) as sales:
            sales.execute("UPDATE sales SET state = 'shipped' WHERE sale_id = %s", [sale["sale"]])
            ask_depot("/ship", sale)
    except OSError:
        return


def ask_depot(path: str, sale: dict[str, int]) -> None:
    """Return when the depot has done it; OSError when it has not."""
    request = urllib.request.Request(f"{SETTINGS['depot_url']}{path}", json.dumps(sale).encode())  # noqa: S310 (the address the lab gave)
    with urllib.request.urlopen(request, timeout=5):  # noqa: S310 (as above)
        pass


def ship_again() -> None:
    """Ship what is pending, for ever."""
    while True:
        time.sleep(float(RETRY_SECONDS))
        try:
            with psycopg.connect(URL) as sales:
                pending = sales.execute("SELECT sale_id, item, amount FROM sales WHERE state = 'pending'").fetchall()
            for number, item, amount in pending:
                ship({"sale": number, "item": item, "amount": amount})
        except psycopg.Error:
            continue


def take_from_stock(sale: dict[str, int]) -> None:
    """Prepare the shipment of a sale, unless that was done before; fail while another one has prepared the item's."""
    with psycopg.connect(URL, autocommit=True, options="-c lock_timeout=500ms") as stock:
        if is_prepared(stock, sale):
            return
        stock.execute("BEGIN")
        insert = "INSERT INTO shipments VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"
        if stock.execute(insert, [sale["sale"], sale["item"], sale["amount"]]).rowcount:
            stock.execute("UPDATE items SET pieces = pieces - %s WHERE item = %s", [sale["amount"], sale["item"]])
            stock.execute(f"PREPARE TRANSACTION '{name_of(stock, sale)}'")
        else:
            stock.execute("ROLLBACK")


def finish_shipment(sale: dict[str, int]) -> None:
    """Commit the shipment of a sale, unless that was done before."""
    with psycopg.connect(URL, autocommit=True) as stock:
        if is_prepared(stock, sale):
            stock.execute(f"COMMIT PREPARED '{name_of(stock, sale)}'")


def is_prepared(stock: psycopg.Connection, sale: dict[str, int]) -> bool:
    """Say whether the shipment of a sale is prepared."""
    return (
        stock.execute("SELECT 1 FROM pg_prepared_xacts WHERE gid = %s", [name_of(stock, sale)]).fetchone() is not None
    )


def name_of(stock: psycopg.Connection, sale: dict[str, int]) -> str:
    """Return the name of a shipment's transaction: each name exists once in a server, which may have more databases."""
    return f"{stock.info.dbname}:{int(sale['sale'])}"


DEPOT = {"/prepare": take_from_stock, "/ship": finish_shipment}


def is_healthy() -> bool:
    """Say whether the process can do its work."""
    try:
        if ROLE == "counter":
            host, _, port = SETTINGS["desk"].rpartition(":")
            socket.create_connection((host, int(port)), 2).close()
        else:
            with psycopg.connect(URL, connect_timeout=2) as database:
                database.execute("SELECT 1")
    except (OSError, psycopg.Error):
        return False
    return True


class Web(http.server.BaseHTTPRequestHandler):
    """Answers HTTP: every tier has /health and /about, the counter its pages, the depot /prepare and /ship."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer a GET."""
        if self.path == "/health":
            healthy = is_healthy()
            self.reply(200 if healthy else 503, "ok" if healthy else "what it needs does not answer", "text/plain")
        elif self.path == "/about":
            self.reply(200, about(), JSON)
        elif ROLE == "counter" and self.path == "/":
            self.reply(200, PAGE.format('<h1>Supply</h1><form method="post" action="/sell"></form>'), HTML)
        else:
            self.reply(404, PAGE.format('<p id="error">This page does not exist.</p>'), HTML)

    def do_POST(self) -> None:
        """Answer a POST."""
        body = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()
        try:
            if ROLE == "depot" and self.path in DEPOT:
                DEPOT[self.path](json.loads(body))
                self.reply(200, "{}", JSON)
            elif ROLE == "counter" and self.path == "/sell":
                self.sell({name: values[0] for name, values in urllib.parse.parse_qs(body).items()})
            else:
                self.reply(404, PAGE.format('<p id="error">This page does not exist.</p>'), HTML)
        except (OSError, ValueError, psycopg.Error):
            self.reply(503, PAGE.format('<p id="error">Please try again.</p>'), HTML)

    def sell(self, form: dict[str, str]) -> None:
        """Answer with the sale, or with what is wrong."""
        amount = form.get("amount", "")
        if form.get("buyer") and form.get("item", "").isdigit() and amount.isdigit() and 1 <= int(amount) <= 9:
            self.reply(200, PAGE.format(f'<p id="sale">{ask_desk(form)}</p>'), HTML)
        else:
            self.reply(400, PAGE.format('<p id="error">Write a buyer, an item and 1 to 9 pieces.</p>'), HTML)

    def reply(self, status: int, text: str, kind: str) -> None:
        """Answer with a text."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text.encode())))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        """Write no line per request."""


class Desk(socketserver.StreamRequestHandler):
    """Answers one line of JSON over TCP."""

    def handle(self) -> None:
        """Answer a sale; a connection that says nothing is somebody's look whether the desk is there."""
        line = self.rfile.readline()
        if line:
            self.wfile.write(json.dumps({"sale": write_sale(json.loads(line))}).encode() + b"\n")


class DeskServer(socketserver.ThreadingTCPServer):
    """Listens for sales."""

    daemon_threads = allow_reuse_address = True
    request_queue_size = 128


class WebServer(http.server.ThreadingHTTPServer):
    """Listens for HTTP."""

    daemon_threads = True
    request_queue_size = 128


if ROLE == "desk":
    threading.Thread(target=DeskServer((HOST, int(SETTINGS["desk_port"])), Desk).serve_forever, daemon=True).start()
    threading.Thread(target=ship_again, daemon=True).start()
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
WebServer((HOST, int(SETTINGS["port"])), Web).serve_forever()
