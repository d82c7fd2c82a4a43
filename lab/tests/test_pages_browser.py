"""The brokerage in a real browser: a person registers, trades and logs out, on a desk and on a phone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import html5lib
import httpx
import pytest
from playwright.sync_api import Browser, Page, Request, expect
from up_command import up

PHONE = 360
DESK = 1200
FEE = Decimal("24.95")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give the address of the brokerage, its web tier calling the services over JSON."""
    with up(tmp_path_factory.mktemp("up"), "--set", "binding=json") as running:
        yield running.address()


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_a_person_registers_trades_and_logs_out(browser: Browser, address: str, tmp_path: Path, width: int) -> None:
    page = browser.new_context(viewport={"width": width, "height": 800}).new_page()
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("requestfailed", lambda request: problems.extend(failed(request)))

    register(page, address, f"person-{width}")
    assert balance(page) == Decimal("10000.00")
    total = buy(page, "s:1", 10)
    page.goto(f"{address}/home")
    assert balance(page) == Decimal("10000.00") - total
    expect(page.locator("body")).to_contain_text("s:1")
    received = sell_everything(page, address)
    page.goto(f"{address}/home")
    assert balance(page) == Decimal("10000.00") - total + received
    assert_nothing_is_cut_off(page)
    page.screenshot(path=tmp_path / "home.png", full_page=True)
    page.get_by_role("button", name="Log out").click()

    expect(page.locator("body")).to_have_attribute("data-page", "welcome")
    page.goto(f"{address}/home")
    expect(page.locator("body")).to_have_attribute("data-page", "welcome")
    assert problems == []
    assert (tmp_path / "home.png").stat().st_size > 10_000


def test_every_page_is_valid_html_and_fits_a_phone(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": PHONE, "height": 800})
    page = context.new_page()
    log_in(page, address, "uid:0")
    cookies = {cookie["name"]: cookie["value"] for cookie in context.cookies()}
    for path in ("/", "/home", "/account?orders=all", "/portfolio", "/quotes", "/register", "/glossary", "/nowhere"):
        page.goto(address + path)
        assert_nothing_is_cut_off(page)
        response = httpx.get(address + path, cookies=cookies)
        html5lib.HTMLParser(strict=True).parse(response.text)
        assert response.status_code == (404 if path == "/nowhere" else 200)


def test_a_refused_order_gives_the_reason_and_changes_nothing(browser: Browser, address: str) -> None:
    page = browser.new_page()
    register(page, address, "poor-person")
    page.goto(f"{address}/quotes?symbols=s:1")
    page.locator("input[name=quantity]").first.fill("1000000")
    page.get_by_role("button", name="Buy").first.click()

    expect(page.locator("body")).to_have_attribute("data-page", "error")
    expect(page.locator("main")).to_contain_text("balance")
    page.goto(f"{address}/home")
    assert balance(page) == Decimal("10000.00")


def failed(request: Request) -> list[str]:
    """Return the address of a failed request; a browser drops what it still loads when a person goes on."""
    return [] if request.failure == "net::ERR_ABORTED" else [request.url]


def register(page: Page, address: str, user: str) -> None:
    page.goto(f"{address}/register")
    values = {
        "user_id": user, "password": "secret", "confirm_password": "secret", "full_name": "A Person",
        "address": "1 Street", "email": "person@example.com", "credit_card": "4000", "open_balance": "10000",
    }  # fmt: skip
    for name, value in values.items():
        page.locator(f"input[name={name}]").fill(value)
    page.locator("main form button").click()
    expect(page.locator("#user")).to_have_text(user)


def log_in(page: Page, address: str, user: str) -> None:
    page.goto(address)
    page.locator("input[name=user_id]").fill(user)
    page.locator("input[name=password]").fill("xxx")
    page.locator("main form button").first.click()
    expect(page.locator("#user")).to_have_text(user)


def buy(page: Page, symbol: str, quantity: int) -> Decimal:
    """Buy from the quotes page; return the total debited, which is quantity × price + fee."""
    page.get_by_role("link", name="Quotes").click()
    page.locator("input[name=symbols]").fill(symbol)
    page.locator("input[name=symbols]").press("Enter")
    page.locator("input[name=quantity]").first.fill(str(quantity))
    page.get_by_role("button", name="Buy").first.click()
    expect(page.locator("body")).to_have_attribute("data-page", "order")
    total = row(page, "Total")
    assert total == quantity * row(page, "Price") + FEE
    return total


def sell_everything(page: Page, address: str) -> Decimal:
    """Sell the only holding; return what is credited, which is quantity × price - fee."""
    page.goto(f"{address}/portfolio")
    page.get_by_role("button", name="Sell").click()
    expect(page.locator("body")).to_have_attribute("data-page", "order")
    total = row(page, "Total")
    assert total == row(page, "Quantity") * row(page, "Price") - FEE
    return total


def row(page: Page, name: str) -> Decimal:
    return Decimal(
        page.locator("dl div", has=page.locator("dt", has_text=re.compile(f"^{name}$"))).locator("dd").inner_text()
    )


def balance(page: Page) -> Decimal:
    return row(page, "Balance")


def assert_nothing_is_cut_off(page: Page) -> None:
    assert page.evaluate("document.scrollingElement.scrollWidth <= window.innerWidth"), page.url
