"""The report in a real browser, with the network off: charts show, nothing overflows, it prints, no text of it runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, Protocol

import pytest
from deployed_result import apart, whole, with_deployments
from held_run import Held, write_held
from hostile_findings import Maker, hostile_findings, without_efficiency
from made_result import Made, combination, contents
from playwright.sync_api import Browser, Dialog, Page, ViewportSize
from synthetic_result import Shape, write_synthetic

from middlemark.judge.result import judge, judge_folder
from middlemark.records.findings import Findings
from middlemark.records.soak import Quantity
from middlemark.show.page import report_page

Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
WIDTHS = (360, 390, 761, 1180, 1280)
OPEN_ALL = "document.querySelectorAll('details').forEach(d => d.open = true)"
SCROLL_WIDTH = "document.scrollingElement.scrollWidth"


def file_of(folder: Path, findings: Findings) -> str:
    file = folder / "report.html"
    file.write_text(report_page(findings), encoding="utf-8")
    return file.as_uri()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Give the address of a report with long names, INVALID windows and every section."""
    combinations = tuple(
        combination(subject, binding=binding)
        for subject, binding in (("go", "local"), ("jakarta@liberty", "json"), ("jakarta@wildfly", "soap"))
    )
    shape = Shape(combinations=combinations, loads=(10, 60), repeats=2, error_points=frozenset({3}))
    folder = write_synthetic(tmp_path_factory.mktemp("result"), shape)
    deployments = (whole("go"), apart("jakarta@liberty", "json (http)", webs=5, behind="nginx"), apart("other", "grpc"))
    return file_of(folder, with_deployments(folder, *deployments))


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Give the address of a report that shows all there is, with long texts that would run."""
    maker = Maker()
    return file_of(tmp_path_factory.mktemp("hostile"), without_efficiency(maker, hostile_findings(maker)))


class Opened(Protocol):
    """Opens an address in a width and a colour scheme."""

    def __call__(self, address: str, width: int, scheme: Scheme = "light", *, scripts: bool = True) -> Page:
        """Give the page."""


@pytest.fixture
def opened(browser: Browser) -> Iterator[Opened]:
    """Give a way to open pages, which may neither ask for anything nor run anything of what they show."""
    problems: list[str] = []

    def refused(dialog: Dialog) -> None:
        problems.append(dialog.message)
        dialog.dismiss()

    def open_page(address: str, width: int, scheme: Scheme = "light", *, scripts: bool = True) -> Page:
        size = ViewportSize(width=width, height=900)
        page = browser.new_context(
            viewport=size, color_scheme=scheme, offline=True, java_script_enabled=scripts
        ).new_page()
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("dialog", refused)
        page.on("request", lambda request: problems.append(request.url) if request.url != address else None)
        page.goto(address)
        return page

    yield open_page
    for context in browser.contexts:
        context.close()
    assert problems == []


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_overflows_sideways_and_nothing_is_asked_for(opened: Opened, report: str, width: int) -> None:
    page = opened(report, width)
    page.evaluate(OPEN_ALL)
    assert page.evaluate(SCROLL_WIDTH) <= width


@pytest.mark.parametrize("width", [360, 1280])
def test_the_charts_of_a_soak_fit_and_name_what_was_lost(opened: Opened, tmp_path: Path, width: int) -> None:
    write_held(tmp_path, Held(leak_mib=20.0, stall_s=1200, length_s=2400))
    page = opened(file_of(tmp_path, judge_folder(tmp_path)), width)
    assert page.evaluate(SCROLL_WIDTH) <= width
    soak = page.locator("#soak")
    assert soak.locator("figure").count() == len(Quantity)
    assert "all lost" in soak.locator("figure").first.inner_text()
    assert "Memory of web+services rises by 1,2" in soak.inner_text()


@pytest.mark.parametrize("width", [390, 1280])
def test_long_texts_that_would_run_are_shown_and_do_not_run(opened: Opened, everything: str, width: int) -> None:
    page = opened(everything, width)
    page.evaluate(OPEN_ALL)
    assert page.evaluate(SCROLL_WIDTH) <= width
    assert page.locator("body").inner_text().count("<script>alert(1)</script>") > 100
    page.locator("h1").click()


@pytest.mark.parametrize("width", [360, 1280])
def test_pivot_tables_with_many_subjects_scroll_in_themselves(opened: Opened, tmp_path: Path, width: int) -> None:
    subjects = [combination(f"platform-{number}@server", session="files") for number in range(6)]
    findings = judge(contents([(one, 4, [Made(1000, 1.0)]) for one in subjects]))
    page = opened(file_of(tmp_path, findings), width, "dark")
    assert page.locator(".pivot").count() == 3
    inside = "[...document.querySelectorAll('.scroll:has(.pivot)')].map(s => [s.scrollWidth, s.clientWidth])"
    assert (max(whole - seen for whole, seen in page.evaluate(inside)) > 0) == (width == 360)
    assert page.evaluate(SCROLL_WIDTH) <= width


def test_on_a_phone_a_table_shades_the_side_where_columns_are_out_of_sight(opened: Opened, report: str) -> None:
    page = opened(report, 390)
    table = page.locator(".scroll").first
    assert table.evaluate("s => s.scrollWidth > s.clientWidth")
    table.scroll_into_view_if_needed()

    def edge() -> bytes:
        box = table.bounding_box()
        assert box is not None
        return page.screenshot(clip={"x": box["x"] + box["width"] - 4, "y": box["y"], "width": 4, "height": 8})

    begin = edge()
    table.evaluate("s => s.scrollLeft = s.scrollWidth")
    assert edge() != begin


@pytest.mark.parametrize("width", [390, 1280])
def test_the_line_of_equal_figures_crosses_no_name(opened: Opened, report: str, width: int) -> None:
    page = opened(report, width)
    page.evaluate(OPEN_ALL)
    found = page.evaluate(
        """() => [...document.querySelectorAll('svg .limit')].flatMap(line => {
             const l = line.getBoundingClientRect();
             return l.height === 0 ? [] : [[...line.ownerSVGElement.querySelectorAll('text.ink')].filter(name => {
               const n = name.getBoundingClientRect();
               return n.left < l.right && l.left < n.right && n.top + 2 < l.bottom && l.top < n.bottom - 2;
             }).map(name => name.textContent)];
           })"""
    )
    assert len(found) > 0
    assert [names for names in found if names] == []


@pytest.mark.parametrize(("width", "shown"), [(1280, "wide"), (390, "narrow")])
def test_every_chart_is_drawn_once_at_the_width_made_for_it(
    opened: Opened, report: str, width: int, shown: str
) -> None:
    page = opened(report, width)
    page.evaluate(OPEN_ALL)
    figures = page.locator("figure").count()
    visible = page.locator(f"figure .{shown} > svg:visible").count()
    assert visible == figures >= 10
    assert page.locator("figure svg[role=img]:visible").count() == figures


@pytest.mark.parametrize("width", [360, 1280])
def test_the_texts_of_charts_stay_inside_them_and_can_be_read(opened: Opened, report: str, width: int) -> None:
    page = opened(report, width)
    page.evaluate(OPEN_ALL)
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


def test_dark_and_light_differ_and_follow_the_reader(opened: Opened, report: str) -> None:
    colours = {}
    for scheme in SCHEMES:
        page = opened(report, 1280, scheme)
        colours[scheme] = page.evaluate(
            """() => [getComputedStyle(document.body).backgroundColor,
                      getComputedStyle(document.querySelector('figure .dot.s0')).fill]"""
        )
        assert colours["light"] == ["rgb(255, 255, 255)", "rgb(194, 87, 12)"]
    assert colours["dark"] == ["rgb(15, 20, 25)", "rgb(242, 163, 60)"]


def test_without_scripts_charts_and_folded_sections_are_there(opened: Opened, report: str) -> None:
    page = opened(report, 1280, scripts=False)
    assert page.locator("figure .wide > svg:visible").count() >= 10
    for folded in (page.locator("figure details").first, page.locator("#disclosure > details")):
        inside = folded.locator("> :not(summary)").first
        assert not inside.is_visible()
        folded.locator("summary").first.click()
        assert inside.is_visible()


@pytest.mark.parametrize("which", ["report", "everything"])
def test_it_prints_on_paper_with_what_is_folded(opened: Opened, request: pytest.FixtureRequest, which: str) -> None:
    page = opened(request.getfixturevalue(which), 1280)
    page.emulate_media(media="print")
    # 703 px is what A4 leaves between its margins.
    page.set_viewport_size({"width": 703, "height": 1000})
    assert page.evaluate(SCROLL_WIDTH) <= 703
    wide = "[...document.querySelectorAll('table')].filter(t => t.getBoundingClientRect().right > 704).length"
    assert page.evaluate(wide) == 0
    hidden = """[...document.querySelectorAll('details:not([open]) table')]
                  .filter(t => t.getBoundingClientRect().height === 0).length"""
    assert page.locator("details:not([open]) table").count() > 10
    assert page.evaluate(hidden) == 0
    assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF")


def test_sections_are_reached_and_unfolded_by_keyboard(opened: Opened, report: str) -> None:
    page = opened(report, 1280)
    link = "document.activeElement.getAttribute('href')"
    while page.evaluate(link) != "#load":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("#load$"))
    top = page.locator("#load h2").evaluate("h => h.getBoundingClientRect().top")
    bar = page.locator(".bar").evaluate("b => b.getBoundingClientRect().bottom")
    assert top >= bar
    folded = page.locator("#conditions > details")
    folded.locator("summary").first.focus()
    page.keyboard.press("Enter")
    assert folded.evaluate("d => d.open")
