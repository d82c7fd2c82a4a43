"""Case files are read strictly, and a subject's cells say which case is played where."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from small_specification import BROKERAGE, small_subject, specification_with

from middlemark.conformance.cases.known import KnownFailure, missed, read_known, tell_apart
from middlemark.conformance.cases.suite import read_cases
from middlemark.conformance.comparison.pages.canonical import page_cases
from middlemark.conformance.execution.cell import cells
from middlemark.conformance.execution.order import VerifyOrder, chosen_cases
from middlemark.conformance.execution.party import Party, parties
from middlemark.conformance.execution.unit import units_of
from middlemark.conformance.result import Failure, Play, PlayOutcome
from middlemark.errors import InputError

CASE = "cases: [{name: a case of its own, steps: [%s]}]"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (CASE % "{call: getQuot}", "2: there is no operation 'getQuot'. Did you mean 'getQuote'?"),
        (CASE % "{calls: getQuote}", "2: cases.0.steps.0: a step has exactly one of call, get, post"),
        (CASE % "{get: /, post: /}", "2: cases.0.steps.0: a step has exactly one of call, get, post"),
        (CASE % "{get: /, expct: {}}", "unknown key 'expct'. Did you mean 'expect'?"),
        (CASE % "{get: 'no path'}", "'no path' is no path"),
        (CASE % "{call: ping, answer: {fee: 24.95}}", "24.95 is read as a float; put it between quotes"),
        (CASE % "{call: ping, answer: {time: 2020-01-01}}", "the only time that can be expected is {time: now}"),
        (CASE % "{call: ping, answer: {when: 2020-01-01}}", "is read as a date; put it between quotes"),
        (CASE % "{call: ping, answer: {a: {pattern: '('}}}", "'(' is no regular expression"),
        (CASE % "{call: ping, answer: {}, refused: {code: x}}", "a call is answered or refused, not both"),
        (CASE % "{sql: SELECT 1, within: 5s}", "without rows there is nothing to wait for"),
        (CASE % "{sql: SELECT 1, rows: [['1']], within: 5}", "is no duration"),
        (CASE % "{wait: soon}", "'soon' is no duration"),
        (CASE % "{settle: accounts}", "Input should be 'orders'"),
        (CASE % "{at_once: [[{get: /}]]}", "at least 2 items"),
        (CASE % "{get: /, expect: {look: [{at: a, count: 0, text: x}]}}", "with count 0 there is no text"),
        (
            CASE % "{get: /, expect: {look: [{at: 'td['}]}}",
            "2: cases.0.steps.0.get.expect.look.0.at: 'td[' is no CSS selector",
        ),
        (CASE % "{get: /, expect: {look: [{at: 'td:frist-child'}]}}", "The pseudo-class :frist-child is unknown"),
        (CASE % "{get: /, expect: {look: [{at: 'm|td'}]}}", "'m|td' is no CSS selector: Undefined namespace prefix"),
        (CASE % "{get: /, expect: {look: [{at: 'td[${n}'}]}}", "'td[${n}' is no CSS selector"),
        (CASE % "{get: /, capture: {h: {at: '.'}}}", "'.' is no CSS selector"),
        (CASE % "{get: /, expect: {look: [{at: td, matches: '${n}('}]}}", "'${n}(' is no regular expression"),
        (CASE % "{send: {path: /}, expect: {body_matches: '[a'}}", "'[a' is no regular expression"),
        (CASE % "{send: {path: /}, expect: {xml: [{at: '//m:a['}]}}", "'//m:a[' is no XPath"),
        (CASE % "{send: {path: /}, expect: {xml: [{at: '//soup:Body'}]}}", "is no XPath: Undefined namespace prefix"),
        (CASE % "{send_grpc: {method: Ping, hex: '0g'}, status: OK}", "send_grpc.hex: String should match pattern"),
        (CASE % "{send_grpc: {method: Ping}, status: FINE}", "send_grpc.status: Input should be 'OK'"),
        (CASE % "{get: /, expect: {file: a.png}, capture: {x: {at: h1}}}", "a file is compared whole"),
        (CASE % "{send: {path: /}, user: x}", "a user logs in with a browser; say which with `as`"),
        ("settings: {MM_SESSION_SECOND: '1'}\n" + CASE % "{get: /}", "Did you mean 'MM_SESSION_SECONDS'?"),
        ("cases: [{name: a case of its own, steps: []}]", "at least 1 item"),
        ("cases: []", "at least 1 item"),
        ("cases: [{name: a case of its own, bindings: [rest], steps: [{get: /}]}]", "'json', 'soap' or 'grpc'"),
        (
            "cases: [{name: a case of its own, fails: [{table: x, on: read, times: 1}], steps: [{get: /}]}]",
            "on: read takes neither sqlstate nor times",
        ),
        ("cases: [{name: a case of its own, rule: sel, steps: [{get: /}]}]", "no rule 'sel'. Did you mean 'sell'?"),
        (CASE % '{get: "/a?b=${zz}"}', "2: no step before this one captures 'zz'"),
        (
            CASE % '{get: /, capture: {a: {at: p}}}, {call: ping, with: {x: [{y: "${b}"}]}}',
            "captures 'b'. Known here: a",
        ),
        (CASE % '{get: "/${a}", capture: {a: {at: p}}}', "captures 'a'"),
        (CASE % '{at_once: [[{get: /, capture: {a: {at: p}}}], [{get: "/${a}"}]]}, {get: /}', "captures 'a'"),
        (CASE % '{sql: "SELECT ${number}", rows: [["1"]]}', "captures 'number'"),
        (
            "cases:\n- {name: a case of its own, steps: [{get: /}]}\n- {name: a case of its own, steps: [{get: /}]}",
            "topic.yaml:4: the case at",
        ),
    ],
)
def test_a_wrong_file_is_told_with_its_line(tmp_path: Path, content: str, told: str) -> None:
    spec = specification_with(tmp_path, topic=content)
    with pytest.raises(InputError) as error:
        read_cases(spec)
    assert told in str(error.value)
    assert str(error.value).startswith(f"{spec / 'cases' / 'topic.yaml'}:")


def test_all_mistakes_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    spec = specification_with(
        tmp_path,
        first="""
