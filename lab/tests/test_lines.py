"""The driver's lines are read as documented, also of a killed run, and their histograms are merged, never averaged."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from driven import hello_of
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

from middlemark.errors import InputError, TargetError
from middlemark.records.driver_lines import DriverLines, EndReason, Interval, Line, PhaseName, parse_line
from middlemark.workload.driver import write_hlog
from middlemark.workload.latencies import Latencies
from middlemark.workload.window import WindowFigures, driven

SECOND = 1_000_000_000


def window_figures(lines: Iterable[Line]) -> WindowFigures:
    return driven(lines).whole


def histogram(times_us: Sequence[int]) -> HdrHistogram:
    recorded = HdrHistogram(1, 120_000_000, 3)
    for time in times_us:
        recorded.record_value(time)
    return recorded


def encoded(times_us: Sequence[int]) -> str:
    text: bytes = histogram(times_us).encode()
    return text.decode()


def line_of(line_type: str, t_ns: int = 0, **keys: object) -> str:
    return json.dumps({"v": 1, "t_ns": t_ns, "type": line_type, **keys})


def hello() -> str:
    return line_of(
        "hello",
        driver="0.1.0",
        wall_clock="2026-01-31T08:00:00.5Z",
        monotonic_ns=5,
        seed=1,
        plan_sha256="ab",
        name="shop",
        run="r",
        users=3,
        threads=2,
        pid=7,
    )


def interval(phase: str, start_ns: int, end_ns: int, transactions: dict[str, tuple[list[int], dict[str, int]]]) -> str:
    return line_of(
        "interval",
        end_ns,
        phase=phase,
        start_ns=start_ns,
        end_ns=end_ns,
        users=3,
        iterations=2,
        failed=1,
        connections=4,
        bytes_sent=100,
        bytes_received=1000,
        responses=8,
        body_bytes=720,
        transactions={
            name: {"count": len(times), "errors": errors, "histogram": encoded(times)}
            for name, (times, errors) in transactions.items()
        },
    )


def audit(t_ns: int, cpu_ms: int, threads_ms: list[int], lateness_us: list[int]) -> str:
    return line_of(
        "audit",
        t_ns,
        cpu_user_ns=cpu_ms * 400_000,
        cpu_system_ns=cpu_ms * 600_000,
        threads=[{"cpu_ns": thread * 1_000_000} for thread in threads_ms],
        rss_bytes=2**22,
        lateness=encoded(lateness_us),
        lag=encoded([7]),
    )


def end() -> str:
    return line_of(
        "end",
        reason="finished",
        transactions=9,
        errors={},
        unanswered=0,
        cpu_user_ns=1,
        cpu_system_ns=1,
        max_rss_bytes=1,
    )


def unanswered() -> str:
    return line_of(
        "unanswered", user=1, iteration=2, step="buy-1", transaction="buy", kind="closed", variables={"user": "uid:1"}
    )


FAST, SLOW = [1000] * 99, [500_000] * 33
RUN = [
    hello(),
    line_of("phase", 0, phase="ramp"),
    interval("ramp", 0, SECOND, {"look": ([900_000], {"status": 5}), "buy": ([], {})}),
    audit(SECOND, 100, [60, 30], [90_000]),
    line_of("phase", SECOND, phase="measure"),
    interval("measure", SECOND, 2 * SECOND, {"look": (FAST, {"status": 2}), "buy": ([2000], {})}),
    audit(2 * SECOND, 200, [130, 50], [10] * 99),
    unanswered(),
    interval(
        "measure", 2 * SECOND, 2 * SECOND + SECOND // 2, {"look": (SLOW, {"status": 1, "closed": 1}), "buy": ([], {})}
    ),
    audit(2 * SECOND + SECOND // 2, 250, [160, 60], [4000]),
    line_of("phase", 2 * SECOND + SECOND // 2, phase="drain"),
    interval("drain", 2 * SECOND + SECOND // 2, 3 * SECOND, {"look": ([900_000], {}), "buy": ([], {})}),
    audit(3 * SECOND, 300, [200, 60], [90_000]),
    line_of("confirmed", transactions={"look": {"valid": 134, "invalid": 9}}),
    end(),
]


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "intervals.ndjson"
    path.write_text("\n".join(RUN) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def lines(written: Path) -> list[Line]:
    return list(DriverLines(written))


def test_every_line_gets_its_type(lines: list[Line]) -> None:
    assert [line.type for line in lines] == [json.loads(text)["type"] for text in RUN]
    assert hello_of(lines).monotonic_ns == 5
    last = lines[-1]
    assert last.type == "end"
    assert last.reason is EndReason.FINISHED


@pytest.mark.parametrize("missing", [1, 2, 5, 30])
def test_a_killed_run_is_read_up_to_its_broken_last_line(written: Path, missing: int) -> None:
    whole = written.read_bytes()
    written.write_bytes(whole[:-missing])
    assert [line.type for line in DriverLines(written)] == [json.loads(text)["type"] for text in RUN[:-1]]


def test_a_run_killed_in_the_window_has_figures_so_far(written: Path) -> None:
    written.write_text("\n".join(RUN[:8]) + "\n" + RUN[8][:100], encoding="utf-8")
    figures = window_figures(DriverLines(written))
    assert figures.window_s == 1
    assert figures.total.count == 100


def test_a_run_killed_before_the_window_has_figures_of_nothing(written: Path) -> None:
    written.write_text("\n".join(RUN[:4]) + "\n", encoding="utf-8")
    figures = window_figures(DriverLines(written))
    assert (figures.window_s, figures.total.count, figures.total.tps, figures.error_rate) == (0, 0, 0, 0)
    assert [course.phase for course in figures.course] == [PhaseName.RAMP]


def test_a_broken_line_in_the_middle_is_named(written: Path) -> None:
    written.write_text("\n".join([RUN[0], '{"v":1,"t_ns":0,"type":"phase"}', RUN[-1]]) + "\n", encoding="utf-8")
    with pytest.raises(
        InputError,
        match=r"intervals.ndjson:2: not a line of the driver \(the key 'phase' is missing \(at phase.phase\)",
    ):
        list(DriverLines(written))


def test_an_empty_file_has_no_lines_and_a_missing_one_is_refused(written: Path) -> None:
    written.write_bytes(b"")
    assert list(DriverLines(written)) == []
    written.unlink()
    with pytest.raises(InputError, match="cannot read the driver's lines"):
        list(DriverLines(written))


def test_lines_of_a_later_driver_are_passed_over() -> None:
    assert parse_line(line_of("weather", sun=True).encode()) is None
    known = parse_line(line_of("phase", 3, phase="ramp", moon="full").encode())
    assert known is not None
    assert known.t_ns == 3


def test_another_version_is_refused() -> None:
    with pytest.raises(ValueError, match="v: expected 1, found "):
        parse_line(b'{"v":2,"t_ns":0,"type":"phase","phase":"ramp"}')


def test_the_window_is_the_phase_measure_and_its_histograms_are_merged(lines: list[Line]) -> None:
    figures = window_figures(lines)
    look = figures.transactions["look"]
    together = histogram(FAST + SLOW)
    assert figures.window_s == 1.5
    assert (look.count, look.errors, look.tps) == (132, 4, 88)
    # Three quarters took 1 ms: the percentile of all is 1 ms, the mean of the intervals' percentiles would be 250 ms.
    assert look.p50_ms == pytest.approx(1, rel=1e-3)
    assert look.p90_ms == pytest.approx(500, rel=1e-3)
    assert look.mean_ms == pytest.approx((99 * 1 + 33 * 500) / 132, rel=1e-3)
    assert look.sd_ms == pytest.approx(499 * math.sqrt(0.75 * 0.25), rel=1e-3)
    assert look.max_ms == pytest.approx(together.get_max_value() / 1000, rel=1e-3)
    assert figures.total.count == 133
    assert figures.transactions["buy"].count == 1


def test_counts_of_the_window_are_divided_by_its_true_length(lines: list[Line]) -> None:
    figures = window_figures(lines)
    assert figures.errors_by_kind == {"closed": 1, "status": 3}
    assert figures.error_rate == pytest.approx(4 / 137)
    assert figures.bytes_received_per_s == pytest.approx(2000 / 1.5)
    assert (figures.iterations, figures.failed_iterations, figures.connections) == (4, 2, 8)
    assert figures.mean_body_bytes == 90


def test_without_a_counted_response_there_is_no_mean_body(lines: list[Line]) -> None:
    older = [one.model_copy(update={"responses": 0}) if isinstance(one, Interval) else one for one in lines]
    assert window_figures(older).mean_body_bytes is None


def test_the_driver_is_audited_over_the_window_only(lines: list[Line]) -> None:
    driver = window_figures(lines).driver
    assert driver.cpu_s == pytest.approx(0.15)
    assert driver.cpu_share == pytest.approx(0.1)
    assert driver.busiest_thread_share == pytest.approx(0.1 / 1.5)
    assert driver.lateness_p50_ms == 0.01
    assert driver.lateness_p99_ms == 0.01
    assert driver.max_rss_mib == 4


LOOK = {"count": 132, "errors": {"status": 3, "closed": 1}, "histogram": encoded(FAST + SLOW)}
BUY = {"count": 1, "errors": {}, "histogram": encoded([2000])}
WINDOW: dict[str, object] = {
    "phase": "measure", "start_ns": SECOND, "end_ns": 2 * SECOND + SECOND // 2, "users": 3, "iterations": 4,
    "failed": 2, "connections": 8, "bytes_sent": 200, "bytes_received": 2000, "responses": 16, "body_bytes": 1440,
    "cpu_user_ns": 60_000_000, "cpu_system_ns": 90_000_000, "lateness": encoded([10] * 99 + [4000]),
    "lag": encoded([7]),
    "transactions": {"look": LOOK, "buy": BUY},
}  # fmt: skip


def with_window(**changed: object) -> list[Line]:
    lines = [
        parse_line(text.encode())
        for text in (*RUN[:-1], json.dumps({"v": 1, "t_ns": 0, "type": "window"} | WINDOW | changed), RUN[-1])
    ]
    return [line for line in lines if line is not None]


def test_the_intervals_are_what_the_driver_summed_up() -> None:
    assert window_figures(with_window()).total.count == 133


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"end_ns": 2 * SECOND}, "1,500,000,000 nanoseconds .* own sum 1,000,000,000"),
        ({"iterations": 5}, "4 iterations .* own sum 5"),
        ({"failed": 1}, "2 failed"),
        ({"connections": 7}, "8 connections"),
        ({"reconnected": 1}, "0 reconnected .* own sum 1"),
        ({"requests": 1}, "0 requests"),
        ({"bytes_sent": 201}, "200 bytes sent"),
        ({"bytes_received": 1}, "2,000 bytes received"),
        ({"body_bytes": 1}, "1,440 body bytes"),
        ({"missed": 1}, "0 missed arrivals"),
        ({"tls": [{"version": "1.3", "cipher": "c", "full": 1, "resumed": 0}]}, "0 full handshakes of TLS 1.3, c"),
        ({"cpu_user_ns": 1}, "150,000,000 ns of CPU time"),
        ({"lateness": encoded([10])}, "100 times named lateness"),
        ({"receive_lag": encoded([10])}, "0 times named receive_lag"),
        ({"transactions": {"look": LOOK}}, "1 times of 'buy'"),
        (
            {"transactions": {"look": LOOK | {"errors": {"status": 4}}, "buy": BUY}},
            "1 errors 'closed' of 'look' .* sum 0",
        ),
        ({"transactions": {"look": LOOK | {"service": encoded([5])}, "buy": BUY}}, "0 times named service"),
    ],
)
def test_intervals_that_are_not_what_the_driver_summed_up_are_refused(changed: dict[str, object], named: str) -> None:
    with pytest.raises(InputError, match=f"the driver's intervals hold ({named}).*lines are missing or were changed"):
        window_figures(with_window(**changed))


def of_level(level: int, text: str) -> str:
    return json.dumps(json.loads(text) | {"level": level})


def test_each_level_has_the_cpu_time_of_its_own_window() -> None:
    nothing: dict[str, tuple[list[int], dict[str, int]]] = {"look": ([1000], {})}
    texts = [
        of_level(0, interval("ramp", 0, SECOND, nothing)),
        audit(SECOND, 100, [60, 40], [10]),
        of_level(0, interval("measure", SECOND, 2 * SECOND, nothing)),
        audit(2 * SECOND, 130, [80, 50], [10]),
        # The second level has no ramp.
        of_level(1, interval("measure", 2 * SECOND, 3 * SECOND, nothing)),
        audit(3 * SECOND, 200, [90, 110], [4000]),
        of_level(1, interval("drain", 3 * SECOND, 4 * SECOND, nothing)),
        audit(4 * SECOND, 900, [450, 450], [10]),
    ]
    lines = [line for line in (parse_line(text.encode()) for text in texts) if line is not None]
    read = driven(lines, 2)
    whole, *levels = (figures.driver for figures in (read.whole, *read.levels))
    assert [one.cpu_s for one in (whole, *levels)] == pytest.approx([0.1, 0.03, 0.07])
    assert [one.busiest_thread_share for one in levels] == pytest.approx([0.02, 0.06])
    assert whole.busiest_thread_share == pytest.approx(0.07 / 2)


def test_the_course_covers_all_phases(lines: list[Line]) -> None:
    course = list(window_figures(lines).course)
    assert [one.phase for one in course] == ["ramp", "measure", "measure", "drain"]
    assert [(one.start_s, one.end_s) for one in course] == [(0, 1), (1, 2), (2, 2.5), (2.5, 3)]
    assert [one.tps for one in course] == [1, 100, 66, 2]
    assert [one.errors for one in course] == [5, 2, 2, 0]
    assert course[2].p99_ms == pytest.approx(500, rel=1e-3)


def test_the_standard_tools_read_the_log(written: Path, tmp_path: Path) -> None:
    write_hlog(written, tmp_path / "latency.hlog")
    reader = HistogramLogReader(str(tmp_path / "latency.hlog"), HdrHistogram(1, 120_000_000, 3))
    read: list[tuple[str, float, int]] = []
    while (entry := reader.get_next_interval_histogram()) is not None:
        read.append((entry.get_tag(), entry.get_start_time_stamp(), entry.get_total_count()))
    start_ms = 1_769_846_400_500.0
    assert read == [
        ("look", start_ms + 1000, 99),
        ("buy", start_ms + 1000, 1),
        ("look", start_ms + 2000, 33),
        ("buy", start_ms + 2000, 0),
    ]


def test_a_file_that_is_not_a_run_becomes_no_log(tmp_path: Path) -> None:
    (tmp_path / "lines").write_text('{"v":1}\n', encoding="utf-8")
    with pytest.raises(TargetError, match=r"latency.hlog: the driver wrote no histogram log: .*line 1"):
        write_hlog(tmp_path / "lines", tmp_path / "latency.hlog")


def test_latencies_agree_with_the_library_of_the_format() -> None:
    draw = random.Random(4)  # noqa: S311 (times of a test)
    times = [int(draw.lognormvariate(8, 1.5)) + 1 for _ in range(20_000)]
    reference = histogram(times)
    latencies = Latencies.decode(encoded(times))
    assert latencies.count == 20_000
    assert latencies.mean_us == pytest.approx(reference.get_mean_value())
    assert latencies.sd_us == pytest.approx(reference.get_stddev())
    for percent in (0.01, 50, 90, 95, 99, 99.99, 100):
        assert latencies.percentile_us(percent) == reference.get_value_at_percentile(percent)
    assert Latencies.merged([latencies, latencies]).percentile_us(99) == latencies.percentile_us(99)


def test_a_percentile_is_the_time_that_so_many_do_not_exceed() -> None:
    times = Latencies.decode(encoded(list(range(1, 1001))))
    assert [times.percentile_us(percent) for percent in (50, 99, 99.9, 100)] == [500, 990, 999, 1000]
    # 59 of 60 are 98.3 %: only the slowest is a time that 99 % do not exceed.
    assert Latencies.decode(encoded(list(range(1, 61)))).percentile_us(99) == 60


def test_a_histogram_of_other_bounds_is_refused() -> None:
    other = HdrHistogram(1, 1_000_000, 2)
    other.record_value(5)
    with pytest.raises(InputError, match="expected a histogram of"):
        Latencies.decode(other.encode().decode())


@pytest.mark.parametrize("damaged", ["", "HISTFAAAAA", "no base64!", "AAAAAAAAAAAAAAAA"])
def test_what_is_not_a_histogram_is_refused(damaged: str) -> None:
    with pytest.raises(InputError, match="not a histogram of the driver"):
        Latencies.decode(damaged)


def test_every_byte_of_a_histogram_may_be_wrong() -> None:
    whole = encoded([1, 20, 300])
    for place in range(len(whole)):
        with suppress(InputError):
            Latencies.decode(f"{whole[:place]}A{whole[place + 1 :]}")


def test_an_interval_counts_over_its_transactions(lines: list[Line]) -> None:
    first = next(line for line in lines if isinstance(line, Interval) and line.phase is PhaseName.MEASURE)
    assert (first.count, first.errors, first.seconds) == (100, 2, 1)
