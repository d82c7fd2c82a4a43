"""`make quick` chooses the tests closest to a change, and hides neither what it leaves out nor what nobody tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from checks.conftest import Plant
from checks.quick.choosing import Choice, choose
from checks.quick.durations import CHECKS, LAB, LONG, Durations

TREE = {
    "lab/middlemark/errors.py": "",
    "lab/middlemark/shop/__init__.py": "",
    "lab/middlemark/shop/price.py": "from middlemark.errors import LabError",
    "lab/middlemark/shop/basket.py": "from middlemark.shop.price import Price\nPAGE = 'pages/basket.html'",
    "lab/middlemark/shop/till.py": "from middlemark.shop import basket",
    "lab/middlemark/cli/sell.py": "import middlemark.shop.till",
    "lab/middlemark/shop/pages/basket.html": "",
    "lab/tests/customers.py": "from middlemark.shop.price import Price",
    "lab/tests/test_price.py": "from middlemark.shop.price import Price",
    "lab/tests/test_basket.py": '"""Nothing is in pages/receipt.html."""\nimport middlemark.shop.basket',
    "lab/tests/test_till.py": "import middlemark.shop.till",
    "lab/tests/test_customers.py": "from customers import nobody",
    "lab/tests/test_sell_much.py": "COMMAND = 'sell'",
    "lab/tests/test_shelves.py": "FOLDER = 'specs/shop/shelves'",
    "checks/listing.py": "def files(): ...",
    "checks/test_names.py": "from checks.listing import files",
    "checks/test_kettle.py": "KETTLE = 'checks', 'kettle'",
    "checks/test_pages.py": "PAGE = 'README.md'",
    "lab/tests/test_new.py": "PAGE = 'README.md'",
}
PRICE = "lab/middlemark/shop/price.py"


def chosen(root: Path, *changed: str, seconds: float = 1000.0) -> Choice:
    """Choose with time for everything; the tests that look at every file are left out of the result."""
    choice = choose(root, changed, Durations(root), seconds)
    assert choice.chosen.pop("checks/test_names.py").words == "looks at every file"
    return choice


def reasons(choice: Choice) -> dict[str, str]:
    """Return the name of each chosen test with why it was chosen."""
    return {Path(test).stem.removeprefix("test_"): reason.words for test, reason in choice.chosen.items()}


def test_tests_that_import_a_module_come_before_those_with_one_between(plant: Plant) -> None:
    assert list(reasons(chosen(plant(TREE), PRICE)).items()) == [
        ("customers", "imports middlemark.shop.price"),
        ("price", "imports middlemark.shop.price"),
        ("basket", "imports what imports middlemark.shop.price"),
    ]


def test_a_test_and_what_tests_share_are_chosen_when_they_change(plant: Plant) -> None:
    root = plant(TREE)
    assert reasons(chosen(root, "lab/tests/test_till.py")) == {"till": "was changed itself"}
    assert reasons(chosen(root, "lab/tests/customers.py")) == {"customers": "uses lab/tests/customers.py"}


def test_where_none_is_close_the_nearest_are_chosen(plant: Plant) -> None:
    far = "from middlemark.shop import a"
    root = plant({**TREE, "lab/middlemark/shop/a.py": "import middlemark.shop.b", "lab/middlemark/shop/c.py": ""})
    plant({"lab/middlemark/shop/b.py": "import middlemark.shop.c", "lab/tests/test_a.py": far})
    assert reasons(chosen(root, "lab/middlemark/shop/c.py")) == {"a": "is 3 imports from middlemark.shop.c"}


def test_a_test_named_after_a_module_runs_it_perhaps_as_a_program(plant: Plant) -> None:
    found = reasons(chosen(plant(TREE), "lab/middlemark/cli/sell.py"))
    assert found == {"sell_much": "is named after lab/middlemark/cli/sell.py"}


def test_importers_of_a_deleted_module_are_chosen(plant: Plant) -> None:
    root = plant(TREE)
    (root / PRICE).unlink()
    assert set(reasons(chosen(root, PRICE))) == {"customers", "price", "basket"}


def test_a_file_that_is_no_python_yet_is_looked_at_by_its_importers(plant: Plant) -> None:
    assert set(reasons(chosen(plant({**TREE, PRICE: "def ("}), PRICE))) == {"customers", "price", "basket"}


@pytest.mark.parametrize(
    ("file", "found"),
    [
        ("lab/middlemark/shop/pages/basket.html", {"basket": "imports what mentions basket.html"}),
        ("specs/shop/shelves/low.yaml", {"shelves": "mentions shelves"}),
        ("checks/kettle", {"kettle": "mentions kettle"}),
        ("README.md", {"pages": "mentions README.md"}),
    ],
)
def test_what_is_no_python_is_looked_at_by_who_mentions_it_or_its_folder(
    plant: Plant, file: str, found: dict[str, str]
) -> None:
    choice = chosen(plant(TREE), file)
    assert {test: words for test, words in reasons(choice).items() if test in found} == found
    assert "new" not in reasons(choice)


def test_a_change_that_no_test_looks_at_is_named(plant: Plant) -> None:
    root = plant({**TREE, "lab/tests/test_shelves.py": "NOTHING = ''"})
    assert chosen(root, "published/paper.yaml", "lab/middlemark/unknown.py").untested == [
        "published/paper.yaml",
        "lab/middlemark/unknown.py",
    ]


def test_what_has_tests_of_its_own_wants_none_of_the_lab(plant: Plant) -> None:
    choice = chosen(plant(TREE), "driver/src/shop/shelves/main.rs")
    assert (reasons(choice), choice.untested) == ({}, [])


def test_what_there_is_no_time_for_is_left(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    choice = chosen(plant(TREE), PRICE, seconds=CHECKS + LAB + 1)
    assert [*reasons(choice), *choice.left] == ["customers", "lab/tests/test_price.py", "lab/tests/test_basket.py"]
    assert choice.seconds == CHECKS + LAB


def test_a_file_whose_tests_are_all_marked_full_is_not_chosen(plant: Plant) -> None:
    text = TREE["lab/tests/test_price.py"] + "\npytestmark = [pytest.mark.full, pytest.mark.long]\n"
    choice = chosen(plant({**TREE, "lab/tests/test_price.py": text}), PRICE)
    assert (set(reasons(choice)), list(choice.full)) == ({"customers", "basket"}, ["lab/tests/test_price.py"])


def test_a_file_of_tests_takes_what_it_took_last(plant: Plant) -> None:
    case = '<testcase classname="lab.tests.test_price" name="{}" time="{}"/>'
    suite = "<testsuites><testsuite>" + case.format("one", 1.5) + case.format("two", 2) + "</testsuite></testsuites>"
    texts = {"lab/tests/test_slow.py": "pytestmark = pytest.mark.long", ".build/durations/lab.xml": suite}
    durations = Durations(plant({**TREE, **texts, ".build/durations/cut.xml": "<testsuites>"}))
    assert (durations.of("lab/tests/test_price.py"), durations.knows("lab/tests/test_price.py")) == (3.5, True)
    assert durations.of("lab/tests/test_slow.py") == LONG
    assert (durations.of("lab/tests/test_till.py"), durations.knows("lab/tests/test_till.py")) == (LAB, False)