cases:
- {name: two wrong steps, steps: [{get: nowhere}, {wait: soon}]}
- {name: a right case of its own, steps: [{get: /}]}
- {name: nothing captures it, rule: sel, steps: [{get: /}, {get: "/${zz}"}]}
- name: a name given twice
  steps: [{get: /}]
  steps: [{get: /}]
""",
        second="cases: [",
        third=CASE % "{call: getQuot}",
    )
    (tmp_path / "platforms").mkdir()
    command = [sys.executable, "-m", "middlemark", "verify", "--check-cases"]

    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    told = [line.removeprefix(f"middlemark: {spec / 'cases'}/") for line in done.stderr.splitlines()]
    assert [line.partition(" ")[0] for line in told] == [
        "first.yaml:9:", "first.yaml:4:", "first.yaml:4:", "first.yaml:6:", "first.yaml:6:", "second.yaml:2:",
        "third.yaml:2:",
    ]  # fmt: skip
    assert done.stdout == "7 mistakes in the cases of brokerage.\n"
    assert done.returncode == 2


def test_one_case_is_no_plural(tmp_path: Path) -> None:
    specification_with(tmp_path, topic=CASE % "{get: /}")
    (tmp_path / "platforms").mkdir()
    command = [sys.executable, "-m", "middlemark", "verify", "--check-cases"]

    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, "1 case can be read.\n", "")


@pytest.mark.parametrize(
    "step",
    [
        "{get: /, expect: {look: [{at: '#row-${n}'}, {at: '.${kind}:nth-child(${n})'}, {at: 'a[href=\"${where}\"]'}]}}",
        "{get: /, capture: {h: {at: 'tr:nth-child(${n}) td'}}}",
        "{get: /, expect: {look: [{at: td, matches: '(${n})+ ${+*3}'}]}}",
        "{send: {path: /}, expect: {xml: [{at: '//m:a[${n}]/soap:b[.=\"${x*3}\"]'}]}}",
    ],
)
def test_names_may_stand_where_words_and_numbers_do(tmp_path: Path, step: str) -> None:
    names = "{get: /, capture: {n: {at: p}, kind: {at: p}, where: {at: p}}}"
    assert len(read_cases(specification_with(tmp_path, topic=CASE % f"{names}, {step}"))) == 1


@pytest.mark.parametrize("outer", ["{hold: SELECT 1, during: [%s]}", "{repeat: 2, steps: [%s]}"])
def test_what_is_captured_inside_a_step_is_known_after_it(tmp_path: Path, outer: str) -> None:
    steps = outer % "{get: /, capture: {n: {at: p}}}" + ', {get: "/${n}"}'
    assert len(read_cases(specification_with(tmp_path, topic=CASE % steps))) == 1


def test_the_cases_of_the_project_can_be_read_and_every_rule_of_the_specification_has_one() -> None:
    cases = read_cases(BROKERAGE)
    assert len(cases) > 100
    assert {"register", "login", "logout", "buy", "sell"} <= {placed.case.rule for placed in cases}


def test_every_canonical_page_is_a_case() -> None:
    pages = page_cases(BROKERAGE)
    files = {path.name for path in (BROKERAGE / "pages").glob("*.html")}
    assert {f"The page {file} equals the canonical one." for file in files} == {one.case.name for one in pages}
    assert all(placed.where.endswith(f":{line}") for placed, line in zip(pages, _lines("[[page]]"), strict=True))


def _lines(text: str) -> list[int]:
    lines = (BROKERAGE / "pages" / "pages.toml").read_text(encoding="utf-8").splitlines()
    return [number for number, line in enumerate(lines, start=1) if line == text]


PLAYED = """
cases:
  - {name: a page, steps: [{get: /}]}
  - {name: a call, steps: [{call: ping}]}
  - {name: everywhere, tags: [interop], steps: [{get: /}, {call: ping}]}
  - {name: only sync orders, orders: [sync], tags: [interop], steps: [{get: /}]}
  - {name: only queued orders, orders: [async-queue], steps: [{call: ping}]}
  - {name: only over json, bindings: [json], steps: [{send: {path: /services/json/ping}}]}
  - {name: only over soap, bindings: [soap], steps: [{call: ping}]}
