"""Pages are equal element by element but for volatile values, which are held against what determines them."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_specification import BROKERAGE

from middlemark.conformance.comparison.pages.canonical import Volatile, read_pages
from middlemark.conformance.comparison.pages.compare import Normalised, normalised, unlike_canonical
from middlemark.conformance.comparison.pages.document import parse, text_of
from middlemark.conformance.comparison.pages.volatile import Judge
from middlemark.documents import read_toml
from middlemark.errors import InputError

HOME = "home-alert.html"
BODY = (BROKERAGE / "pages" / HOME).read_text(encoding="utf-8")


def seen(body: str, judge: Judge | None = None) -> Normalised:
    """Return a page as it is compared."""
    page, errors = parse(body.encode())
    assert errors == ()
    return normalised(page, BROKERAGE, judge)


def changed(old: str, new: str, times: int = 1) -> str:
    """Return the page with something replaced that is there."""
    assert old in BODY
    return BODY.replace(old, new, times)


@pytest.mark.parametrize(
    "body",
    [
        BODY,
        changed("\n", "\n  ", 40),
        changed('<section class="card" id="market"', '<section id="market" class="card"'),
        changed("s%3a10", "s%3A10"),
        changed('<span class="order-id">252</span>', '<span class="order-id">777</span>').replace(">253<", ">778<"),
        changed(">252<", ">999<"),  # which of two ids is the greater one is open
        changed("<body", "<!-- nobody sees this --><body"),
    ],
)
def test_what_nobody_sees_does_not_count(body: str) -> None:
    assert unlike_canonical(seen(body), BROKERAGE, HOME) is None


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (changed("<h1>Home</h1>", "<h1>House</h1>"), 'at body > main > h1: expected "Home", found "House"'),
        (changed("<h1>Home</h1>", "<h1>Home</h1><p></p>"), "found <p>"),
        (changed("<h1>Home</h1>", "<h2>Home</h2>"), "expected <h1>, found <h2>"),
        (changed('id="market"', 'id="markets"'), 'found <section aria-labelledby="market-heading" class="card"'),
        (
            changed('class="number loss"', 'class="number"'),
            'expected <td class="loss number">, found <td class="number">',
        ),
        (changed("<!DOCTYPE html>", '<!DOCTYPE html SYSTEM "about:legacy-compat">'), "at the doctype"),
        (changed("</dl>", "</dl>more"), 'found "more"'),
        (changed(">252<", ">253<"), 'expected "volatile 2", found "volatile 1"'),
        (changed(">252<", ">52<"), 'expected "volatile 1", found "52"'),
        (changed("2018-01-01 00:00:09", "2018-01-01 00:00:08"), 'found "2018-01-01 00:00:08"'),
        (BODY + "<!--" + "x" * 400 + "-->", "not the size of the page home-alert.html"),
    ],
)
def test_what_differs_is_reported_with_its_element(body: str, text: str) -> None:
    assert text in str(unlike_canonical(seen(body), BROKERAGE, HOME))


def test_replaced_values_are_counted_and_do_not_count_in_the_size() -> None:
    page, longer = seen(BODY), seen(changed(">252<", ">252252<").replace(">253<", ">253253<"))
    assert page.replaced == longer.replaced > 4
    assert page.size == longer.size == len(BODY.encode()) - _bytes_of_volatile_values()


def _bytes_of_volatile_values() -> int:
    definition = read_pages(BROKERAGE)
    assert definition
    values: list[str] = []

    def keep(volatile: Volatile, value: str) -> None:
        assert volatile in definition.volatile
        values.append(value)

    seen(BODY, keep)
    return sum(len(value) for value in values)


def test_a_value_that_is_determined_otherwise_is_reported() -> None:
    text = seen(BODY, lambda volatile, value: f"not {value}" if volatile.value == "now" else None).wrong
    assert text
    assert all(": not 20" in one for one in text)
    assert any(one.startswith("body > main > div.columns") for one in text)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<p>no doctype", "Unexpected start tag (p). Expected DOCTYPE."),
        ("<!DOCTYPE html><title>x</title><p><b>x</p>", "Unexpected end tag"),
        ("<!DOCTYPE html><title>x</title><p a=1 a=2>x</p>", "attribute"),
        ("<!DOCTYPE html><title>x</title><div></span></div>", "span"),
        ("<!DOCTYPE html><title>x</title>&nothing; <p>", "entity"),
    ],
)
def test_a_parse_error_of_html5_is_reported(body: str, text: str) -> None:
    _, errors = parse(body.encode())
    assert text.lower() in " ".join(errors).lower()
    assert errors[0].startswith("line 1, column ")


@pytest.mark.parametrize(
    ("piece", "errors"),
    [
        ("<p>a\x01b</p>", 0),
        ("<p title='a\x0bb'>a\ufffeb</p><!-- \x02 -->", 0),
        ("<p>a&#1;b</p>", 1),
        ("<p title='&#x0B;'>a&#65534;b</p>", 2),
        ("<p>a&#8364;b</p>", 0),
    ],
)
def test_control_characters_are_shown_instead_and_references_to_them_are_errors(piece: str, errors: int) -> None:
    page, found = parse(f"<!DOCTYPE html><title>x</title>{piece}".encode())
    assert len(found) == errors, found
    (paragraph,) = page.at("p")
    assert text_of(paragraph) == ("a€b" if "8364" in piece else "a\ufffdb")


@pytest.mark.parametrize(
    ("volatile", "text"),
    [
        ('selector = "a["\npattern = "x"', "is not a CSS selector"),
        ('selector = "a"\npattern = "("', "is not a regular expression"),
        ('selector = "a"', "a volatile value has a pattern, or is an optional attribute"),
        ('selector = "a"\noptional = true', "a volatile value has a pattern, or is an optional attribute"),
    ],
)
def test_a_wrong_volatile_value_is_refused(tmp_path: Path, volatile: str, text: str) -> None:
    file = tmp_path / "volatile.toml"
    file.write_text(volatile, encoding="utf-8")
    with pytest.raises(InputError, match=text.replace("(", r"\(")):
        read_toml(file, Volatile)
