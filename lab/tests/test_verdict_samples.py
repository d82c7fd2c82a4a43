"""`middlemark verdict` reads samples measured anywhere, and is right about sides whose true ratio is known."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from middlemark.errors import InputError
from middlemark.records.figures import Better
from middlemark.verdict.pair_verdicts import PairVerdicts, judge_pairs, read_pairs, verdict_lines

HEAD = "pair,round,subject,value\n"
PAIRS, ROUNDS, SPREAD = 1000, 6, 0.03


def middlemark(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "middlemark", "verdict", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def written(path: Path, *rows: str) -> Path:
    path.write_text(HEAD + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    return path


def simulated(path: Path, ratio: float, seed: int = 20) -> Path:
    """Write pairs whose round ratios spread by 3 % around `ratio`, on a machine that drifts under both sides."""
    draw = np.random.default_rng(seed)
    rows = []
    for pair in range(PAIRS):
        drift = np.exp(np.cumsum(draw.normal(0, 0.05, ROUNDS)))
        for number, common in enumerate(1000 * drift):
            # Half of the variance of a ratio's logarithm lies on each side.
            a, b = common * np.exp(draw.normal(0, SPREAD / np.sqrt(2), 2))
            sides = [("a", a), ("b", b * ratio)]
            rows += [
                f"p{pair},{number},{name},{value:.6f}" for name, value in (sides if number % 2 == 0 else sides[::-1])
            ]
    return written(path, *rows)


def shares(verdicts: PairVerdicts) -> dict[str, float]:
    words = [one.verdict for one in verdicts.pairs]
    return {word: sum(one.startswith(word) for one in words) / len(words) for word in ("faster", "slower", "cannot")}


def test_of_equal_sides_at_most_six_in_a_hundred_are_told_apart(tmp_path: Path) -> None:
    found = shares(judge_pairs(read_pairs(simulated(tmp_path / "a.csv", 1.0)), Better.HIGHER, holm=False))
    assert 0.03 < found["faster"] + found["slower"] <= 0.06


def test_five_percent_apart_are_told_rightly_and_never_the_wrong_way_round(tmp_path: Path) -> None:
    for ratio, right, wrong in ((1.05, "faster", "slower"), (1 / 1.05, "slower", "faster")):
        found = shares(judge_pairs(read_pairs(simulated(tmp_path / "a.csv", ratio)), Better.HIGHER, holm=False))
        assert found[right] >= 0.8
        assert found[wrong] == 0


def test_of_a_thousand_equal_sides_judged_together_none_is_told_apart(tmp_path: Path) -> None:
    found = shares(judge_pairs(read_pairs(simulated(tmp_path / "a.csv", 1.0)), Better.HIGHER, holm=True))
    assert (found["faster"], found["slower"]) == (0, 0)


def test_the_command_prints_one_object_with_a_verdict_for_each_pair(tmp_path: Path) -> None:
    done = middlemark(str(simulated(tmp_path / "samples.csv", 1.05)), "--json")

    assert (done.returncode, done.stderr) == (0, "")
    printed = json.loads(done.stdout)
    assert [one["pair"] for one in printed["pairs"]] == [f"p{pair}" for pair in range(PAIRS)]
    assert (printed["better"], printed["holm"]) == ("higher", False)
    one = printed["pairs"][0]
    assert (one["a"], one["b"], one["rounds"]) == ("a", "b", ROUNDS)
    assert one["low"] < one["ratio"] < one["high"]
    assert sum(one["verdict"] == "faster" for one in printed["pairs"]) >= 0.8 * PAIRS


def test_the_command_prints_a_line_for_each_pair_and_counts_the_words_last(tmp_path: Path) -> None:
    rows = [f"{pair},{number},{side},{value}" for pair, value in (("x", 7.0), ("y", 5.0)) for number in range(4)
            for side, value in (("old", 5 + number * 0.001), ("new", value))]  # fmt: skip
    done = middlemark(str(written(tmp_path / "s.csv", *rows)), "--better", "lower", "--holm")

    assert done.returncode == 0
    first, second, last = done.stdout.splitlines()
    assert first.startswith("x: new 1.40")
    assert first.endswith(": slower (4 rounds)")
    assert second.endswith(": equal within 5 % (4 rounds)")
    assert (
        last
        == "2 pairs: 0 faster, 1 slower, 1 equal within 5 %, 0 cannot tell; lower is faster, judged together (Holm)"
    )


def test_two_rounds_cannot_tell_whatever_their_ratios(tmp_path: Path) -> None:
    rows = [f"p,{number},{side},{value}" for number in range(2) for side, value in (("a", 1), ("b", 9))]
    (one,) = judge_pairs(read_pairs(written(tmp_path / "s.csv", *rows)), Better.HIGHER, holm=False).pairs
    assert (one.verdict, one.rounds, one.reason, one.p_value) == (
        "cannot tell",
        2,
        "a word needs 3 rounds that both sides have",
        None,
    )


def test_the_side_that_the_file_names_first_is_a_in_every_pair_and_other_columns_are_passed_over(
    tmp_path: Path,
) -> None:
    path = tmp_path / "s.csv"
    path.write_text(
        "note,value,subject,round,pair\n,2,go,1,x\n,4,java,1,x\n\n,8,java,one,y\n,2, go ,one,y\n", encoding="utf-8-sig"
    )
    pairs = read_pairs(path)
    assert [(pair.name, pair.a, pair.b, pair.rounds[0].ratio) for pair in pairs] == [
        ("x", "go", "java", 2.0),
        ("y", "go", "java", 4.0),
    ]
    *_, last = verdict_lines(judge_pairs(pairs, Better.HIGHER, holm=False))
    assert last.startswith("2 pairs: 0 faster, 0 slower, 0 equal within 5 %, 2 cannot tell; ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "s.csv:1: the column 'pair' is missing (the file is empty). Its first line is pair,round,subject,value"),
        (HEAD, "s.csv: the file has no samples"),
        (
            "pair;round;subject;value\n1;1;a;1\n",
            "s.csv:1: the column 'pair' is missing (it has 'pair;round;subject;value')",
        ),
        ("pair,round,subject,tps\n", "s.csv:1: the column 'value' is missing"),
        ("pair,round,subject,value,value\n", "s.csv:1: the column 'value' is there twice"),
        (HEAD + "p,1,a,1\np,1,b\n", "s.csv:3: the value is missing"),
        (HEAD + "p,1,a,1\np,1,b,1,234\n", "s.csv:3: expected one value for each column, found more"),
        (HEAD + "p,1,a,1\np,1,b,fast\n", "s.csv:3: 'fast' is not a number"),
        (HEAD + "p,1,a,1\np,1,b,0\n", "s.csv:3: expected a value above zero, found 0"),
        (HEAD + "p,1,a,-1\np,1,b,1\n", "s.csv:2: expected a value above zero, found -1"),
        (HEAD + "p,1,a,nan\np,1,b,1\n", "s.csv:2: expected a value above zero, found nan"),
        (HEAD + "p,1,a,1\np,1,b,inf\n", "s.csv:3: expected a value above zero, found inf"),
        (HEAD + "q,1,a,1\nq,1,b,1\np,1,a,1\np,2,a,1\n", "s.csv:4: pair p has one subject only (a)"),
        (HEAD + "p,1,a,1\np,1,b,1\np,1,c,1\n", "s.csv:2: pair p has 3 subjects (a, b, c)"),
        (HEAD + "p,1,a,1\np,1,b,1\np,1,a,2\n", "s.csv:4: pair p, round 1: a is there twice, first in line 2"),
        (HEAD + "p,1,a,1\np,1,b,1\np,2,b,2\n", "s.csv:4: pair p, round 2 has one subject only (b). Add the value of a"),
        (HEAD + 'p,1,a,1\np,"1\n', "s.csv:3: this is not a line of a CSV file (unexpected end of data)"),
    ],
)
def test_what_is_wrong_with_a_file_is_refused_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "s.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_pairs(path)
    assert message in str(caught.value)


def test_a_file_that_is_missing_or_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "binary.csv").write_bytes(HEAD.encode() + b"p,1,\xff,1\n")
    with pytest.raises(InputError, match=r"binary\.csv: this file is not UTF-8 text"):
        read_pairs(tmp_path / "binary.csv")
    done = middlemark(str(tmp_path / "none.csv"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith("none.csv: cannot read these samples (No such file or directory)\n")
