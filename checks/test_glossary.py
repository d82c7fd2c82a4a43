"""One idea has one word: none of those that the glossary replaces stands in the lab, the checks or the pages."""

from __future__ import annotations

import pytest

from checks.conftest import Plant
from checks.glossary import ALLOWED, not_allowed, places_found, replaced_words
from checks.listing import REPOSITORY

TABLE = """
| not this | but this | in |
|---|---|---|
| `yardstick`, `going on with` | metric; resume | code, text |
| `told` | reported | code |
| `rehears*` | trial load | text |
| `MOST_*`, `*Order` | MAX_…; …Request | code |
| `is no` | is not | messages |
| `left` of an iteration | abandoned | people |
"""


def test_no_replaced_word_is_used() -> None:
    assert [str(place) for place in not_allowed(REPOSITORY)] == []


def test_the_table_has_words_and_every_exception_is_needed() -> None:
    assert min(map(len, replaced_words(REPOSITORY).values())) > 1
    places = places_found(REPOSITORY)
    assert [one for one in ALLOWED if not any(one.covers(place) for place in places)] == []


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("lab/middlemark/a.py", "yardsticks = 1", "lab/middlemark/a.py:1: yardstick (yardsticks)"),
        ("lab/middlemark/a.py", "class YardStick: ...\nclass BigYardstick: ...", "lab/middlemark/a.py:2: yardstick"),
        ("lab/middlemark/yardsticks.py", "", "lab/middlemark/yardsticks.py:1: yardstick"),
        ("lab/tests/a.py", "# A yardstick", "lab/tests/a.py:1: yardstick"),
        ("checks/a.py", '"""Text.\n\nRehearsing.\n"""', "checks/a.py:3: rehears*"),
        ("docs/a.md", "It is\ngoing on\nwith it", "docs/a.md:2: going on with"),
        ("a.md", "A yardstick", "a.md:1: yardstick"),
        ("platforms/cobol/README.md", "A yardstick", "platforms/cobol/README.md:1: yardstick"),
        ("servers/a/server.toml", "# A yardstick", "servers/a/server.toml:1: yardstick"),
        ("lab/middlemark/a.py", "def what_was_told(): ...", "lab/middlemark/a.py:1: told"),
        ("lab/tests/a.py", "def test_a_yardstick(): ...", "lab/tests/a.py:1: yardstick"),
        ("lab/middlemark/a.py", "MOST_USERS = 1", "lab/middlemark/a.py:1: MOST_*"),
        ("lab/middlemark/a.py", "class RunOrder: ...", "lab/middlemark/a.py:1: *Order"),
        ("lab/middlemark/a.py", "f\"'{x}' is no rate\"", "lab/middlemark/a.py:1: is no"),
        ("driver/src/a.rs", "\n    let yardsticks = 'y';", "driver/src/a.rs:2: yardstick (yardsticks)"),
        ("driver/src/yardstick.rs", "", "driver/src/yardstick.rs:1: yardstick"),
        ("driver/src/a.rs", "const MOST_USERS: u8 = 1;", "driver/src/a.rs:1: MOST_*"),
        ("driver/src/a.rs", "pub fn told<'a>(a: &'a str) {}", "driver/src/a.rs:1: told"),
        ("driver/src/a.rs", "//! What is\n/// A yardstick", "driver/src/a.rs:2: yardstick"),
        ("driver/src/a.rs", 'r#"a "yardstick" "#', "driver/src/a.rs:1: yardstick"),
        ("driver/src/a.rs", 'let a = \'"\'; let b = "{x} is no rate";', "driver/src/a.rs:1: is no"),
        ("driver/tests/a.rs", "\n#[test]\n#[ignore]\nfn a_yardstick() {}", "driver/tests/a.rs:4: yardstick"),
        ("driver/Cargo.toml", 'description = "A yardstick"', "driver/Cargo.toml:1: yardstick"),
    ],
)
def test_a_replaced_word_is_found(plant: Plant, name: str, text: str, found: str) -> None:
    root = plant({"docs/reference/glossary.md": TABLE, name: text})
    assert any(str(place).startswith(found) for place in not_allowed(root))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("lab/middlemark/a.py", '"""There is no yard. He told us."""'),
        ("lab/middlemark/a.py", 'raise ValueError("it is no longer there")'),
        ("lab/middlemark/a.py", "order = Ordered = most_users = left = 1"),
        ("docs/a.md", "He told us that there is no rate; a yardstick-like thing"),
        ("platforms/cobol/yardstick.java", "yardstick"),
        ("lab/tests/a.py", "def test_nobody_is_told(): ..."),
        ("driver/src/a.rs", '// He told us.\nlet left = "told";'),
        ("driver/tests/a.rs", "#[test]\nfn nobody_is_told() {}"),
    ],
)
def test_other_words_pass(plant: Plant, name: str, text: str) -> None:
    assert not_allowed(plant({"docs/reference/glossary.md": TABLE, name: text})) == []
