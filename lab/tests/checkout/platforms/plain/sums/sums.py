"""The application of specs/sums with Python's standard library alone."""

import html
import http.server
import json
import os
import signal
import struct
import sys
import time
import urllib.parse
from pathlib import Path

SETTINGS = {name.removeprefix("MM_").lower(): value for name, value in os.environ.items() if name.startswith("MM_")}
ROUNDS = int(SETTINGS.setdefault("rounds", "1"))
METHOD = SETTINGS.setdefault("method", "formula")
ABOUT = {
    "platform": "plain",
    "server": "http.server",
    "specification": "sums",
    "specification_version": "3",
    "commit": "none",
    "roles": ["calculator"],
    "settings": SETTINGS,
    "versions": {"python": sys.version.partition(" ")[0]},
    "not_default": [],
}
HEAD = '<head><meta charset="utf-8"><title>Sums</title></head>'
PAGE = '<!DOCTYPE html>\n<html lang="en">' + HEAD + "\n<body>{}</body></html>\n"
FORM = '<h1>Sums</h1><form action="/sum"><input name="to"></form>'
LARGEST = 100_000
NOTATIONS = {"decimal": "d", "hex": "x"}


def total(last: int) -> int:
    """Return the sum of 1 … last, computed as the mode says."""
    if METHOD == "formula":
        return last * (last + 1) // 2
    return [sum(range(1, last + 1)) for _ in range(ROUNDS)][-1]


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers every request."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer a GET."""
        parts = urllib.parse.urlsplit(self.path)
        if parts.path == "/health":
            self.reply(200, "ok", "text/plain")
        elif parts.path == "/about":
            self.reply(200, json.dumps(ABOUT), "application/json")
        elif parts.path == "/style.css":
            self.reply(200, (Path(SETTINGS["style"]) / "style.css").read_text(), "text/css; charset=utf-8")
        elif parts.path == "/":
            self.page(200, FORM)
        elif parts.path == "/additions":
            self.additions(int(urllib.parse.parse_qs(parts.query)["milliseconds"][0]) / 1000)
        elif parts.path == "/sum":
            query = dict(urllib.parse.parse_qsl(parts.query))
            self.sum(query.get("to", ""), query.get("in", "decimal"))
        else:
            self.page(404, f'<p id="error">The page {html.escape(parts.path)} does not exist.</p>')

    def sum(self, text: str, notation: str) -> None:
        """Answer with a sum, or with what is wrong."""
        if notation not in NOTATIONS:
            self.page(400, f'<p id="error">The notation is {" or ".join(NOTATIONS)}.</p>')
        elif text.isascii() and text.isdigit() and 1 <= int(text) <= LARGEST:
            written = format(total(int(text)), NOTATIONS[notation])
            self.page(200, f'<p id="sum">{written}</p><p id="notation">{notation}</p>')
        else:
            self.page(400, f'<p id="error">The number must be from 1 to {LARGEST}.</p>')

    def additions(self, length_s: float) -> None:
        """Add up 1 … 100 again and again for so long, and report each addition."""
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        origin = time.monotonic_ns()
        while time.monotonic_ns() - origin < length_s * 1e9:
            report = b""
            for _ in range(100):
                begun = time.monotonic_ns()
                right = total(100) == 5050
                took = time.monotonic_ns() - begun
                report += struct.pack(">QQQ", begun - origin, took << 8 | (not right), 0)  # nothing is stored
            self.wfile.write(b"%x\r\n%s\r\n" % (len(report), report))
            time.sleep(0.005)  # else the calls would fill a CPU
        self.wfile.write(b"0\r\n\r\n")

    def page(self, status: int, body: str) -> None:
        """Answer with a page."""
        self.reply(status, PAGE.format(body), "text/html; charset=utf-8")

    def reply(self, status: int, text: str, kind: str) -> None:
        """Answer with a text."""
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Write no line per request."""


server = http.server.ThreadingHTTPServer((SETTINGS["host"], int(SETTINGS["port"])), Handler)
server.daemon_threads = True
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
server.serve_forever()
