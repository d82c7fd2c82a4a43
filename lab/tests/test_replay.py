"""Cases played on an application that has just been loaded: what cannot be played has failed, and loses no figures."""

from __future__ import annotations

from pathlib import Path

from small_platform import small_checkout

from conftest import BROKERAGE
from middlemark.conformance.order import LoadedServer
from middlemark.conformance.replay import ReplayOrder, replay
from middlemark.dataset.loading import reset_database
from middlemark.target.build import build
from middlemark.target.database import Database
from middlemark.target.guard import guard
from middlemark.target.subject import find_subject
from middlemark.target.topology import ServingOrder, serving


def test_an_application_that_is_gone_after_the_load_has_failed_every_case(
    tmp_path: Path, database_cluster: Database, tiny_template: str
) -> None:
    name = "middlemark_replayed"
    reset_database(database_cluster, tiny_template, name)
    subject = find_subject(small_checkout(tmp_path), "small", "brokerage")
    with guard(tmp_path / "runtime") as guarding:
        order = ServingOrder(
            subject, build(subject, tmp_path, guarding), {}, database_cluster.url(name), tmp_path / "logs"
        )
        with serving(order, guarding) as target:
            target.members[0].process.stop()
            played = replay(ReplayOrder(target, BROKERAGE, LoadedServer(database_cluster, tiny_template), name))

    assert played is not None
    assert played.failed == played.plays > 0
    assert played.first.startswith("before the first: ")
    assert played.first.endswith("small web was killed by SIGTERM before it was ready")
