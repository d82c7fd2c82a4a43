"""The report in a real browser, with the network off and scripts off: charts show, nothing overflows, it prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from content_result import Made, combination, write_contents
from deployed_result import apart, whole, with_deployments
from playwright.sync_api import Browser, Page
from synthetic_result import Shape, write_synthetic

from middlemark.records.run import Combination
from middlemark.report.page import write_report

WIDTHS = (360, 390, 761, 1180, 1280)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Give the address of a report with long names, INVALID points and every section."""
    combinations = tuple(
        Combination(subject=s, modes={"binding": b}, label=f"{s} {b}", path=f"{s}/binding={b}")
        for s, b in (("go", "local"), ("jakarta@liberty", "json"), ("jakarta@wildfly", "soap"))
    )
    shape = Shape(combinations=combinations, loads=(10, 60), repeats=2, error_points=frozenset({3}))
    folder = write_synthetic(tmp_path_factory.mktemp("result"), shape)
    deployments = (whole("go"), apart("jakarta@liberty", "json (http)", webs=5, behind="nginx"), apart("other", "grpc"))
    return write_report(with_deployments(folder, *deployments).folder).as_uri()


def opened(browser: Browser, address: str, width: int, scheme: str = "light") -> tuple[Page, list[str]]:
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
        offline=True,
        java_script_enabled=True,
    )
    page = context.new_page()
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("requestfailed", lambda request: problems.append(request.url))
    page.goto(address)
    return page, problems


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_overflows_sideways_and_the_console_is_silent(browser: Browser, report: str, width: int) -> None:
    page, problems = opened(browser, report, width)
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert page.evaluate("document.scrollingElement.scrollWidth") <= width
    assert problems == []
    page.context.close()


@pytest.mark.parametrize("width", [360, 1280])
def test_matrices_with_many_subjects_scroll_in_themselves(browser: Browser, tmp_path: Path, width: int) -> None:
    subjects = [combination(f"platform-{number}@server", session="files") for number in range(6)]
    write_contents(tmp_path, [(one, 4, [Made(1000, 1.0)]) for one in subjects])
    page, problems = opened(browser, write_report(tmp_path).as_uri(), width, "dark")
    assert page.locator(".matrix").count() == 2
    assert page.evaluate("document.scrollingElement.scrollWidth") <= width
    assert problems == []
    page.context.close()


@pytest.mark.parametrize(("width", "shown"), [(1280, "wide"), (390, "narrow")])
def test_every_chart_is_drawn_once_at_the_width_made_for_it(
    browser: Browser, report: str, width: int, shown: str
) -> None:
    page, _ = opened(browser, report, width)
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    figures = page.locator("figure").count()
    visible = page.locator(f"figure .{shown} > svg:visible").count()
    assert visible == figures >= 10
    assert page.locator("figure svg[role=img]:visible").count() == figures
    page.context.close()


@pytest.mark.parametrize("width", [360, 1280])
def test_the_texts_of_charts_stay_inside_them_and_can_be_read(browser: Browser, report: str, width: int) -> None:
    page, _ = opened(browser, report, width)
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    cut = page.evaluate(
        """() => [...document.querySelectorAll('figure svg[role=img] text')].filter(t => {
             const text = t.getBoundingClientRect(), chart = t.ownerSVGElement.getBoundingClientRect();
             return chart.width > 0 && (text.left < chart.left - 1 || text.right > chart.right + 1
               || text.top < chart.top - 3 || text.bottom > chart.bottom + 1);
           }).map(t => t.ownerSVGElement.getAttribute('aria-label') + ': ' + t.textContent)"""
    )
    assert cut == []
    smallest = page.evaluate(
        """() => Math.min(...[...document.querySelectorAll('figure svg[role=img]')].filter(s => s.clientWidth > 0)
             .map(s => 11 * s.getBoundingClientRect().width / s.viewBox.baseVal.width))"""
    )
    assert smallest >= 9.5
    page.context.close()


def test_dark_and_light_differ_and_follow_the_reader(browser: Browser, report: str) -> None:
    colours = {}
    for scheme in ("light", "dark"):
        page, _ = opened(browser, report, 1280, scheme)
        colours[scheme] = page.evaluate(
            """() => [getComputedStyle(document.body).backgroundColor,
                      getComputedStyle(document.querySelector('figure .dot.s0')).fill]"""
        )
        page.context.close()
    assert colours["light"] == ["rgb(255, 255, 255)", "rgb(194, 87, 12)"]
    assert colours["dark"] == ["rgb(15, 20, 25)", "rgb(242, 163, 60)"]


def test_without_scripts_charts_and_folded_tables_are_there(browser: Browser, report: str) -> None:
    context = browser.new_context(offline=True, java_script_enabled=False, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(report)
    assert page.locator("figure .wide > svg:visible").count() >= 10
    folded = page.locator("figure details").first
    assert not folded.locator("table").is_visible()
    folded.locator("summary").click()
    assert folded.locator("table").is_visible()
    context.close()


def test_it_prints_on_paper_with_its_folded_tables(browser: Browser, report: str) -> None:
    page, _ = opened(browser, report, 1280)
    page.emulate_media(media="print")
    # 703 px is what A4 leaves between its margins.
    page.set_viewport_size({"width": 703, "height": 1000})
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 703
    wide = "[...document.querySelectorAll('table')].filter(t => t.getBoundingClientRect().right > 704).length"
    assert page.evaluate(wide) == 0
    assert page.locator("details:not([open]) table").first.evaluate("t => t.getBoundingClientRect().height") > 0
    assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF")
    page.context.close()


def test_sections_are_reached_by_keyboard(browser: Browser, report: str) -> None:
    page, _ = opened(browser, report, 1280)
    for _ in range(3):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("#load$"))
    top = page.locator("#load h2").evaluate("h => h.getBoundingClientRect().top")
    bar = page.locator(".bar").evaluate("b => b.getBoundingClientRect().bottom")
    assert top >= bar
    page.context.close()