""".replace("name: ", "name: case of ")
TAGGED_CALL = """
  - {name: case of services alone, tags: [interop], steps: [{call: ping}]}
"""


def test_the_complete_cell_plays_everything_and_the_others_what_is_tagged_or_names_their_orders(tmp_path: Path) -> None:
    cases = read_cases(specification_with(tmp_path, topic=PLAYED))
    subject = small_subject(("local", "json", "grpc"), ("sync", "async-queue"))
    played = {
        cell.name: sorted(
            f"{placed.case.name.removeprefix('case of ')} {binding}".strip() for placed, binding in cell.plays(cases)
        )
        for cell in cells(subject)
    }
    assert played == {
        "data-access=pgx, binding=local, orders=sync": [
            "a call grpc", "a call json", "a page", "everywhere grpc", "everywhere json", "only over json",
            "only sync orders",
        ],
        "data-access=pgx, binding=json, orders=sync": ["everywhere json", "only sync orders"],
        "data-access=pgx, binding=grpc, orders=sync": ["everywhere grpc", "only sync orders"],
        "data-access=pgx, binding=local, orders=async-queue": [
            "everywhere grpc", "everywhere json", "only queued orders grpc", "only queued orders json",
        ],
    }  # fmt: skip


def test_the_web_tier_of_each_subject_plays_tagged_pages_on_the_services_of_each_other(tmp_path: Path) -> None:
    cases = read_cases(specification_with(tmp_path, topic=PLAYED + TAGGED_CALL))
    go = small_subject(("local", "json", "grpc"), ("sync", "async-queue"))
    other = replace(small_subject(("local", "soap", "json", "grpc"), ("async-queue", "sync")), name="other@server")
    alone = replace(small_subject(("local", "soap")), name="alone")
    played = {
        (party.name, cell.name): [
            f"{placed.case.name.removeprefix('case of ')} {binding}".strip() for placed, binding in cell.plays(cases)
        ]
        for party in parties([go, other, go, alone], cases)
        if party.web
        for cell in party.cells
    }
    over_soap = ["everywhere soap", "only sync orders"]
    assert played == {
        ("go on other@server", "data-access=pgx, binding=json, orders=async-queue"): ["everywhere json"],
        ("go on other@server", "data-access=pgx, binding=grpc, orders=async-queue"): ["everywhere grpc"],
        ("other@server on go", "data-access=pgx, binding=json, orders=sync"): ["everywhere json", "only sync orders"],
        ("other@server on go", "data-access=pgx, binding=grpc, orders=sync"): ["everywhere grpc", "only sync orders"],
        ("other@server on alone", "data-access=pgx, binding=soap, orders=sync"): over_soap,
        ("alone on other@server", "data-access=pgx, binding=soap, orders=sync"): over_soap,
    }  # fmt: skip


def test_tiers_are_not_mixed_where_no_case_would_be_played(tmp_path: Path) -> None:
    cases = read_cases(specification_with(tmp_path, topic=f"cases:{TAGGED_CALL}"))
    subjects = [small_subject(), replace(small_subject(), name="other")]
    assert [party.name for party in parties(subjects, cases)] == ["go", "other"]


def test_cases_with_equal_settings_share_an_application_and_many_are_dealt_out(tmp_path: Path) -> None:
    many = "cases:\n" + "\n".join(f"  - {{name: case number {n}, steps: [{{get: /}}]}}" for n in range(401))
    other = "settings: {MM_SESSION_SECONDS: '2'}\n" + CASE % "{get: /}"
    cases = read_cases(specification_with(tmp_path, many=many, other=other))
    units = units_of(0, Party(small_subject(("local",))), cases, jobs=2)
    assert [(dict(unit.settings), len(unit.plays)) for unit in units] == [
        ({}, 201),
        ({}, 200),
        ({"MM_SESSION_SECONDS": "2"}, 1),
    ]


def test_a_selection_without_cases_is_wrong_input(tmp_path: Path) -> None:
    spec = specification_with(tmp_path, topic=CASE % "{get: /}")
    order = VerifyOrder(tmp_path, spec, (small_subject(),), tmp_path)
    cases = read_cases(spec)
    with pytest.raises(InputError, match="no case holds nothing like it"):
        chosen_cases(VerifyOrder(tmp_path, spec, order.subjects, tmp_path, only=("nothing like it",)), cases)
    with pytest.raises(InputError, match="Did you mean 'a case of its own'"):
        chosen_cases(VerifyOrder(tmp_path, spec, order.subjects, tmp_path, names=("a case of its",)), cases)
    assert chosen_cases(VerifyOrder(tmp_path, spec, order.subjects, tmp_path, only=("CASE OF",)), cases) == cases


def failed(*texts: str, binding: str = "json") -> Play:
    """Return a play that failed with these texts."""
    return Play(
        case="a case", topic="t", rule="", where="t.yaml:1", cell="c", binding=binding,
        outcome=PlayOutcome.FAILED if texts else PlayOutcome.PASSED,
        failures=tuple(Failure(where="t.yaml:2", step="step 1", text=text) for text in texts),
    )  # fmt: skip


KNOWN = KnownFailure(case="a case", subject="go", text="the known text", reason="it is being mended")


def test_a_known_failure_is_told_apart_and_masks_no_other() -> None:
    known = tell_apart("go", failed("here is the known text"), [KNOWN])
    assert (known.outcome, known.failures[0].known) == (PlayOutcome.KNOWN, "it is being mended")
    both = tell_apart("go", failed("here is the known text", "another one"), [KNOWN])
    assert (both.outcome, [one.known for one in both.failures]) == (PlayOutcome.FAILED, ["it is being mended", ""])
    assert tell_apart("go", failed("another one"), [KNOWN]).outcome is PlayOutcome.FAILED
    assert tell_apart("jakarta", failed("the known text"), [KNOWN]).outcome is PlayOutcome.FAILED


def test_a_known_failure_that_passes_is_missed() -> None:
    assert missed("go", [failed("the known text")], [KNOWN]) == []
    assert len(missed("go", [failed()], [KNOWN])) == 1
    assert len(missed("go", [failed("another one")], [KNOWN])) == 1
    over_soap = KNOWN.model_copy(update={"binding": "soap"})
    assert missed("go", [failed(), failed("the known text", binding="soap")], [over_soap]) == []


def test_a_known_failure_names_a_case_that_is_there(tmp_path: Path) -> None:
    spec = specification_with(tmp_path, topic=CASE % "{get: /}")
    known = 'version = 1\n[[known]]\ncase = "%s"\nsubject = "go"\ntext = "some text"\nreason = "some reason"\n'
    file = spec / "cases" / "known-failures.toml"
    file.write_text(known % "a case of its own", encoding="utf-8")
    assert len(read_known(spec, read_cases(spec))) == 1
    file.write_text(known % "a case of nobody", encoding="utf-8")
    with pytest.raises(InputError, match="there is no case 'a case of nobody'"):
        read_known(spec, read_cases(spec))
