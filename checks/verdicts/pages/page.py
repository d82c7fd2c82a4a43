# ruff: noqa: INP001 (a program, no package)
"""A page for about 1 ms of CPU time: python3 page.py PORT [MORE], MORE percent more work."""

from __future__ import annotations

import http.server
import sys

ROUNDS = 11_000
# What http.server takes for a request costs about as much; MORE is of both.
HANDLING = 6_000
MORE = float(sys.argv[2]) if len(sys.argv) > 2 else 0.0


class Page(http.server.BaseHTTPRequestHandler):
    """Counts, and says how far."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer any path."""
        total = 0
        for number in range(round(ROUNDS + (ROUNDS + HANDLING) * MORE / 100)):
            total += number * number % 7
        body = b"<html><body><h1>" + str(total > 0).encode() + b"</h1></body></html>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Page).serve_forever()
