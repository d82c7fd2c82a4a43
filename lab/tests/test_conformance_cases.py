"""Case files are read strictly, and a subject's configurations say which case runs where."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from small_specification import ROOT, small_subject, specification_with

from middlemark.conformance.cases.suite import Placed, read_cases, read_tagged_cases
from middlemark.conformance.comparison.pages.canonical import page_cases
from middlemark.conformance.execution.configuration import Configuration, configurations
from middlemark.conformance.execution.pairing import Pairing, pairings
from middlemark.conformance.execution.request import VerifyRequest, chosen_cases
from middlemark.conformance.execution.unit import chains_of, units_of
from middlemark.errors import InputError
from middlemark.specification.specification import find_specification

BROKERAGE = find_specification("brokerage", ROOT)
CASE = "cases: [{name: a case of its own, steps: [%s]}]"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (CASE % "{call: getQuot}", "2: 'getQuot' is not an operation. Did you mean 'getQuote'?"),
        (CASE % "{calls: getQuote}", "2: cases.0.steps.0: a step has exactly one of call, get, post"),
        (CASE % "{get: /, post: /}", "2: cases.0.steps.0: a step has exactly one of call, get, post"),
        (CASE % "{get: /, expct: {}}", "unknown key 'expct'. Did you mean 'expect'?"),
        (CASE % "{get: 'no path'}", "'no path' is not a path"),
        (CASE % "{call: ping, response: {fee: 24.95}}", "24.95 is read as a float; put it between quotes"),
        (CASE % "{call: ping, response: {time: 2020-01-01}}", "the only time that can be expected is {time: now}"),
        (CASE % "{call: ping, response: {when: 2020-01-01}}", "is read as a date; put it between quotes"),
        (CASE % "{call: ping, response: {a: {pattern: '('}}}", "'(' is not a regular expression"),
        (CASE % "{call: ping, response: {}, refused: {code: x}}", "a call has a response or is refused, not both"),
        (CASE % "{sql: SELECT 1, within: 5s}", "without rows there is nothing to wait for"),
        (CASE % "{sql: SELECT 1, rows: [['1']], within: 5}", "is not a duration"),
        (CASE % "{wait: soon}", "'soon' is not a duration"),
        (CASE % "{settle: accounts}", "'accounts' is not unfinished work. Known here: orders"),
        (CASE % "{at_once: [[{get: /}]]}", "expected at least 2 elements"),
        (CASE % "{get: /, expect: {look: [{at: a, count: 0, text: x}]}}", "with count 0 neither text nor attributes"),
        (
            CASE % "{get: /, expect: {look: [{at: 'td['}]}}",
            "2: cases.0.steps.0.get.expect.look.0.at: 'td[' is not a CSS selector",
        ),
        (CASE % "{get: /, expect: {look: [{at: 'td:frist-child'}]}}", "The pseudo-class :frist-child is unknown"),
        (CASE % "{get: /, expect: {look: [{at: 'm|td'}]}}", "'m|td' is not a CSS selector: Undefined namespace prefix"),
        (CASE % "{get: /, expect: {look: [{at: 'td[${n}'}]}}", "'td[${n}' is not a CSS selector"),
        (CASE % "{get: /, capture: {h: {at: '.'}}}", "'.' is not a CSS selector"),
        (CASE % "{get: /, expect: {look: [{at: td, matches: '${n}('}]}}", "'${n}(' is not a regular expression"),
        (CASE % "{send: {path: /}, expect: {body_matches: '[a'}}", "'[a' is not a regular expression"),
        (CASE % "{send: {path: /}, expect: {xml: [{at: '//m:a['}]}}", "'//m:a[' is not an XPath"),
        (
            CASE % "{send: {path: /}, expect: {xml: [{at: '//soup:Body'}]}}",
            "is not an XPath: Undefined namespace prefix",
        ),
        (CASE % "{send_grpc: {method: Ping, hex: '0g'}, status: OK}", "send_grpc.hex: '0g' does not match the pattern"),
        (CASE % "{send_grpc: {method: Ping}, status: FINE}", "send_grpc.status: expected 'OK'"),
        (CASE % "{send_grpc: {method: Ping}}", "ends with a status, or is refused because it is malformed"),
        (CASE % "{send_grpc: {method: Ping}, status: OK, malformed: true}", "name one of the two"),
        (
            CASE % "{send_grpc: {method: Ping}, malformed: true, code: internal}",
            "how malformed input is refused is open",
        ),
        (CASE % "{send_grpc: {method: Ping}, status: [OK]}", "expected at least 2 elements"),
        (CASE % "{get: /, malformed: true, expect: {status: 400}}", "nothing else is expected of it"),
        (CASE % "{send: {path: /}, malformed: true, may_refuse: true}", "nothing else is expected of it"),
        (CASE % "{get: /, malformed: true, capture: {x: {at: p}}}", "may have no page to keep a value of"),
        (CASE % "{send: {path: /}, may_refuse: true, capture: {x: {header: y}}}", "may have no header to keep"),
        (CASE % "{get: /, within: 1s, until: 1s}", "repeated `within` an outage or `until`"),
        (CASE % "{get: /, expect: {status: 6xx}}", "status: '6xx' does not match the pattern ^[2-5]xx$"),
        (CASE % "{get: /, expect: {status: [200]}}", "status: expected at least 2 elements, found 1"),
        (CASE % "{get: /, expect: {status: [200, 99]}}", "status.1: expected 200 or more, found 99"),
        (CASE % "{call: ping, refused: malformd}", "refused: expected 'malformed', found 'malformd'"),
        (CASE % "{call: ping, may_refuse: true}", "say what the response is unless the call is refused"),
        (
            CASE % "{call: ping, response: {}, may_refuse: true, capture: {x: y}}",
            "may have no response to keep a value",
        ),
        (CASE % "{notified: x, during: [{get: /}]}", "the key 'times' is missing"),
        (
            "cases: [{name: a case of its own, changes: some, steps: [{get: /}]}]",
            "changes: expected 'nothing', found 'some'",
        ),
        (CASE % "{get: /, expect: {file: sessions/a.txt}}", "sessions/ holds what virtual users send"),
        (CASE % "{get: /, expect: {file: a.png}, capture: {x: {at: h1}}}", "a file is compared whole"),
        (CASE % "{send: {path: /}, user: x}", "a user logs in with a browser; say which with `as`"),
        ("settings: {MM_SESSION_SECOND: '1'}\n" + CASE % "{get: /}", "Did you mean 'MM_SESSION_SECONDS'?"),
        ("cases: [{name: a case of its own, steps: []}]", "expected at least 1 element"),
        ("cases: []", "expected at least 1 element"),
        ("cases: [{name: a case of its own, interfaces: [rest], steps: [{get: /}]}]", "'rest' is not an interface"),
        (
            "cases:\n- name: a case of its own\n  needs: {features: [config-pag]}\n  steps: [{get: /}]",
            "4: 'config-pag' is not a feature. Did you mean 'config-page'?",
        ),
        ("cases: [{name: a case of its own, needs: {roles: [clerk]}, steps: [{get: /}]}]", "'clerk' is not a role"),
        (
            "cases: [{name: a case of its own, needs: {modes: {binding: [rest]}}, steps: [{get: /}]}]",
            "'rest' is not a value of binding",
        ),
        (
            "cases: [{name: a case of its own, needs: {interfaces: [rest]}, steps: [{get: /}]}]",
            "'rest' is not an interface",
        ),
        (
            "cases: [{name: a case of its own, fails: [{table: x, on: read, times: 1}], steps: [{get: /}]}]",
            "on: read takes neither sqlstate nor times",
        ),
        (
            "cases: [{name: a case of its own, rule: sel, steps: [{get: /}]}]",
            "'sel' is not a rule of the specification. Did you mean 'sell'?",
        ),
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
def test_a_wrong_file_is_reported_with_its_line(tmp_path: Path, content: str, text: str) -> None:
    spec = specification_with(tmp_path, topic=content)
    with pytest.raises(InputError) as error:
        read_cases(spec)
    assert text in str(error.value)
    assert str(error.value).startswith(f"{spec.folder / 'cases' / 'topic.yaml'}:")


def test_a_rule_may_stand_in_a_page_beside_the_readme(tmp_path: Path) -> None:
    spec = specification_with(
        tmp_path, topic="cases: [{name: a case of its own, rule: rounding of money, steps: [{get: /}]}]"
    )
    (spec.folder / "money.md").write_text("# Money\n\n## Rounding of money\n", encoding="utf-8")
    assert [placed.case.rule for placed in read_cases(spec)] == ["rounding of money"]


def test_all_mistakes_of_all_files_are_reported_at_once(tmp_path: Path) -> None:
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

    text = [line.removeprefix(f"middlemark: {spec.folder / 'cases'}/") for line in done.stderr.splitlines()]
    assert [line.partition(" ")[0] for line in text] == [
        "first.yaml:9:", "first.yaml:4:", "first.yaml:4:", "first.yaml:6:", "first.yaml:6:", "second.yaml:2:",
        "third.yaml:2:",
    ]  # fmt: skip
    assert done.stdout == "7 mistakes in brokerage.\n"
    assert done.returncode == 2


@pytest.mark.parametrize("name", ["more.yml", "deeper/more.yaml", "MORE.YAML"])
def test_a_file_of_cases_that_would_not_be_read_is_a_mistake(tmp_path: Path, name: str) -> None:
    spec = specification_with(tmp_path, topic=CASE % "{get: /}")
    file = spec.folder / "cases" / name
    file.parent.mkdir(exist_ok=True)
    file.touch()
    with pytest.raises(InputError, match=rf"{name}: this file would not be read\. Call it .*/cases/(more|MORE)\.yaml"):
        read_cases(spec)


def test_one_case_is_not_a_plural(tmp_path: Path) -> None:
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
    files = {path.name for path in (BROKERAGE.folder / "pages").glob("*.html")}
    assert {f"The page {file} equals the canonical one." for file in files} == {one.case.name for one in pages}
    assert all(placed.where.endswith(f":{line}") for placed, line in zip(pages, _lines("[[page]]"), strict=True))


def _lines(text: str) -> list[int]:
    lines = (BROKERAGE.folder / "pages" / "pages.toml").read_text(encoding="utf-8").splitlines()
    return [number for number, line in enumerate(lines, start=1) if line == text]


RUN = """
cases:
  - {name: a page, steps: [{get: /}]}
  - {name: a call, steps: [{call: ping}]}
  - {name: everywhere, tags: [interop], steps: [{get: /}, {call: ping}]}
  - {name: only sync orders, modes: {orders: [sync]}, tags: [interop], steps: [{get: /}]}
  - {name: only queued orders, modes: {orders: [async-queue]}, steps: [{call: ping}]}
  - {name: only over json, interfaces: [json], steps: [{send: {path: /services/json/ping}}]}
  - {name: only over soap, interfaces: [soap], steps: [{call: ping}]}
