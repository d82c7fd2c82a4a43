"""What Chromium's developer tools export of a person who trades is imported, and many users repeat it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from devtools_export import DEVTOOLS, DevTools, Export
from playwright.sync_api import Page
from recorded_trading import Sold, trade
from test_session_import_browser import BROKERAGE, NUMBERS, lab
from up_command import up

from conftest import chromium
from middlemark.session.importing import ImportedSession, ImportRequest, import_recording

pytestmark = pytest.mark.long

# What a page's script may do besides: addresses that are no requests, a web socket and a file.
_ODD = """async () => {
  await (await fetch('data:text/plain,hello')).text();
  await (await fetch(URL.createObjectURL(new Blob(['x'])))).text();
  await new Promise(done => { new WebSocket(`ws://${location.host}/socket`).onclose = done; });
  const form = new FormData();
  form.append('picture', new File([new Uint8Array([137, 80, 78, 71, 0, 255])], 'small.png', {type: 'image/png'}));
  await (await fetch('/picture', {method: 'POST', body: form, headers: {Authorization: 'Basic dTpw'}})).text();
}"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with up(tmp_path_factory.mktemp("up")) as running:
        yield running.address()


@pytest.fixture(scope="module")
def exports(address: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with both forms of the export of somebody who trades, and of a page whose script does more."""
    folder = tmp_path_factory.mktemp("exported")
    # Another browser of these tests may be open, and a thread has one at most.
    with ThreadPoolExecutor(1) as own:
        own.submit(_export, address, folder).result()
    return folder


def _export(address: str, folder: Path) -> None:
    with chromium(DEVTOOLS) as browser:
        page = browser.new_page()
        tools = DevTools(browser, page)
        trade(page, address, Sold.BOUGHT)
        _save(tools, folder, "trading")
    with chromium(DEVTOOLS) as browser:
        page = browser.new_page()
        tools = DevTools(browser, page)
        _use_odd(page, address)
        _save(tools, folder, "odd")


def _use_odd(page: Page, address: str) -> None:
    page.goto(f"{address}/")
    page.evaluate(_ODD)


def _save(tools: DevTools, folder: Path, name: str) -> None:
    for form in Export:
        (folder / f"{name}-{form.name}.har").write_text(tools.export(form), encoding="utf-8")


@pytest.mark.parametrize("form", Export)
@pytest.mark.full
def test_many_users_repeat_what_devtools_exported(exports: Path, address: str, form: Export) -> None:
    name = f"trading-{form.name}"
    lab(exports, "session", "import", f"{name}.har", "--feeds", str(BROKERAGE))
    many = ["--users", "4", "--think", "50ms", "--duration", "4s"]
    done = lab(exports, "drive", f"{name}.yaml", "--target", address, *NUMBERS, *many, "--json")
    result = json.loads(done.stdout)
    assert result["total"]["errors"] == 0
    assert len(result["transactions"]) == 8
    assert all(figures["count"] > 0 for figures in result["transactions"].values())


def test_only_the_sanitized_export_is_warned_of(exports: Path, tmp_path: Path) -> None:
    sanitized, whole = (_imported(exports, tmp_path, "trading", form) for form in Export)
    lost = [text for text in sanitized.findings.warnings if text not in whole.findings.warnings]
    assert [text.partition(":")[0] for text in lost] == [
        "the recording holds neither cookies nor Authorization headers"
    ]
    assert sanitized.session.every_step == whole.session.every_step


def test_what_no_session_can_repeat_is_named(exports: Path, tmp_path: Path) -> None:
    done = _imported(exports, tmp_path, "odd", Export.WITH_SENSITIVE_DATA)
    assert [step.path for step in done.session.every_step] == ["/", "/picture"]
    assert "GET /socket left out: the driver does not support websocket" in done.findings.warnings
    damaged = [text for text in done.findings.warnings if "its body is damaged" in text]
    assert [text.partition(":")[0] for text in damaged] == ["POST /picture"]
    assert not any("small.png is sent as it was recorded" in text for text in done.findings.warnings)
    assert "neither cookies nor" not in " ".join(done.findings.warnings)


def _imported(exports: Path, folder: Path, name: str, form: Export) -> ImportedSession:
    recording = exports / f"{name}-{form.name}.har"
    return import_recording(ImportRequest(recording, folder / f"{form.name}.yaml", BROKERAGE))
