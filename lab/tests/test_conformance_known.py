"""Known failures stand in the platform's folder, each with its reason; another failure still counts."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from small_platform import WAR, small_checkout
from small_servers import HOSTS_WAR, small_server

from middlemark.conformance.cases.known import KnownFailure, read_known
from middlemark.conformance.cases.suite import read_cases
from middlemark.conformance.comparison.comparing import differences
from middlemark.conformance.comparison.known import mark_known, missed
from middlemark.conformance.comparison.pages.canonical import page_cases
from middlemark.conformance.result import Execution, ExecutionOutcome, Failure, Observed
from middlemark.errors import InputError
from middlemark.subject.subject import Subject, find_subject

WELCOME = "The page welcome.html equals the canonical one."
ENTRY = f"""
[[known]]
case = "{WELCOME}"
text = "not the page"
reason = "it is being fixed"
"""


def failed(*texts: str, interface: str = "json") -> Execution:
    """Return an execution that failed with these texts."""
    return Execution(
        case="a case", topic="t", rule="", where="t.yaml:1", configuration={"binding": "local"}, interface=interface,
        outcome=ExecutionOutcome.FAILED if texts else ExecutionOutcome.PASSED,
        failures=tuple(Failure(where="t.yaml:2", step="step 1", text=text) for text in texts),
    )  # fmt: skip


KNOWN = KnownFailure(case="a case", text="the known text", reason="it is being fixed")


def test_a_known_failure_is_marked_and_masks_no_other() -> None:
    known = mark_known(failed("here is the known text"), [KNOWN])
    assert (known.outcome, known.failures[0].known) == (ExecutionOutcome.KNOWN, "it is being fixed")
    both = mark_known(failed("here is the known text", "another one"), [KNOWN])
    assert (both.outcome, [one.known for one in both.failures]) == (ExecutionOutcome.FAILED, ["it is being fixed", ""])
    assert mark_known(failed("another one"), [KNOWN]).outcome is ExecutionOutcome.FAILED
    assert mark_known(failed("the known text"), []).outcome is ExecutionOutcome.FAILED


def test_a_known_failure_that_passes_is_missed() -> None:
    assert missed([failed("the known text")], [KNOWN]) == []
    assert len(missed([failed()], [KNOWN])) == 1
    assert len(missed([failed("another one")], [KNOWN])) == 1
    over_soap = KNOWN.model_copy(update={"interface": "soap"})
    assert missed([failed(), failed("the known text", interface="soap")], [over_soap]) == []
    elsewhere = KNOWN.model_copy(update={"modes": {"binding": "json"}})
    assert missed([failed()], [elsewhere]) == []


TOGETHER = KNOWN.model_copy(update={"text": ("the known text", "what comes with it"), "intermittent": True})


def test_failures_that_come_together_are_known_only_together() -> None:
    both = mark_known(failed("here is the known text", "and what comes with it"), [TOGETHER])
    assert (both.outcome, [one.known for one in both.failures]) == (ExecutionOutcome.KNOWN, ["it is being fixed"] * 2)
    assert mark_known(failed("here is the known text"), [TOGETHER]).outcome is ExecutionOutcome.FAILED
    more = mark_known(failed("the known text", "what comes with it", "another one"), [TOGETHER])
    assert (more.outcome, more.failures[2].known) == (ExecutionOutcome.FAILED, "")


def test_an_intermittent_failure_may_pass() -> None:
    assert missed([failed(), failed("the known text", "what comes with it")], [TOGETHER]) == []
    assert len(missed([failed("the known text")], [TOGETHER.model_copy(update={"intermittent": False})])) == 1


def test_a_known_failure_is_no_difference_and_another_is() -> None:
    def compared(execution: Execution) -> int:
        done = [[Observed(execution)], [Observed(failed())]]
        return len(list(differences(["one", "other"], done, [])))

    assert compared(mark_known(failed("the known text"), [KNOWN])) == 0
    assert compared(mark_known(failed("another one"), [KNOWN])) == 1


def hosted(folder: Path, known: str) -> Subject:
    """Return a small platform with these known failures on one of its two servers."""
    home = small_checkout(folder, made=WAR)
    for name in ("one", "other"):
        small_server(home, name, HOSTS_WAR)
    (home / "platforms" / "small" / "known-failures.toml").write_text(f"version = 1\n{known}", encoding="utf-8")
    return find_subject(home, "small@one", "brokerage")


@pytest.mark.parametrize(("key", "count"), [("", 1), ('on = "one"', 1), ('on = "other"', 0), ('spec = "brokerage"', 1)])
def test_a_known_failure_is_that_of_a_platform_or_on_one_of_its_servers(tmp_path: Path, key: str, count: int) -> None:
    subject = hosted(tmp_path, f"{ENTRY}{key}\n")
    assert len(read_known(subject, page_cases(subject.specification))) == count


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ('case = "A case of nobody"', "'A case of nobody' is not a case"),
        ('on = "onn"', "small does not run on 'onn'. Did you mean 'one'?"),
        ('spec = "brokerag"', "small does not implement 'brokerag'. Did you mean 'brokerage'?"),
        ('interface = "jsn"', "'jsn' is not an interface. Did you mean 'json'?"),
        ('modes = { bindin = "json" }', "'bindin' is not a mode. Did you mean 'binding'?"),
        ('subject = "small"', "unknown key 'subject'"),
    ],
)
def test_a_known_failure_that_names_what_is_not_there_is_refused(tmp_path: Path, key: str, text: str) -> None:
    name = key.partition(" ")[0]
    entry = "".join(line for line in ENTRY.splitlines(keepends=True) if not line.startswith(name))
    subject = hosted(tmp_path, f"{entry}{key}\n")
    with pytest.raises(InputError) as error:
        read_known(subject, page_cases(subject.specification))
    assert text in str(error.value)
    assert str(error.value).startswith(str(subject.platform.folder / "known-failures.toml"))


def test_a_platform_of_several_specifications_says_of_which_one_a_known_failure_is(tmp_path: Path) -> None:
    home = tmp_path / "checkout"
    shutil.copytree(Path(__file__).parent / "checkout", home)
    file = home / "platforms" / "plain" / "known-failures.toml"
    subjects = [find_subject(home, "plain", name) for name in ("sums", "supply")]
    cases = {one.spec: read_cases(one.specification) for one in subjects}
    entry = ENTRY.replace(WELCOME, cases["sums"][0].case.name)
    file.write_text(f"version = 1\n{entry}", encoding="utf-8")
    with pytest.raises(InputError, match="plain implements 2 specifications; name one of them as `spec`"):
        read_known(subjects[0], cases["sums"])
    file.write_text(f'version = 1\n{entry}spec = "sums"\n', encoding="utf-8")
    assert [len(read_known(one, cases[one.spec])) for one in subjects] == [1, 0]