""".replace("name: ", "name: case of ")
TAGGED_CALL = """
  - {name: case of services alone, tags: [interop], steps: [{call: ping}]}
"""


def executions_in(configuration: Configuration, cases: Sequence[Placed]) -> list[str]:
    """Return the names of the cases that run in a configuration, each with its interface."""
    executions = configuration.executions(cases)
    return [f"{placed.case.name.removeprefix('case of ')} {interface}".strip() for placed, interface, _ in executions]


def test_the_complete_configuration_runs_everything_and_the_others_what_is_tagged_or_names_their_value(
    tmp_path: Path,
) -> None:
    cases = read_cases(specification_with(tmp_path, topic=RUN))
    subject = small_subject(("local", "json", "grpc"), ("sync", "async-queue"))
    executions = {one.name: sorted(executions_in(one, cases)) for one in configurations(subject)}
    assert executions == {
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


def test_the_front_end_of_each_subject_runs_tagged_pages_on_each_other(tmp_path: Path) -> None:
    cases = read_cases(specification_with(tmp_path, topic=RUN + TAGGED_CALL))
    go = small_subject(("local", "json", "grpc"), ("sync", "async-queue"))
    other = replace(small_subject(("local", "soap", "json", "grpc"), ("async-queue", "sync")), name="other@server")
    single = replace(small_subject(("local", "soap")), name="single")
    executions = {
        (pairing.name, one.name): executions_in(one, cases)
        for pairing in pairings([go, other, go, single], cases)
        if pairing.front_end
        for one in pairing.configurations
    }
    over_soap = ["everywhere soap", "only sync orders"]
    assert executions == {
        ("go on other@server", "data-access=pgx, binding=json, orders=async-queue"): ["everywhere json"],
        ("go on other@server", "data-access=pgx, binding=grpc, orders=async-queue"): ["everywhere grpc"],
        ("other@server on go", "data-access=pgx, binding=json, orders=sync"): ["everywhere json", "only sync orders"],
        ("other@server on go", "data-access=pgx, binding=grpc, orders=sync"): ["everywhere grpc", "only sync orders"],
        ("other@server on single", "data-access=pgx, binding=soap, orders=sync"): over_soap,
        ("single on other@server", "data-access=pgx, binding=soap, orders=sync"): over_soap,
    }  # fmt: skip


def test_subjects_are_not_paired_where_no_case_would_run(tmp_path: Path) -> None:
    cases = read_cases(specification_with(tmp_path, topic=f"cases:{TAGGED_CALL}"))
    subjects = [small_subject(), replace(small_subject(), name="other")]
    assert [pairing.name for pairing in pairings(subjects, cases)] == ["go", "other"]


def test_a_case_is_named_that_no_configuration_runs_though_the_subject_offers_its_values(tmp_path: Path) -> None:
    modes = ("{binding: [json], orders: [async-queue]}", "{orders: [async-xa]}", "{orders: [async-queue]}")
    content = [f"  - {{name: case number {n}, modes: {one}, steps: [{{get: /}}]}}" for n, one in enumerate(modes)]
    cases = read_cases(specification_with(tmp_path, topic="\n".join(["cases:", *content])))
    subject = small_subject(("local", "json"), ("sync", "async-queue"))
    [note] = Pairing(subject).notes(cases)
    assert note.endswith(f"together: case number 0 ({cases[0].where})")
    assert Pairing(subject, replace(subject, name="other")).notes(cases) == ()


def test_cases_with_equal_settings_share_an_application_and_many_are_dealt_out(tmp_path: Path) -> None:
    many = "cases:\n" + "\n".join(f"  - {{name: case number {n}, steps: [{{get: /}}]}}" for n in range(401))
    other = "settings: {MM_SESSION_SECONDS: '2'}\n" + CASE % "{get: /}"
    cases = read_cases(specification_with(tmp_path, many=many, other=other))
    units = units_of([Pairing(small_subject(("local",)))], cases, jobs=2)
    assert [(dict(unit.settings), len(unit.executions)) for unit in units] == [
        ({}, 201),
        ({}, 200),
        ({"MM_SESSION_SECONDS": "2"}, 1),
    ]


def test_configurations_that_differ_in_the_front_end_alone_follow_each_other(tmp_path: Path) -> None:
    cases = read_cases(
        specification_with(tmp_path, topic="cases: [{name: a page is asked for, tags: [interop], steps: [{get: /}]}]")
    )
    subject = small_subject(("local", "json", "soap"), ("sync", "async-queue"))
    other = replace(small_subject(("json",)), name="other")
    pairs = [Pairing(subject), Pairing(subject, other), Pairing(other)]
    chains = chains_of(units_of(pairs, cases, jobs=2), pairs)
    assert [
        [(unit.pairing, *(unit.configuration.modes[mode] for mode in ("binding", "orders"))) for unit in chain]
        for chain in chains
    ] == [
        [(0, "local", "sync")],
        [(0, "json", "sync"), (0, "soap", "sync"), (1, "json", "sync")],
        [(0, "local", "async-queue")],
        [(2, "json", "sync")],
    ]


def test_a_configuration_that_is_dealt_out_stays_so(tmp_path: Path) -> None:
    many = "cases:\n" + "\n".join(f"  - {{name: case number {n}, steps: [{{get: /}}]}}" for n in range(401))
    pairs = [Pairing(small_subject(("json",)))]
    chains = chains_of(units_of(pairs, read_cases(specification_with(tmp_path, many=many)), jobs=2), pairs)
    assert [[len(unit.executions) for unit in chain] for chain in chains] == [[201], [200]]


def test_a_selection_without_cases_is_wrong_input(tmp_path: Path) -> None:
    spec = specification_with(tmp_path, topic=CASE % "{get: /}")
    subjects = (small_subject(),)
    cases = read_cases(spec)
    with pytest.raises(InputError, match="no case holds nothing like it"):
        chosen_cases(VerifyRequest(tmp_path, spec, subjects, tmp_path, only=("nothing like it",)), cases)
    with pytest.raises(InputError, match="Did you mean 'a case of its own'"):
        chosen_cases(VerifyRequest(tmp_path, spec, subjects, tmp_path, names=("a case of its",)), cases)
    assert chosen_cases(VerifyRequest(tmp_path, spec, subjects, tmp_path, only=("CASE OF",)), cases) == cases


def test_tagged_cases_are_read_from_the_files_with_the_tag_alone(tmp_path: Path) -> None:
    for specification in (BROKERAGE, find_specification("spice", ROOT)):
        tagged = [placed.case.name for placed in read_cases(specification) if "replay" in placed.case.tags]
        assert [placed.case.name for placed in read_tagged_cases(specification, "replay")] == tagged != []
    steps = "steps: [{get: /}]"
    tags = f"cases:\n- {{name: a case with it, tags: [replay], {steps}}}\n- {{name: replay of two, {steps}}}"
    found = read_tagged_cases(specification_with(tmp_path, tagged=tags, wrong=CASE % "{gett: /}"), "replay")
    assert [placed.case.name for placed in found] == ["a case with it"]


def test_a_case_that_ends_connections_is_known_by_its_step_and_by_the_function_it_makes() -> None:
    ends = {one.case.name for one in read_cases(BROKERAGE) if one.ends_connections}
    assert "When connections to the database are lost the pages come back without a restart" in ends
    assert "A connection that ends in the middle of an order is told, and the order has not been placed" in ends
    assert "A page does not wait for orders that are under way" not in ends
