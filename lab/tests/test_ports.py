"""A port that was found free is not given away again before its program listens."""

from __future__ import annotations

import pytest

from middlemark.processes import ports


def test_programs_that_start_at_the_same_time_get_ports_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter([7, 7, 7, 8])
    monkeypatch.setattr("middlemark.processes.ports.secrets.randbelow", lambda _: next(drawn))
    monkeypatch.setattr(ports, "is_free", lambda _: True)
    monkeypatch.setattr(ports, "_given", ports._given.copy())  # noqa: SLF001 (what other tests were given)
    ports._given.clear()  # noqa: SLF001
    assert [ports.free_port(), ports.free_port()] == [ports.FIRST + 7, ports.FIRST + 8]
