"""Puts the other load generators into a private folder, each from its registry; one that is absent has a reason."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

PLACE = Path(__file__).parent
HYPERFOIL = "0.25.2"
OHA = "1.16.0"
HEY = "v0.1.5"
K6 = "v1.8.1"
INSTALLING_SECONDS = 3600
LAST_WORDS = 300

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>middlemark</groupId><artifactId>bench-driver</artifactId><version>1</version>
<dependencies>{}</dependencies></project>
"""
DEPENDENCY = (
    "<dependency><groupId>io.hyperfoil</groupId><artifactId>hyperfoil-{}</artifactId><version>{}</version></dependency>"
)


@dataclass(frozen=True)
class Installed:
    """A tool that can be started: its first words, and its version as it prints it itself."""

    command: tuple[str, ...]
    version: str


@dataclass(frozen=True)
class Absent:
    """A tool that is not here, and why."""

    reason: str


def installed(name: str, folder: Path) -> Installed | Absent:
    """Return the tool, installed into `folder` when it is not there yet."""
    try:
        return INSTALLERS[name](folder)
    except FileNotFoundError as error:
        return Absent(f"{error.filename} is not here")
    except subprocess.TimeoutExpired:
        return Absent(f"its installation took longer than {INSTALLING_SECONDS} s")
    except subprocess.CalledProcessError as error:
        output = " ".join((error.stderr or error.stdout or "").split())
        return Absent(f"{error.cmd[0]} ended with {error.returncode}: …{output[-LAST_WORDS:]}")


def _from_debian(program: str, package: str, version: Callable[[str], str]) -> Installed | Absent:
    path = shutil.which(program)
    return Installed((path,), version(path)) if path else Absent(f"`apt install {package}` brings it")


def _wrk(_: Path) -> Installed | Absent:
    return _from_debian("wrk", "wrk", lambda path: _found(r"wrk (?:debian/)?(\S+)", _output([path, "-v"])))


def _ab(_: Path) -> Installed | Absent:
    return _from_debian("ab", "apache2-utils", lambda path: _found(r"Version (\S+)", _output([path, "-V"])))


def _hey(folder: Path) -> Installed:
    return _with_go(folder, "hey", f"github.com/rakyll/hey@{HEY}")


def _k6(folder: Path) -> Installed:
    return _with_go(folder, "k6", f"go.k6.io/k6@{K6}")


def _with_go(folder: Path, program: str, module: str) -> Installed:
    path = folder / "bin" / program
    if not path.exists():
        _run(["go", "install", module], GOBIN=str(path.parent))
    return Installed((str(path),), _found(r"\bmod\s+\S+\s+v(\S+)", _output(["go", "version", "-m", str(path)])))


def _oha(folder: Path) -> Installed:
    path = folder / "bin" / "oha"
    if not path.exists():
        _run(["cargo", "install", "oha", "--version", OHA, "--locked", "--root", str(folder)])
    return Installed((str(path),), _found(r"oha (\S+)", _output([str(path), "--version"])))


def _hyperfoil(folder: Path) -> Installed:
    """Install Hyperfoil's engine; a few lines of Java start it as its own command line does in one process."""
    place = folder / "hyperfoil"
    jars, classes = place / "lib", place / "classes"
    if not (classes / "HyperfoilRun.class").exists():
        classes.mkdir(parents=True, exist_ok=True)
        pom = place / "pom.xml"
        pom.write_text(POM.format("".join(DEPENDENCY.format(part, HYPERFOIL) for part in ("core", "http"))))
        words = ["dependency:copy-dependencies", f"-DoutputDirectory={jars}", "-DincludeScope=runtime"]
        _run(["mvn", "-q", "-B", "-f", str(pom), *words])
        _run(["javac", "-cp", f"{jars}/*", "-d", str(classes), str(PLACE / "HyperfoilRun.java")])
    java = _found(r'version "(\S+)"', _output(["java", "-version"]))
    return Installed(("java", "-cp", f"{jars}/*:{classes}", "HyperfoilRun"), f"{HYPERFOIL}, Java {java}")


INSTALLERS: dict[str, Callable[[Path], Installed | Absent]] = {
    "wrk": _wrk,
    "ab": _ab,
    "hey": _hey,
    "oha": _oha,
    "k6": _k6,
    "hyperfoil": _hyperfoil,
}


def _run(words: list[str], **settings: str) -> None:
    environment = {**os.environ, **settings}
    subprocess.run(words, env=environment, check=True, capture_output=True, text=True, timeout=INSTALLING_SECONDS)


def _output(words: list[str]) -> str:
    result = subprocess.run(words, check=False, capture_output=True, text=True, timeout=60)
    return result.stdout + result.stderr


def _found(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    return found[1] if found else "of unknown version"
