"""The papers' ratios and their counterparts in a run: read from the published figures, labelled, never ranked."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from rejudged_result import with_windows
from synthetic_result import APART, Shape, write_synthetic

from conftest import ROOT
from middlemark.errors import InputError
from middlemark.experiment.experiment_check import problem_with
from middlemark.experiment.published import published_counterparts, published_files, read_published_file
from middlemark.judge.result import judge, judge_folder, read_measured
from middlemark.records.findings import Counterpart, Findings
from middlemark.records.folder import write_json
from middlemark.records.naming import label
from middlemark.records.run import Combination
from middlemark.records.side_files import PUBLISHED, Published, PublishedRatio, PublishedSource, RatioOf
from middlemark.records.window import Window
from middlemark.show.page import report_page
from middlemark.specification.specification import find_specification


def combination(**modes: str) -> Combination:
    path = "go/" + ",".join(f"{mode}={value}" for mode, value in modes.items())
    return Combination(subject="go", modes=modes, label=label("go", modes), path=path)


SOAP, SOAP_BEHIND = (combination(binding="soap", reverse_proxy=proxy) for proxy in ("none", "nginx"))
JSON, JSON_BEHIND = (combination(binding="json", reverse_proxy=proxy) for proxy in ("none", "nginx"))
JDBC, JPA = (combination(**{"binding": "local", "orders": "sync", "data-access": d}) for d in ("jdbc", "jpa"))


def beside(folder: Path, *ratios: PublishedRatio) -> tuple[Findings, list[Counterpart]]:
    """Judge a result with these published ratios; return those that have a counterpart too."""
    published = Published(sources=(PublishedSource(source="a paper", measured="rates", ratios=ratios),))
    findings = judge(read_measured(folder).model_copy(update={"published": published}))
    return findings, [one for one in findings.counterparts if one.comparison is not None]


def ratio_of(one: Counterpart) -> float:
    assert one.comparison
    assert one.comparison.ratio is not None
    return one.comparison.ratio


def section_of(folder: Path, spec: str, combinations: Iterable[Combination]) -> str:
    """Return the part of the report on published ratios, which were kept in the folder when the run began."""
    published = published_counterparts(ROOT, spec, tuple(combinations))
    assert published
    write_json(folder / PUBLISHED, published)
    return report_page(judge_folder(folder)).partition('<section id="published"')[2].partition("</section>")[0]


def ratios(*combinations: Combination) -> list[PublishedRatio]:
    published = published_counterparts(ROOT, "brokerage", combinations)
    return [ratio for source in published.sources for ratio in source.ratios] if published else []


def test_a_ratio_of_costs_is_the_inverse_of_that_of_the_printed_throughputs() -> None:
    binary, hosted, *_ = ratios(SOAP)

    assert binary.text.startswith("SOAP ÷ binary")
    assert binary.ratio == pytest.approx(3985 / 2112)
    assert binary.figures == "3,985 (printed) ÷ 2,112 (derived) transactions per second"
    assert hosted.ratio == pytest.approx(2112 / 1916)


def test_only_the_tests_that_a_run_repeats_are_shown() -> None:
    assert ratios(combination(binding="local")) == []
    assert {ratio.test for ratio in ratios(SOAP)} == {"web service"}
    assert {ratio.test for ratio in ratios(combination(orders="async-queue"))} == {"durable messaging"}
    assert published_counterparts(ROOT, "petstore", [SOAP]) is None


def test_where_nothing_was_printed_the_ratios_of_the_other_tests_are_shown_too() -> None:
    found = {ratio.test: ratio for ratio in ratios(JDBC, JPA)}

    assert set(found) == {"web application", "web service", "durable messaging"}
    assert {ratio.text for ratio in found.values()} == {"entity beans ÷ plain JDBC"}
    assert found["web application"].ratio is None
    assert found["web application"].figures == "nothing survives"
    assert found["web service"].ratio == pytest.approx(1653 / 990)
    assert found["durable messaging"].ratio == pytest.approx(1901 / 1077)


def test_the_report_shows_the_ratio_of_a_run_whose_counterpart_was_never_printed(tmp_path: Path) -> None:
    folder = write_synthetic(tmp_path, Shape(combinations=(JDBC, JPA), repeats=2, loads=(10,)))
    _, (here,) = beside(folder, *ratios(JDBC, JPA))

    rows = [row for row in section_of(folder, "brokerage", (JDBC, JPA)).split("<tr>") if "plain JDBC" in row]

    assert len(rows) == 3
    web = next(row for row in rows if "web application" in row)
    assert "nothing survives" in web
    assert f">{ratio_of(here):.2f} (2 rounds)<" in web
    assert all(
        "not in this run" in row and shown in row for row, shown in zip(rows[1:], ("1.67 ×", "1.77 ×"), strict=True)
    )


ONE_CPU = APART.model_copy(update={"cpus": {"driver": (0,), "sut": (1,)}})
WEB_SERVER = tuple(
    combination(binding=binding, session=session, http="1.0")
    for binding, session in (("local", "static"), ("json", "handler"))
)


def efficiencies(*runs: Combination) -> list[PublishedRatio]:
    published = published_counterparts(ROOT, "spice", runs)
    return [ratio for source in published.sources for ratio in source.ratios] if published else []


def test_efficiencies_are_computed_from_rates_and_latencies_of_each_server_and_number_of_cpus() -> None:
    found = {(one.of, one.system): one for one in efficiencies(*WEB_SERVER)}

    assert len(found) == 8
    four, one = (f"iPlanet Web Server EE 4.0, {cpus}" for cpus in ("4 CPUs", "1 CPU"))
    assert found[RatioOf.THROUGHPUT, four].ratio == pytest.approx(1080 / 2759)
    assert found[RatioOf.THROUGHPUT, four].figures == "1,080 ÷ 2,759 requests per second"
    assert found[RatioOf.RESPONSE_TIME, four].ratio == pytest.approx(8.3 / 18.1)
    assert found[RatioOf.RESPONSE_TIME, one].ratio == pytest.approx(30.9 / 10.0)
    assert found[RatioOf.RESPONSE_TIME, one].lower_here == {"session": "handler", "http": "1.0", "cpus": "1"}


def test_a_ratio_that_was_not_run_carries_the_papers_reason() -> None:
    found = {one.system: one for one in efficiencies(combination(session="template")) if one.of is RatioOf.THROUGHPUT}

    stronghold = found["Stronghold 2.4.2 (+JServ), 4 CPUs"]
    assert (stronghold.ratio, stronghold.figures) == (None, "not run: the JSP engine needed an older Java version")
    assert found["Stronghold 2.4.2 (+JServ), 1 CPU"].figures == "not among the published figures"


def test_rates_and_times_are_compared_at_the_peak_of_each_side(tmp_path: Path) -> None:
    # The window of the handler with 60 users does not count, so that its peak is at 30.
    shape = Shape(combinations=WEB_SERVER, repeats=1, loads=(30, 60), placement=ONE_CPU, error_points=frozenset({3}))
    folder, sides = write_synthetic(tmp_path, shape), ({"binding": "local"}, {"binding": "json"})
    measured = read_measured(folder)
    static, handler = (measured.of(one, load)[0] for one, load in zip(WEB_SERVER, (60, 30), strict=True))

    for ratio in efficiencies(*WEB_SERVER):
        upper, lower = sides if ratio.of is RatioOf.RESPONSE_TIME else sides[::-1]
        here = {"upper_here": ratio.upper_here | upper, "lower_here": ratio.lower_here | lower}  # type: ignore[operator]
        _, found = beside(folder, ratio.model_copy(update=here))
        if ratio.system.endswith("4 CPUs"):
            assert found == []
            continue
        (one,) = found
        assert one.comparison
        loads = (one.comparison.load_b, one.comparison.load_a)
        if ratio.of is RatioOf.THROUGHPUT:
            assert loads == (30, 60)
            assert ratio_of(one) == pytest.approx(handler.throughput_tps / static.throughput_tps)
        else:
            assert loads == (60, 30)
            assert ratio_of(one) == pytest.approx(static.total.mean_ms / handler.total.mean_ms)


@pytest.mark.parametrize(
    ("size", "reason"),
    [
        (5_000.0, ""),
        (5_040.0, ""),
        (5_100.0, "mean answers of 5,100 and 5,000 B differ"),
        (None, "the bytes of the answers were not counted"),
    ],
)
def test_sides_that_answer_with_something_else_have_no_ratio(tmp_path: Path, size: float | None, reason: str) -> None:
    ratio = ratios(SOAP)[1].model_copy(update={"tiers": ("web+services",)})
    folder = write_synthetic(tmp_path, Shape(combinations=(SOAP, SOAP_BEHIND), repeats=1, loads=(60,)))

    def answering(window: Window) -> Window:
        behind = window.combination == SOAP_BEHIND.path
        return window.model_copy(update={"mean_body_bytes": size}) if behind else window

    published = Published(sources=(PublishedSource(source="a paper", measured="rates", ratios=(ratio,)),))
    (one,) = with_windows(folder, answering, published=published).counterparts

    assert one.comparison
    assert (one.comparison.reason, one.comparison.ratio is None) == (reason, bool(reason))


def test_only_connections_that_are_not_kept_have_a_counterpart(tmp_path: Path) -> None:
    kept = tuple(one.model_copy(update={"modes": one.modes | {"http": "1.1"}}) for one in WEB_SERVER)
    folder = write_synthetic(tmp_path, Shape(combinations=kept, repeats=1, loads=(10,)))
    assert beside(folder, *efficiencies(*kept))[1] == []


def test_the_report_has_a_table_of_the_servers_of_the_paper_with_reasons_and_notes(tmp_path: Path) -> None:
    sessions = ("static", "handler", "template")
    subjects = tuple(combination(binding="local", session=session, http="1.0") for session in sessions)
    folder = write_synthetic(tmp_path, Shape(combinations=subjects, repeats=1, loads=(10,), placement=ONE_CPU))

    section = section_of(folder, "spice", subjects)

    assert "published: iPlanet Web Server EE 4.0, 4 CPUs" in section
    assert "here: go local, HTTP/1.0, 1 CPU" in section
    assert '<data value="0.39144617615077926">0.39</data>' in section
    assert "not run: the JSP engine needed an older Java version" in section
    assert "throughput or mean response time, each side at its own peak" in section
    assert "<strong>jsp</strong>" in section


def test_ratios_of_a_paper_without_any_counterpart_are_folded(tmp_path: Path) -> None:
    folder = write_synthetic(tmp_path, Shape(combinations=WEB_SERVER, repeats=1, loads=(10,)))
    section = section_of(folder, "spice", WEB_SERVER)
    assert "<summary>None of them is in this run</summary>" in section
    assert "1,080 ÷ 2,759 requests per second" in section


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('of = "throughput"\ntiers = ["services"]', "a ratio of costs needs tiers, and no other one has any"),
        ('of = "throughput"\neach_here = { server = "cpus" }', "'server' in each_here is not among each"),
        ('of = "response_time"\n', "a ratio of response_time needs the column of response_time"),
    ],
)
def test_a_key_that_does_nothing_is_refused(tmp_path: Path, line: str, message: str) -> None:
    refused(tmp_path, message, lambda ratio: ratio.replace('tiers = ["services"]', line, 1))


def refused(home: Path, message: str, change: Callable[[str], str]) -> None:
    """See that the first ratio of the web service and what follows it are refused after a change."""
    shutil.copytree(ROOT / "published", home / "published")
    file = home / "published" / "brokerage-2008.toml"
    before, begin, after = file.read_text(encoding="utf-8").partition('[[ratios]]\ntest = "web service"')
    file.write_text(before + begin + change(after), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        published_counterparts(home, "brokerage", [SOAP])


def test_every_pair_that_agrees_in_everything_else_is_a_counterpart(tmp_path: Path) -> None:
    both = ({"binding": binding, "instances.web": number} for number in ("1", "3") for binding in ("soap", "json"))
    four = [combination(reverse_proxy="none", **choices) for choices in both]
    ratio = ratios(SOAP)[0].model_copy(update={"lower_here": {"binding": "json"}, "tiers": ("web+services",)})
    folder = write_synthetic(tmp_path, Shape(combinations=tuple(four), repeats=4, loads=(60,)))

    findings, found = beside(folder, ratio)

    pairs = [(one.comparison.b, one.comparison.a) for one in found if one.comparison]
    assert pairs == [(four[0].path, four[1].path), (four[2].path, four[3].path)]
    for one, (upper, lower) in zip(found, pairs, strict=True):
        costs = [findings.by_path[path].at.figures["cpu_ms_per_transaction"].mean for path in (upper, lower)]
        assert ratio_of(one) == pytest.approx(costs[0] / costs[1], rel=0.1)


def test_the_tiers_of_both_sides_are_added_and_a_missing_one_is_no_cost(tmp_path: Path) -> None:
    ratio = ratios(SOAP)[1].model_copy(update={"tiers": ("web+services", "database", "reverse-proxy")})
    shape = Shape(combinations=(SOAP, SOAP_BEHIND), repeats=1, loads=(60,))

    findings, (one,) = beside(write_synthetic(tmp_path, shape), ratio)

    costs = [
        sum(window.tiers[tier].cpu_ms_per_transaction for tier in ("web+services", "database"))
        for side in (SOAP_BEHIND, SOAP)
        for window in findings.of(side, 60)
    ]
    assert ratio_of(one) == pytest.approx(costs[0] / costs[1])


def test_the_report_shows_both_ratios_labelled_and_ranks_neither(tmp_path: Path) -> None:
    four = (SOAP, SOAP_BEHIND, JSON, JSON_BEHIND)
    folder = write_synthetic(tmp_path, Shape(combinations=four, repeats=1, loads=(10,)))

    section = section_of(folder, "brokerage", four)

    assert "not ranked" in section
    assert "here it is CPU time per transaction at 10 users. " in section
    assert "1.89" in section
    assert "3,985 (printed)" in section
    assert "not in this run" in section
    assert "differs" not in section
    assert "gRPC takes the place of the binary binding" in section


def test_a_result_without_published_ratios_has_no_such_part(tmp_path: Path) -> None:
    assert 'id="published"' not in report_page(judge_folder(write_synthetic(tmp_path)))


@pytest.mark.parametrize("file", published_files(ROOT), ids=lambda file: file.stem)
def test_every_definition_of_the_checkout_fits_its_figures(file: Path) -> None:
    definition = read_published_file(file)
    run = [
        combination(**{mode: value}) for test in definition.tests.values() for mode, values in test.when.items()
        for value in values
    ]  # fmt: skip

    published = published_counterparts(ROOT, definition.spec, run)

    assert published
    found = [ratio for source in published.sources for ratio in source.ratios]
    assert {ratio.text for ratio in found} == {ratio.text for ratio in definition.ratios}
    assert all(ratio.ratio > 0 for ratio in found if ratio.ratio is not None)


@pytest.mark.parametrize(
    ("key", "message"),
    [("upper", "upper and lower belong together"), ("upper_here", "upper_here and lower_here belong together")],
)
def test_half_a_ratio_is_refused(tmp_path: Path, key: str, message: str) -> None:
    refused(tmp_path, message, lambda ratio: re.sub(rf"^{key} = .*\n", "", ratio, count=1, flags=re.MULTILINE))


def test_a_choice_that_fits_no_row_of_the_figures_is_refused(tmp_path: Path) -> None:
    message = r"expected one row of the figures with .*binding TCP-text, found 0"
    refused(tmp_path, message, lambda ratio: ratio.replace("TCP-binary", "TCP-text"))


@pytest.mark.parametrize("file", published_files(ROOT), ids=lambda file: file.stem)
def test_every_choice_that_picks_a_counterpart_is_known_to_the_specification(file: Path) -> None:
    definition = read_published_file(file)
    specification = find_specification(definition.spec, ROOT)
    sides = [side or {} for ratio in definition.ratios for side in (ratio.upper_here, ratio.lower_here)]
    of_several = [*(test.when for test in definition.tests.values()), *(ratio.also for ratio in definition.ratios)]
    chosen = {choice for side in sides for choice in side.items()}
    chosen |= {(name, value) for some in of_several for name, values in some.items() for value in values}

    assert chosen
    assert {choice: problem_with(*choice, specification, ROOT) for choice in chosen} == dict.fromkeys(chosen, "")
