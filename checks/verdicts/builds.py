"""Builds of the Go platform under names of their own: equal ones, and one that spends more CPU time on a request."""

from __future__ import annotations

import shutil
from pathlib import Path

from middlemark.errors import TargetError

ORIGINAL = "go"
COPIED = ("specs", "databases", "servers")
EQUAL = (ORIGINAL, "go-b", "go-c", "go-d", "go-e")
BURNING = "go-burning"

COMMANDS = Path("brokerage/cmd/brokerage")
HANDLER = ("Handler:           app.handler(),", "Handler:           burning(app.handler()),")
# A transaction of the brokerage costs 0.5 to 0.8 CPU-ms on Go, and 75 times take 55 µs of each request:
# by estimate a tenth.
BURNING_SOURCE = """package main

import (
	"crypto/sha256"
	"net/http"
)

// burning spends some 55 µs of CPU time more on every request.
func burning(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		block := make([]byte, 1024)
		for range 75 {
			sum := sha256.Sum256(block)
			block[0] = sum[0]
		}
		next.ServeHTTP(w, r)
	})
}
"""


def checkout_of_builds(home: Path, folder: Path) -> Path:
    """Return a copy of the checkout, made at `folder`, whose platforms are the builds.

    Raises TargetError when the Go platform is not written as expected here.
    """
    for name in COPIED:
        shutil.copytree(home / name, folder / name)
    platforms = folder / "platforms"
    original = shutil.copytree(home / "platforms" / ORIGINAL, platforms / ORIGINAL)
    for name in (*EQUAL[1:], BURNING):
        copied_platform(original, platforms / name)
    commands = platforms / BURNING / COMMANDS
    replace_once(commands / "run.go", *HANDLER)
    (commands / "burning.go").write_text(BURNING_SOURCE, encoding="utf-8")
    return folder


def copied_platform(original: Path, copy: Path) -> None:
    """Copy the platform to a folder whose name it then has, there and in what it says about itself."""
    shutil.copytree(original, copy)
    replace_once(copy / "platform.toml", f'name = "{original.name}"', f'name = "{copy.name}"')
    replace_once(copy / COMMANDS / "about.go", f'Platform: "{original.name}"', f'Platform: "{copy.name}"')


def replace_once(file: Path, old: str, new: str) -> None:
    """Replace the only place of `old` in the file; TargetError when it is not there once."""
    text = file.read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise TargetError(f"'{old}' is there {text.count(old)} times, not once", where=str(file))
    file.write_text(text.replace(old, new), encoding="utf-8")
