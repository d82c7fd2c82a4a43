"""The papers' ratios and their counterparts in a run: read from the published figures, labelled, never ranked."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from synthetic_result import Shape, write_synthetic

from conftest import ROOT
from middlemark.errors import InputError
from middlemark.experiment.experiment_check import problem_with
from middlemark.experiment.published import published_counterparts, published_files, read_published_file
from middlemark.records.folder import read_result, write_json
from middlemark.records.placement import Placement
from middlemark.records.published import PUBLISHED, PublishedRatio, RatioOf
from middlemark.records.run import Combination
from middlemark.report.page import report_page
from middlemark.specification.specification import find_specification
from middlemark.verdict.counterparts import counterparts
from middlemark.verdict.naming import label


def combination(**modes: str) -> Combination:
    path = "go/" + ",".join(f"{mode}={value}" for mode, value in modes.items())
    return Combination(subject="go", modes=modes, label=label("go", modes), path=path)


SOAP, SOAP_BEHIND = (combination(binding="soap", reverse_proxy=proxy) for proxy in ("none", "nginx"))
JSON, JSON_BEHIND = (combination(binding="json", reverse_proxy=proxy) for proxy in ("none", "nginx"))
JDBC, JPA = (combination(**{"binding": "local", "orders": "sync", "data-access": d}) for d in ("jdbc", "jpa"))


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
    published = published_counterparts(ROOT, "brokerage", (JDBC, JPA))
    assert published
    write_json(folder / PUBLISHED, published)
    result = read_result(folder)
    every = [ratio for source in published.sources for ratio in source.ratios]
    here = [pair.comparison.ratio for ratio in every for pair in counterparts(result, ratio)]

    page = report_page(result)

    section = page.partition('id="published"')[2].partition("<h3")[0]
    rows = [row for row in section.split("<tr>") if "plain JDBC" in row]
    assert len(rows) == 3
    web = next(row for row in rows if "web application" in row)
    assert "nothing survives" in web
    assert len(here) == 1
    assert f"{here[0]:.2f} ×" in web
    assert all(
        "not in this run" in row and shown in row for row, shown in zip(rows[1:], ("1.67 ×", "1.77 ×"), strict=True)
    )


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
    placed = Placement(cpus={"driver": (0,), "sut": (1,)}, shared=False)
    # The point of the handler with 60 users does not count, so that its peak is at 30.
    shape = Shape(combinations=WEB_SERVER, repeats=1, loads=(30, 60), placement=placed, error_points=frozenset({3}))
    folder = write_synthetic(tmp_path, shape)
    result, sides = read_result(folder), ({"binding": "local"}, {"binding": "json"})
    verdicts = [result.of(c, load)[0].verdict for c, load in zip(WEB_SERVER, (60, 30), strict=True)]
    assert verdicts[0]
    assert verdicts[1]

    for ratio in efficiencies(*WEB_SERVER):
        static, handler = sides if ratio.of is RatioOf.RESPONSE_TIME else sides[::-1]
        here = {"upper_here": ratio.upper_here | static, "lower_here": ratio.lower_here | handler}  # type: ignore[operator]
        found = counterparts(result, ratio.model_copy(update=here))
        if ratio.system.endswith("4 CPUs"):
            assert found == []
        elif ratio.of is RatioOf.THROUGHPUT:
            assert found[0].loads == (30, 60)
            assert found[0].comparison.ratio == pytest.approx(verdicts[1].throughput_tps / verdicts[0].throughput_tps)
        else:
            assert found[0].loads == (60, 30)
            assert found[0].comparison.ratio == pytest.approx(verdicts[0].total.mean_ms / verdicts[1].total.mean_ms)


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
    for point in read_result(folder).of(SOAP_BEHIND, 60):
        assert point.verdict
        write_json(point.folder / "verdict.json", point.verdict.model_copy(update={"mean_body_bytes": size}))

    (pair,) = counterparts(read_result(folder), ratio)

    assert (pair.reason, pair.comparison.ratio is None) == (reason, bool(reason))


def test_only_connections_that_are_not_kept_have_a_counterpart(tmp_path: Path) -> None:
    kept = tuple(one.model_copy(update={"modes": one.modes | {"http": "1.1"}}) for one in WEB_SERVER)
    result = read_result(write_synthetic(tmp_path, Shape(combinations=kept, repeats=1, loads=(10,))))
    assert [pair for ratio in efficiencies(*kept) for pair in counterparts(result, ratio)] == []


def test_the_report_has_a_matrix_of_the_servers_of_the_paper_with_reasons_and_notes(tmp_path: Path) -> None:
    subjects = (*WEB_SERVER, combination(binding="soap", session="template", http="1.0"))
    folder = write_synthetic(tmp_path, Shape(combinations=subjects, repeats=1, loads=(10,)))
    published = published_counterparts(ROOT, "spice", subjects)
    assert published
    write_json(folder / PUBLISHED, published)

    page = report_page(read_result(folder))

    section = page.partition('id="published"')[2].partition("<h3")[0]
    assert "published: iPlanet Web Server EE 4.0, 4 CPUs" in section
    assert '<data value="0.39144617615077926">0.39</data>' in section
    assert "not run: the JSP engine needed an older Java version" in section
    assert "throughput or mean response time, each side at its own peak" in section
    assert "<strong>jsp</strong>" in section


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('of = "throughput"\ntiers = ["services"]', "a ratio of costs needs tiers, and no other one has any"),
        ('of = "throughput"\neach_here = { server = "cpus" }', "'server' in each_here is not among each"),
        ('of = "response_time"\n', "a ratio of response_time needs the column of response_time"),
    ],
)
def test_a_key_that_does_nothing_is_refused(tmp_path: Path, line: str, message: str) -> None:
    shutil.copytree(ROOT / "published", tmp_path / "published")
    file = tmp_path / "published" / "brokerage-2008.toml"
    before, _, after = file.read_text(encoding="utf-8").partition('[[ratios]]\ntest = "web service"')
    after = after.replace('tiers = ["services"]', line, 1)
    file.write_text(f'{before}[[ratios]]\ntest = "web service"{after}', encoding="utf-8")

    with pytest.raises(InputError, match=re.escape(message)):
        published_counterparts(tmp_path, "brokerage", [SOAP])


def test_every_pair_that_agrees_in_everything_else_is_a_counterpart(tmp_path: Path) -> None:
    both = ({"binding": binding, "instances.web": number} for number in ("1", "3") for binding in ("soap", "json"))
    pairs = [combination(reverse_proxy="none", **choices) for choices in both]
    ratio = ratios(SOAP)[0].model_copy(update={"lower_here": {"binding": "json"}, "tiers": ("web+services",)})
    result = read_result(write_synthetic(tmp_path, Shape(combinations=tuple(pairs), repeats=4, loads=(60,))))

    found = counterparts(result, ratio)

    assert [(pair.upper, pair.lower) for pair in found] == [(pairs[0], pairs[1]), (pairs[2], pairs[3])]
    for pair in found:
        cost = {
            c.path: [p.verdict.tiers["web+services"].cpu_ms_per_transaction for p in result.of(c, 60) if p.verdict]
            for c in (pair.upper, pair.lower)
        }
        assert pair.comparison.ratio == pytest.approx(cost[pair.upper.path][0] / cost[pair.lower.path][0], rel=0.1)


def test_the_tiers_of_both_sides_are_added_and_a_missing_one_is_no_cost(tmp_path: Path) -> None:
    ratio = ratios(SOAP)[1].model_copy(update={"tiers": ("web+services", "database", "reverse-proxy")})
    shape = Shape(combinations=(SOAP, SOAP_BEHIND), repeats=1, loads=(60,))
    result = read_result(write_synthetic(tmp_path, shape))

    (pair,) = counterparts(result, ratio)

    costs = [
        sum(p.verdict.tiers[tier].cpu_ms_per_transaction for tier in ("web+services", "database"))
        for c in (SOAP_BEHIND, SOAP)
        for p in result.of(c, 60)
        if p.verdict
    ]
    assert pair.comparison.ratio == pytest.approx(costs[0] / costs[1])


def test_the_report_shows_both_ratios_labelled_and_ranks_neither(tmp_path: Path) -> None:
    four = (SOAP, SOAP_BEHIND, JSON, JSON_BEHIND)
    folder = write_synthetic(tmp_path, Shape(combinations=four, repeats=1, loads=(10,)))
    published = published_counterparts(ROOT, "brokerage", four)
    assert published
    write_json(folder / PUBLISHED, published)

    page = report_page(read_result(folder))

    section = page.partition('id="published"')[2].partition("<h3")[0]
    assert "not ranked" in section
    assert "here it is CPU time per transaction at 10 users. " in section
    assert "1.89" in section
    assert "3,985 (printed)" in section
    assert "not in this run" in section
    assert "differs" not in section
    assert "gRPC takes the place of the binary binding" in section


def test_a_result_without_published_ratios_has_no_such_part(tmp_path: Path) -> None:
    assert 'id="published"' not in report_page(read_result(write_synthetic(tmp_path)))


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
    shutil.copytree(ROOT / "published", tmp_path / "published")
    file = tmp_path / "published" / "brokerage-2008.toml"
    before, _, after = file.read_text(encoding="utf-8").partition('[[ratios]]\ntest = "web service"')
    after = re.sub(rf"^{key} = .*\n", "", after, count=1, flags=re.MULTILINE)
    file.write_text(f'{before}[[ratios]]\ntest = "web service"{after}', encoding="utf-8")

    with pytest.raises(InputError, match=message):
        published_counterparts(tmp_path, "brokerage", [SOAP])


def test_a_choice_that_fits_no_row_of_the_figures_is_refused(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "published", tmp_path / "published")
    file = tmp_path / "published" / "brokerage-2008.toml"
    file.write_text(file.read_text(encoding="utf-8").replace("TCP-binary", "TCP-text"), encoding="utf-8")

    with pytest.raises(InputError, match=r"expected one row of the figures with .*binding TCP-text, found 0"):
        published_counterparts(tmp_path, "brokerage", [SOAP])


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
