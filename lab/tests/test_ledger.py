"""The ledger of this machine: what runs show of the spread between starts, and what later runs read of it."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest
from synthetic_result import COMBINATIONS, Shape, write_synthetic

from middlemark.experiment.ledger import known_spreads, ledger_file, note_spreads
from middlemark.judge.result import judge, read_measured
from middlemark.judge.spread import ASSUMED, expected_spread, seen_spreads
from middlemark.records.findings import Measured
from middlemark.records.run import Combination
from middlemark.records.side_files import LEDGER, Ledger, SeenSpread
from middlemark.records.window import Window

LOCAL = COMBINATIONS[0]
AGAIN = LOCAL.model_copy(update={"label": "go local again", "path": f"{LOCAL.path},again"})
JAVA = Combination(subject="java", modes={"binding": "local"}, label="java local", path="java/binding=local")


def result_of(root: Path, sides: tuple[Combination, Combination], starts: list[tuple[float, float]]) -> Measured:
    """A run of three rounds a start; the second side costs so many times more in each, its windows by so much."""
    shape = Shape(combinations=sides, loads=(10,), repeats=3 * len(starts), rounds=3)
    measured = read_measured(write_synthetic(root, shape))
    windows: list[Window] = []
    for window in measured.windows:
        ratio, apart = starts[window.repeat // 3]
        cost = 2.0
        if window.combination == sides[1].path:
            cost *= ratio * math.exp((window.repeat % 3 - 1) * apart)
        tiers = {"web": window.tiers["web+services"].model_copy(update={"cpu_ms_per_transaction": cost})}
        windows.append(window.model_copy(update={"tiers": tiers}))
    return measured.model_copy(update={"windows": tuple(windows)})


def test_two_of_one_subject_show_the_spread_of_its_starts_in_each_start(tmp_path: Path) -> None:
    apart = math.log(1.1)
    (seen,) = seen_spreads(result_of(tmp_path, (LOCAL, AGAIN), [(1.1, 0.0), (1 / 1.1, 0.0)]))
    # Each of two starts has a degree of freedom, as equal subjects differ by nothing: half the variance is each one's.
    assert (seen.subject, seen.starts) == ("go", 2)
    assert seen.degrees == pytest.approx(2)
    assert seen.squares / seen.degrees == pytest.approx(apart**2 / 2)


def test_two_on_the_same_processes_show_nothing_of_starts(tmp_path: Path) -> None:
    other = LOCAL.model_copy(update={"path": "go/session=other", "modes": {**LOCAL.modes, "session": "other"}})
    starts = [(1.1, 0.0), (1 / 1.1, 0.0)]
    assert seen_spreads(result_of(tmp_path / "own", (LOCAL, other), starts)) != []
    on_the_same = other.model_copy(update={"runs_on": LOCAL.path})
    assert seen_spreads(result_of(tmp_path / "same", (LOCAL, on_the_same), starts)) == []


def test_different_subjects_show_it_from_the_second_start_and_share_it(tmp_path: Path) -> None:
    assert seen_spreads(result_of(tmp_path / "one", (LOCAL, JAVA), [(1.4, 0.0)])) == []
    seen = seen_spreads(result_of(tmp_path / "two", (LOCAL, JAVA), [(1.4, 0.0), (1.6, 0.0)]))
    variance = (math.log(1.6) - math.log(1.4)) ** 2 / 2
    assert [one.subject for one in seen] == ["go", "java"]
    for one in seen:
        assert one.degrees == pytest.approx(1)
        assert one.squares == pytest.approx(variance / 2)


def test_what_windows_scatter_is_taken_off_and_leaves_less_to_know(tmp_path: Path) -> None:
    (seen,) = seen_spreads(result_of(tmp_path, (LOCAL, AGAIN), [(1.02, 0.06), (0.98, 0.06)]))
    window = 0.06**2 / 3
    assert seen.degrees == pytest.approx(2 * (2 * 0.015**2 / (2 * 0.015**2 + window)) ** 2)
    variance = (math.log(1.02) ** 2 + math.log(0.98) ** 2) / 2 - window
    assert variance < 0
    assert seen.squares == pytest.approx(seen.degrees * variance / 2)


def test_a_spread_is_found_again_from_controls_of_many_runs() -> None:
    source, true = random.Random(3), 0.04  # noqa: S311 (made-up figures, no secret)
    differences = [source.gauss(0, true * math.sqrt(2)) for _ in range(400)]
    squares = sum(one**2 for one in differences) / 2
    assert math.sqrt(squares / 400) == pytest.approx(true, rel=0.1)


def test_a_finished_run_is_noted_and_the_next_one_on_this_machine_knows_it(tmp_path: Path) -> None:
    file = tmp_path / "state" / "ledger.ndjson"
    result = result_of(tmp_path / "first", (LOCAL, AGAIN), [(1.1, 0.0), (1 / 1.1, 0.0)])
    assert known_spreads(result.run, file) == Ledger()
    note_spreads(result, file)
    # Resumed, the same run is noted again: its later line counts.
    note_spreads(result, file)

    known = known_spreads(result.run, file)

    assert [(one.subject, one.starts) for one in known.spreads] == [("go", 2)]
    assert known.spreads[0].degrees == pytest.approx(2)
    spread = expected_spread(known, LOCAL.subject, compiles=False)
    assert spread.starts == 2
    assert spread.degrees == pytest.approx(8)
    assert spread.sigma == pytest.approx(math.sqrt((6 * ASSUMED.sigma**2 + math.log(1.1) ** 2) / 8))


def test_another_machine_another_specification_and_another_subject_are_not_known(tmp_path: Path) -> None:
    file = tmp_path / "ledger.ndjson"
    result = result_of(tmp_path / "first", (LOCAL, AGAIN), [(1.1, 0.0), (1 / 1.1, 0.0)])
    note_spreads(result, file)
    run = result.run
    others: list[dict[str, object]] = [
        {"host": run.host.model_copy(update={"cpu": "other"})},
        {"host": run.host.model_copy(update={"cpus": 64})},
        {"host": run.host.model_copy(update={"kernel": "6.2.0"})},
        {"spec": "spice"},
        {"combinations": [JAVA]},
    ]
    for changed in others:
        assert known_spreads(run.model_copy(update=changed), file) == Ledger()


def test_runs_add_up_and_a_line_that_was_cut_hides_no_other(tmp_path: Path) -> None:
    file = tmp_path / "ledger.ndjson"
    first = result_of(tmp_path / "first", (LOCAL, AGAIN), [(1.1, 0.0), (1 / 1.1, 0.0)])
    second = result_of(tmp_path / "second", (LOCAL, AGAIN), [(1.2, 0.0)])
    note_spreads(first, file)
    with file.open("a", encoding="utf-8") as ledger:
        ledger.write('{"result": "cut\n\n')
    note_spreads(second, file)

    (known,) = known_spreads(first.run, file).spreads

    assert known.starts == 3
    assert known.degrees == pytest.approx(3)
    assert known.squares == pytest.approx(math.log(1.1) ** 2 + math.log(1.2) ** 2 / 2)


def test_a_ledger_that_cannot_be_written_costs_no_run_its_end(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    result = result_of(tmp_path / "run", (LOCAL, AGAIN), [(1.1, 0.0)])
    message = note_spreads(result, tmp_path / "file" / "ledger.ndjson")
    assert "the spread between starts is not kept for later runs" in message
    assert known_spreads(result.run, tmp_path / "file" / "ledger.ndjson") == Ledger()


def test_a_result_keeps_what_was_known_and_without_that_nothing(tmp_path: Path) -> None:
    seen = SeenSpread(subject="go", squares=0.1, degrees=3.0, starts=4)
    write_synthetic(tmp_path, Shape(loads=(10,), repeats=1, seen=(seen,)))
    measured = read_measured(tmp_path)
    assert measured.ledger.of("go") == seen
    spread = judge(measured).by_path[LOCAL.path].spread
    expected = expected_spread(measured.ledger, "go", compiles=False)
    assert (spread.sigma, spread.degrees, spread.starts) == (expected.sigma, 9.0, 4)
    (tmp_path / LEDGER).write_text("{", encoding="utf-8")
    assert read_measured(tmp_path).ledger == Ledger()
    (tmp_path / LEDGER).unlink()
    assert read_measured(tmp_path).ledger == Ledger()


def test_the_ledger_is_in_the_users_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert ledger_file() == tmp_path / "middlemark" / "ledger.ndjson"
