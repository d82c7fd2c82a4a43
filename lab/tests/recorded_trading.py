"""Records a person who trades in Chromium; `python lab/tests/recorded_trading.py` makes recordings/trading.har anew."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from enum import StrEnum
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect, sync_playwright
from up_command import up

from conftest import CHROMIUM_OPTIONS

USER = "uid:7"
SYMBOL = "s:3"
_KEPT = frozenset({"Content-Type", "Location", "Cookie", "Set-Cookie"})


class Sold(StrEnum):
    """Which holding a person sells: the one bought just before, which is the last, or the first of the portfolio."""

    BOUGHT = "bought"
    FIRST = "first"


def record_trading(browser: Browser, address: str, path: Path, sold: Sold = Sold.BOUGHT) -> None:
    """Write the recording of somebody who logs in, looks around, buys, sells and logs out."""
    context = browser.new_context(record_har_path=path, record_har_content="embed")
    page = context.new_page()
    try:
        trade(page, address, sold)
    finally:
        context.close()  # only now is the recording written


def trade(page: Page, address: str, sold: Sold) -> None:
    """Log in, look around, buy, sell and log out."""
    page.goto(f"{address}/")
    page.locator("input[name=user_id]").fill(USER)
    page.locator("input[name=password]").fill("xxx")
    page.locator("main form button").first.click()
    expect(page.locator("#user")).to_have_text(USER)
    page.get_by_role("link", name="Quotes").click()
    page.locator("input[name=symbols]").fill(SYMBOL)
    page.locator("input[name=symbols]").press("Enter")
    expect(page.locator("input[name=quantity]")).to_have_count(1)
    page.locator("input[name=quantity]").fill("10")
    page.get_by_role("button", name="Buy").click()
    expect(page.locator("body")).to_have_attribute("data-page", "order")
    holding = page.locator(".holding-id").inner_text()
    page.get_by_role("link", name="Portfolio", exact=True).click()
    rows = page.locator("tbody tr")
    row = rows.filter(has=page.locator(f"input[value='{holding}']")) if sold is Sold.BOUGHT else rows.first
    row.get_by_role("button", name="Sell").click()
    expect(page.locator("body")).to_have_attribute("data-page", "order")
    page.get_by_role("link", name="Account", exact=True).click()
    page.get_by_role("button", name="Log out").click()
    expect(page.locator("body")).to_have_attribute("data-page", "welcome")


def trimmed(recording: Path, address: str) -> str:
    """Return a recording as JSON without what belongs to one machine, and without the bodies of static files."""
    entries = json.loads(recording.read_text(encoding="utf-8"))["log"]["entries"]
    log = {"version": "1.2", "entries": [_trimmed_entry(entry) for entry in entries]}
    return json.dumps({"log": log}, indent=1, ensure_ascii=False).replace(address, "http://brokerage.test") + "\n"


def _trimmed_entry(entry: Any) -> dict[str, Any]:
    request, response = entry["request"], entry["response"]
    content = {key: value for key, value in response["content"].items() if key in {"mimeType", "text"}}
    if entry["_resourceType"] != "document":
        content.pop("text", None)
    return {
        "startedDateTime": entry["startedDateTime"],
        "time": entry["time"],
        "_resourceType": entry["_resourceType"],
        "request": {
            **{key: request[key] for key in ("method", "url", "postData") if key in request},
            "headers": [_trimmed_header(header) for header in request["headers"] if header["name"] in _KEPT],
        },
        "response": {
            "status": response["status"],
            "headers": [_trimmed_header(header) for header in response["headers"] if header["name"] in _KEPT],
            "content": content,
            "redirectURL": response["redirectURL"],
        },
    }


def _trimmed_header(header: dict[str, str]) -> dict[str, str]:
    return {"name": header["name"], "value": re.sub(r"session=[^;]+", "session=recorded", header["value"])}


def main() -> None:
    """Record once more the file that tests read; Chromium must be here."""
    recordings = Path(__file__).parent / "recordings"
    with tempfile.TemporaryDirectory() as private, up(Path(private)) as running, sync_playwright() as playwright:
        address, made = running.address(), Path(private) / "trading.har"
        with playwright.chromium.launch(executable_path=shutil.which("chromium"), args=CHROMIUM_OPTIONS) as browser:
            record_trading(browser, address, made)
        (recordings / "trading.har").write_text(trimmed(made, address), encoding="utf-8")


if __name__ == "__main__":
    main()
