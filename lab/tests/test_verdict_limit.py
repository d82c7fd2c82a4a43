"""What limited a point is named, and only a platform that alone filled its CPUs was at its peak."""

from __future__ import annotations

import pytest

from middlemark.records.window import TierFigures
from middlemark.verdict.limit import limiting

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


def test_a_platform_that_alone_fills_its_cpus_is_at_its_peak() -> None:
    found = limiting(used(web_services=0.97, driver=0.2, database=0.4), PINNED)
    assert found is not None
    assert found.platform_peak
    assert found.message == "limited by web+services: web+services used 97 % of 1 CPU"


def test_a_saturated_database_is_the_limit_and_no_peak_of_the_platform() -> None:
    apart = {"web+services": FIRST, "database": SECOND, "driver": frozenset({2})}
    found = limiting(used(web_services=0.95, driver=0.2, database=0.99), apart)
    assert found is not None
    assert (found.by, found.platform_peak) == (("database",), False)
    assert found.message.startswith("limited by database, no peak of the platform: ")
    assert "web+services used 95 % of 1 CPU" in found.message


@pytest.mark.parametrize("tier", ["reverse-proxy", "database.bills", "driver"])
def test_a_full_tier_that_is_not_the_platforms_is_no_peak_of_the_platform(tier: str) -> None:
    others = [one for one in ("driver", "database.bills", "reverse-proxy") if one != tier]
    places = {"web": FIRST, tier: SECOND, others[0]: frozenset({2}), others[1]: frozenset({3})}
    found = limiting({**used(web=0.5), **dict.fromkeys(others, used(x=0.1)["x"]), tier: used(x=0.95)["x"]}, places)
    assert found is not None
    assert (found.by, found.platform_peak) == ((tier,), False)


def test_tiers_that_share_full_cpus_name_no_one_of_them() -> None:
    found = limiting(used(web_services=1.2, driver=0.3, database=0.4), dict.fromkeys(PINNED, BOTH))
    assert found is not None
    assert (found.text, found.shared_cpus, found.platform_peak) == ("shared CPUs", True, False)
    assert "95 % of 2 CPUs (web+services 60 %, driver 15 %, database 20 %)" in found.message


def test_tiers_that_share_a_cpu_by_way_of_a_third_are_looked_at_together() -> None:
    places = {"web": FIRST, "driver": SECOND, "database": BOTH}
    found = limiting(used(web=0.9, driver=0.5, database=0.5), places)
    assert found is not None
    assert (found.by, found.text) == (("database", "web"), "shared CPUs")


def test_a_full_cpu_is_found_beside_one_that_is_not_though_a_tier_could_use_both() -> None:
    places = {"web": BOTH, "driver": FIRST, "database": FIRST}
    found = limiting(used(web=0.6, driver=0.25, database=0.7), places)
    assert found is not None
    assert (found.text, found.shared_cpus, found.platform_peak) == ("shared CPUs", True, False)
    assert found.message.endswith(": 95 % of 1 CPU (driver 25 %, database 70 %) which web could use too")


def test_a_tier_that_fills_all_cpus_it_could_use_is_the_limit_whoever_else_could_use_them() -> None:
    places = {"web": BOTH, "database": FIRST, "driver": frozenset({2})}
    found = limiting(used(web=0.6, database=0.95, driver=0.1), places)
    assert found is not None
    assert (found.by, found.platform_peak) == (("database",), False)
    assert found.message.endswith(": database used 95 % of 1 CPU which web could use too")


def test_a_platform_is_at_no_peak_on_cpus_that_another_tier_could_use_too() -> None:
    places = {"web": FIRST, "driver": frozenset({2}), "database": BOTH}
    found = limiting(used(web=0.95, driver=0.1, database=0.1), places)
    assert found is not None
    assert (found.text, found.shared_cpus, found.platform_peak) == ("shared CPUs", True, False)


def test_parts_of_a_platform_that_share_a_full_cpu_are_at_their_peak_and_name_no_others_limit() -> None:
    places = {"web": FIRST, "services": FIRST, "database": SECOND, "driver": frozenset({2})}
    peak = limiting(used(web=0.5, services=0.45, database=0.4, driver=0.1), places)
    assert peak is not None
    assert (peak.by, peak.text, peak.platform_peak) == (("services", "web"), "services and web", True)
    limited = limiting(used(web=0.5, services=0.45, database=0.97, driver=0.1), places)
    assert limited is not None
    assert (limited.by, limited.platform_peak) == (("database",), False)


def test_below_the_limits_nothing_was_full_and_the_busiest_is_named() -> None:
    found = limiting(used(web_services=0.89, driver=0.2, database=0.4), PINNED)
    assert found is not None
    assert (found.by, found.platform_peak) == ((), False)
    assert found.message == "no CPUs were full (most: web+services used 89 % of 1 CPU)"


def test_where_a_tier_was_not_watched_the_limit_is_unknown() -> None:
    assert limiting({}, PINNED) is None
    assert limiting(used(web=0.99), {"driver": FIRST}) is None
