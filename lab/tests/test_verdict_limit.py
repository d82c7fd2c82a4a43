"""What limited a point is named, and only a platform that alone filled its CPUs was at its peak."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import pytest

from middlemark.records.samples import ObservedPool
from middlemark.records.window import (
    DatabaseFigures,
    Limit,
    ReportedPoolFigures,
    TierFigures,
    WaitKind,
)
from middlemark.verdict.limit import Place, Situation, kind_of, limit_of, limiting, places

FIRST, SECOND, BOTH = frozenset({0}), frozenset({1}), frozenset({0, 1})
PINNED = {"web+services": SECOND, "driver": FIRST, "database": FIRST}


def used(**shares: float) -> dict[str, TierFigures]:
    """Return tiers by the CPUs they used; `web_services` is `web+services`."""
    return {
        name.replace("_", "+"): TierFigures(
            cpu_s=share * 10, cpu_share=share, cpu_ms_per_transaction=1, memory_mean_mib=1, memory_max_mib=1
        )
        for name, share in shares.items()
    }


def limit_at(tiers: Mapping[str, TierFigures], cpus: Mapping[str, frozenset[int]]) -> Limit:
    found = limiting(tiers, cpus)
    assert found is not None
    return found


def test_a_platform_that_alone_fills_its_cpus_is_at_its_peak() -> None:
    found = limit_at(used(web_services=0.97, driver=0.2, database=0.4), PINNED)
    assert found.platform_peak
    assert found.message == "limited by web+services: web+services used 97 % of 1 CPU"


def test_a_saturated_database_is_the_limit_and_no_peak_of_the_platform() -> None:
    apart = {"web+services": FIRST, "database": SECOND, "driver": frozenset({2})}
    found = limit_at(used(web_services=0.95, driver=0.2, database=0.99), apart)
    assert (found.by, found.platform_peak) == (("database",), False)
    assert found.message.startswith("limited by database, no peak of the platform: ")
    assert "web+services used 95 % of 1 CPU" in found.message


@pytest.mark.parametrize("tier", ["reverse-proxy", "database.bills", "driver"])
def test_a_full_tier_that_is_not_the_platforms_is_no_peak_of_the_platform(tier: str) -> None:
    others = [one for one in ("driver", "database.bills", "reverse-proxy") if one != tier]
    places = {"web": FIRST, tier: SECOND, others[0]: frozenset({2}), others[1]: frozenset({3})}
    found = limit_at({**used(web=0.5), **dict.fromkeys(others, used(x=0.1)["x"]), tier: used(x=0.95)["x"]}, places)
    assert (found.by, found.platform_peak) == ((tier,), False)


def test_tiers_that_share_full_cpus_name_no_one_of_them() -> None:
    found = limit_at(used(web_services=1.2, driver=0.3, database=0.4), dict.fromkeys(PINNED, BOTH))
    assert (found.text, found.shared_cpus, found.platform_peak) == ("shared CPUs", True, False)
    assert "95 % of 2 CPUs (web+services 60 %, driver 15 %, database 20 %)" in found.message


def test_tiers_that_share_a_cpu_by_way_of_a_third_are_looked_at_together() -> None:
    places = {"web": FIRST, "driver": SECOND, "database": BOTH}
    found = limit_at(used(web=0.9, driver=0.5, database=0.5), places)
    assert (found.by, found.text) == (("database", "web"), "shared CPUs")


def test_a_full_cpu_is_found_beside_one_that_is_not_though_a_tier_could_use_both() -> None:
    places = {"web": BOTH, "driver": FIRST, "database": FIRST}
    found = limit_at(used(web=0.6, driver=0.25, database=0.7), places)
    assert (found.text, found.shared_cpus, found.platform_peak) == ("shared CPUs", True, False)
    assert found.message.endswith(": 95 % of 1 CPU (driver 25 %, database 70 %) which web could use too")


def test_a_tier_that_fills_all_cpus_it_could_use_is_the_limit_whoever_else_could_use_them() -> None:
    places = {"web": BOTH, "database": FIRST, "driver": frozenset({2})}
    found = limit_at(used(web=0.6, database=0.95, driver=0.1), places)
    assert (found.by, found.platform_peak) == (("database",), False)
    assert found.message.endswith(": database used 95 % of 1 CPU which web could use too")


def test_a_platform_is_at_no_peak_on_cpus_that_another_tier_could_use_too() -> None:
    places = {"web": FIRST, "driver": frozenset({2}), "database": BOTH}
    found = limit_at(used(web=0.95, driver=0.1, database=0.1), places)
    assert (found.text, found.shared_cpus, found.platform_peak) == ("shared CPUs", True, False)


def test_parts_of_a_platform_that_share_a_full_cpu_are_at_their_peak_and_name_no_others_limit() -> None:
    places = {"web": FIRST, "services": FIRST, "database": SECOND, "driver": frozenset({2})}
    peak = limit_at(used(web=0.5, services=0.45, database=0.4, driver=0.1), places)
    assert (peak.by, peak.text, peak.platform_peak) == (("services", "web"), "services and web", True)
    limited = limit_at(used(web=0.5, services=0.45, database=0.97, driver=0.1), places)
    assert (limited.by, limited.platform_peak) == (("database",), False)


def test_below_the_limits_nothing_was_full_and_the_busiest_is_named() -> None:
    found = limit_at(used(web_services=0.89, driver=0.2, database=0.4), PINNED)
    assert (found.by, found.platform_peak) == ((), False)
    assert found.message == "no CPUs were full (most: web+services used 89 % of 1 CPU)"


def test_where_a_tier_was_not_watched_the_limit_is_unknown() -> None:
    assert limiting({}, PINNED) is None
    assert limiting(used(web=0.99), {"driver": FIRST}) is None


CPUS = {"web": frozenset({0}), "database": frozenset({1}), "driver": frozenset({2})}
USERS = 100


def tier(share: float, **more: object) -> TierFigures:
    idle = TierFigures(cpu_s=0, cpu_share=share, cpu_ms_per_transaction=1, memory_mean_mib=1, memory_max_mib=1)
    return idle.model_copy(update=more)


def database(waits: dict[str, float], **more: object) -> DatabaseFigures:
    quiet = DatabaseFigures(
        commits_per_s=1, rollbacks_per_s=0, deadlocks=0, cache_hit_share=1, temporary_mib=0, max_waiting_locks=0,
        mean_active_sessions=0, looks=100, waits=waits,
    )  # fmt: skip
    return quiet.model_copy(update=more)


def situation(under_way: float, waits: dict[str, float] | None = None, **of_web: object) -> Situation:
    tiers = {"web": tier(0.4, **of_web), "database": tier(0.2), "driver": tier(0.1)}
    return Situation(tiers, {"shop": database(waits or {})}, in_progress=under_way, users=USERS)


def limit(of: Situation) -> Limit:
    found = limit_of(of, CPUS)
    assert found is not None
    assert not found.platform_peak
    return found


def test_users_who_think_most_of_the_time_are_what_sets_the_throughput() -> None:
    found = limit(situation(9.9, {"IO:WalSync": 9.0}))
    assert found.message.startswith("not limited: of 100 virtual users 9.9 on average waited for a response; no CPUs")
    assert found.waits == ()


def test_requests_that_wait_for_a_connection_are_counted_by_the_application_and_what_its_sessions_do_is_named() -> None:
    pool = ReportedPoolFigures(size=20, in_use=19.9, full=0.97, waiting=61)
    found = limit(situation(80, {"CPU": 4.0, "IO:WalSync": 11.0, "Lock:tuple": 2.0}, pools={"shop": pool}))
    assert found.message.startswith(
        "waiting for the connection pool of web: 61 of 80 transactions under way, all 20 in use in 97 % of the samples"
        "; for the log to be written: WalSync 11.0 of 17.0 sessions with work; no CPUs were full"
    )
    assert [wait.kind for wait in found.waits] == [WaitKind.POOL, WaitKind.LOG]


def test_without_a_word_of_the_application_a_pool_is_named_when_every_session_has_work_as_often_as_not() -> None:
    for full, named in ((0.49, False), (0.83, True)):
        of = situation(80, {"CPU": 18.0})
        seen = ObservedPool(size=20, in_work=18, full=full)
        found = limit(dataclasses.replace(of, databases={"shop": database({"CPU": 18.0}, pools={"web": seen})}))
        assert ("for the connection pool of web: all 20 in work in 83 %" in found.message) is named
        assert "is not known" in found.message if named else found.message.startswith("cannot tell")


def test_a_pool_that_nobody_waits_for_is_not_named_however_often_it_is_empty() -> None:
    pool = ReportedPoolFigures(size=1, in_use=1, full=1.0, waiting=0.0)
    assert "pool" not in limit(situation(20, {"IO:WalSync": 15.0}, pools={"shop": pool})).message


@pytest.mark.parametrize(
    ("waits", "sentence", "kind"),
    [
        ({"IO:WalSync": 9, "LWLock:WALWrite": 5}, "for the log to be written: WalSync 9.0, WALWrite 5.0", WaitKind.LOG),
        ({"Lock:transactionid": 12, "Lock:tuple": 2}, "for row locks: transactionid 12.0, tuple 2.0", WaitKind.LOCK),
        ({"Lock:relation": 14}, "for a lock: relation 14.0 of 16.0", WaitKind.LOCK),
        ({"IO:DataFileRead": 14}, "for the disk: DataFileRead 14.0 of 16.0", WaitKind.DISK),
        ({"LWLock:BufferContent": 14}, "for an internal lock of the database: BufferContent 14.0", WaitKind.INTERNAL),
        ({"Extension:Odd": 14}, "for something else: Odd 14.0 of 16.0", WaitKind.OTHER),
    ],
)  # fmt: skip
def test_what_sessions_wait_for_is_named_by_its_kind_and_events(
    waits: dict[str, float], sentence: str, kind: WaitKind
) -> None:
    found = limit(situation(20, {**waits, "CPU": 2.0}))
    assert found.message.startswith(f"waiting {sentence}")
    assert [wait.kind for wait in found.waits] == [kind]


def test_sessions_that_wait_for_the_application_are_named_only_where_they_keep_others_from_a_connection() -> None:
    waits = {"transaction": 15.0, "Client:ClientRead": 1.0, "CPU": 1.0}
    assert limit(situation(20, waits)).message.startswith(
        "cannot tell what was waited for: of 20 transactions under way"
    )
    pool = ReportedPoolFigures(size=20, in_use=20, full=1.0, waiting=60)
    found = limit(situation(80, waits, pools={"shop": pool}))
    assert (
        "for the application, while it holds the connection: transaction 15.0, ClientRead 1.0 of 17.0" in found.message
    )


def test_threads_without_a_cpu_and_requests_that_nobody_reads_are_named_with_their_tier() -> None:
    found = limit(situation(20, waiting_for_cpu=8.0, unread=7.0))
    assert found.message.startswith(
        "waiting for web to read them: 7.0 requests lay in the kernel; "
        "for a CPU: 8.0 threads of web were ready and had none"
    )
    few = limit(situation(20, waiting_for_cpu=1.9, unread=1.9))
    assert few.message.startswith("cannot tell what was waited for: of 20 transactions under way 4.2 were seen")


def test_where_less_than_half_was_seen_the_sentence_says_how_many_are_not_known() -> None:
    found = limit(situation(60, {"IO:WalSync": 10.0}))
    assert "; what 50 of 60 transactions under way waited for is not known; no CPUs were full" in found.message
    assert found.in_progress == 60
    assert found.seen == pytest.approx(10.4)


def test_full_cpus_are_the_limit_whatever_else_was_waited_for() -> None:
    of = situation(90, {"IO:WalSync": 20.0})
    found = limit_of(dataclasses.replace(of, tiers={**of.tiers, "web": tier(0.97)}), CPUS)
    assert found is not None
    assert found.platform_peak
    assert found.message.startswith(
        "limited by web: web used 97 % of 1 CPU; waiting for the log to be written: WalSync 20"
    )


def test_of_an_open_model_no_think_times_are_said_to_set_the_throughput() -> None:
    found = limit(dataclasses.replace(situation(2), users=None))
    assert found.message.startswith("cannot tell what was waited for: of 2.0 transactions under way")


def test_a_checkpoint_in_the_window_is_said_in_the_point() -> None:
    of = situation(5)
    shop = database({}, checkpoints=1, checkpoint_mib=812.4)
    found = limit(dataclasses.replace(of, databases={"shop": shop}))
    assert found.message.endswith("; a checkpoint was at work in the window (1 began, 812 MiB written)")
    begun_before = database({}, checkpoints=0, checkpoint_mib=3.0)
    assert "0 began, 3.0 MiB" in limit(dataclasses.replace(of, databases={"shop": begun_before})).message
    none = database({}, checkpoints=0, checkpoint_mib=0.0)
    assert "checkpoint" not in limit(dataclasses.replace(of, databases={"shop": none})).message


def test_the_events_of_every_version_of_postgresql_have_a_kind() -> None:
    assert {kind_of(what) for what in ("IO:WALSync", "IO:WalSync", "IO:WalWrite", "LWLock:WALInsert")} == {WaitKind.LOG}
    assert kind_of("IPC:BufferIo") is kind_of("IO:AioIoCompletion") is WaitKind.DISK
    assert kind_of("Timeout:SpinDelay") is WaitKind.INTERNAL
    assert kind_of("CPU") is None


def test_each_transaction_under_way_is_at_one_place() -> None:
    pool = ReportedPoolFigures(size=20, in_use=20, full=1.0, waiting=30)
    waits = {"CPU": 3.0, "IO:WalSync": 4.0, "Lock:tuple": 2.0, "LWLock:ProcArray": 1.0, "transaction": 9.0}
    found = places(situation(60, waits, pools={"shop": pool}, unread=5.0, waiting_for_cpu=2.0))
    assert found == {
        Place.UNREAD: 5.0,
        Place.POOL: 30.0,
        Place.APPLICATION: 2.4,
        Place.DATABASE: 3.0,
        Place.LOCKS: 3.0,
        Place.STORAGE: 4.0,
    }


def test_a_server_whose_sessions_nobody_looked_at_has_at_least_its_cpu_time() -> None:
    of = situation(60)
    unseen = dataclasses.replace(of, databases={"shop": database({}, looks=0)})
    assert places(unseen)[Place.DATABASE] == pytest.approx(0.2)
