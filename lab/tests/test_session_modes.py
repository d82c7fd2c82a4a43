"""Modes that requests carry, in sessions: the value of a combination stands in their texts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from middlemark.errors import InputError
from middlemark.workload.session import read_session

GOOD = """\
name: shop
think: {constant: 1s}
feeds:
  user: {range: [0, 50], format: "uid:{}", per: iteration}
steps:
  - id: look
    get: /look?user=${user}&by=${protocol}
    expect: {status: 200, marker: "$${protocol} ${protocol}"}
    capture:
      token: {regex: '${protocol}token=(\\w+)'}
  - id: order
    post: /order
    form: {token: ["${token}", "${protocol}"]}
    identify: [user, token]
"""


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """Give a file with the session."""
    file = tmp_path / "shop.yaml"
    file.write_text(GOOD, encoding="utf-8")
    return file


def test_requests_hold_the_value_of_a_mode_that_they_carry(written: Path) -> None:
    session = read_session(written, {}, ["protocol"])
    assert session.names == {"user", "protocol", "token"}

    look, order = session.carrying({"protocol": "json"}).every_step

    assert look.path == "/look?user=${user}&by=json"
    assert look.expect.marker == "$${protocol} json"
    assert order.form == {"token": ("${token}", "json")}
    # Patterns of captured values hold no names.
    assert look.capture["token"].regex == r"${protocol}token=(\w+)"
    assert session.every_step[0].path.endswith("${protocol}")


def test_without_the_mode_its_name_has_no_value(written: Path) -> None:
    with pytest.raises(InputError, match="'protocol' is neither a feed nor captured by an earlier step"):
        read_session(written, {})


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        ("user", ":4: feeds.user: 'user' is a mode of the specification; choose another name"),
        ("token", "'token' is a mode of the specification; choose another name"),
    ],
)
def test_a_feed_or_a_captured_value_has_no_name_of_a_mode(written: Path, mode: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        read_session(written, {}, ["protocol", mode])


def test_the_value_of_a_mode_identifies_nobody(written: Path) -> None:
    written.write_text(GOOD.replace("[user, token]", "[user, protocol]"), encoding="utf-8")
    with pytest.raises(InputError, match="'protocol' is the same in every request; leave it out"):
        read_session(written, {}, ["protocol"])
