"""Servers of the tests of `ab`, as commands with {port}, and running the command."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from middlemark.ab.result import AbResult
from middlemark.processes.ports import free_port, is_free

# What a request costs: so many rounds. `how` is what is special about the server.
PROGRAM = """
import http.server, socketserver, sys, time
port, rounds, how = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]

class Page(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1" if how not in {"fork", "threads"} else "HTTP/1.0"
    def do_GET(self):
        total = 0
        for number in range(rounds):
            total += number * number % 7
        spent = time.thread_time() if how == "threads" else time.process_time()
        body = (b"longer" * 50 if how == "long" else b"") + (str(spent) if self.path == "/spent" else "page").encode()
        status = 500 if how == "error" else 404 if how == "missing" else 200
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        if how == "late-errors" and total >= 0:
            globals()["how"] = "error"
    def log_message(self, *_): pass

class Forking(socketserver.ForkingMixIn, http.server.HTTPServer): pass

if how == "ends":
    sys.exit("cannot read its settings")
if how == "elsewhere":
    port += 1
server = Forking if how == "fork" else http.server.ThreadingHTTPServer
server(("127.0.0.1", port), Page).serve_forever()
"""


def program(folder: Path) -> Path:
    """Write the program of the servers and return it."""
    path = folder / "server.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


def command(folder: Path, rounds: int = 3_000, how: str = "plain") -> str:
    """Command of a server, with {port}."""
    return f"{sys.executable} {program(folder)} {{port}} {rounds} {how}"


def words(*more: str) -> list[str]:
    """Words of the command."""
    return [sys.executable, "-m", "middlemark", "ab", *more]


def ab(*more: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run `middlemark ab` to its end."""
    done = subprocess.run(words(*more), capture_output=True, text=True, check=False, cwd=folder, timeout=200)
    assert "Traceback" not in done.stderr, done.stderr
    return done


def result_of(done: subprocess.CompletedProcess[str]) -> AbResult:
    """Result that was printed as JSON."""
    assert done.stdout, done.stderr
    return AbResult.model_validate_json(done.stdout)


def started(*commands: str) -> Sequence[str]:
    """Options that start these servers."""
    return [word for one in commands for word in ("--start", one)]


@contextmanager
def served(folder: Path, rounds: int = 3_000, how: str = "plain") -> Iterator[tuple[str, int]]:
    """Give the address and process id of a server that somebody else has started."""
    port = free_port()
    process = subprocess.Popen([sys.executable, str(program(folder)), str(port), str(rounds), how])
    try:
        while is_free(port):
            assert process.poll() is None
        yield f"http://127.0.0.1:{port}", process.pid
    finally:
        process.kill()
        process.wait()
