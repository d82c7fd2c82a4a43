"""Every platform obeys its specification: a sample of the cases in `make test`, all of them in `make test-full`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT
from middlemark.errors import HostError, MissingToolError
from middlemark.subject.build import require_tools
from middlemark.subject.platform import platforms
from middlemark.subject.subject import find_subject, subject_names
from middlemark.topology.workers import require_passable

# A busy machine starts an application server in minutes, and fetches one once.
pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]

JOBS = "2"
SUBJECTS = [
    (name, spec)
    for platform in platforms(ROOT)
    for spec, implementation in platform.description.specs.items()
    for name in subject_names(ROOT, platform, implementation)
]


def _is_further(name: str, spec: str) -> bool:
    server = find_subject(ROOT, name, spec).server
    return server is not None and bool(server.description.install) and (name, spec) != FIRST[name.partition("@")[0]]


def verified(tmp_path: Path, spec: str, *words: str) -> None:
    """Verify subjects as people do; skipped where this machine cannot build one, or a server not read the checkout."""
    for name in words:
        if not name.startswith("--"):
            subject = find_subject(ROOT, name, spec)
            try:
                require_tools(subject)
                if subject.server and subject.server.description.drops_rights:
                    require_passable([ROOT])
            except (MissingToolError, HostError) as error:
                pytest.skip(str(error))
    command = [sys.executable, "-m", "middlemark", "verify", *words, "--spec", spec, "--jobs", JOBS]
    done = subprocess.run([*command, "--out", str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


# A server that has to be fetched starts in a minute: of each platform one is sampled, with one specification.
FIRST = {name.partition("@")[0]: (name, spec) for name, spec in reversed(SUBJECTS)}
SAMPLED = [
    pytest.param(name, spec, marks=[pytest.mark.full] if _is_further(name, spec) else [], id=f"{name}-{spec}")
    for name, spec in SUBJECTS
]


@pytest.mark.parametrize(("subject", "spec"), SAMPLED)
def test_a_sample_of_the_cases_passes(subject: str, spec: str, tmp_path: Path) -> None:
    verified(tmp_path, spec, subject, "--sample")


@pytest.mark.full
@pytest.mark.timeout(4 * 3600)
@pytest.mark.parametrize(("subject", "spec"), SUBJECTS)
def test_every_case_passes_and_the_subject_is_equal_to_the_first_one(subject: str, spec: str, tmp_path: Path) -> None:
    first = next(name for name, of in SUBJECTS if of == spec)
    verified(tmp_path, spec, *dict.fromkeys((first, subject)))
