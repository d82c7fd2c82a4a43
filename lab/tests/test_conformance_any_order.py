"""No case assumes in which order queued orders complete: a database that keeps some back changes nothing it sees."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_specification import ROOT, stores_at

from middlemark.conformance.cases.suite import read_cases
from middlemark.conformance.comparison.comparing import differences
from middlemark.conformance.comparison.pages.canonical import page_cases
from middlemark.conformance.execution.pairing import Pairing
from middlemark.conformance.execution.request import VerifyRequest
from middlemark.conformance.execution.unit import Unit, units_of
from middlemark.conformance.execution.workers import Workers
from middlemark.conformance.reporting.progress import Listener
from middlemark.conformance.result import Observed
from middlemark.databases.database import Database
from middlemark.load.loading import load_dataset
from middlemark.processes.watchdog import watchdog
from middlemark.subject.build import build
from middlemark.subject.subject import Subject, find_subject

pytestmark = [pytest.mark.full, pytest.mark.long]

JOBS = 3
# Refused as what no later attempt can cure, so that the orders of the same transaction are completed without it.
KEPT_BACK = """
CREATE FUNCTION kept_back() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF OLD.order_id % 2 = {parity} AND clock_timestamp() < OLD.open_time + interval '0.8 s' THEN
        RAISE EXCEPTION 'this order is kept back' USING ERRCODE = '23514';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER kept_back BEFORE UPDATE OF status ON orders FOR EACH ROW
    WHEN (OLD.status = 'open' AND NEW.status = 'closed') EXECUTE FUNCTION kept_back();
"""


def queued_units(subject: Subject) -> list[Unit]:
    """Return the units of the subject's configurations with queued orders, of its first data access alone.

    Without the cases with settings: some have a processor that looks again only after a minute.
    """
    cases = (*page_cases(subject.specification), *read_cases(subject.specification))
    first = subject.offers("data-access")[0]
    return [
        unit
        for unit in units_of([Pairing(subject)], cases, JOBS)
        if unit.configuration.modes["orders"] != "sync"
        and unit.configuration.modes["data-access"] == first
        and not unit.settings
    ]


def run_queued(subject: Subject, server: Database, template: str, folder: Path) -> list[Observed]:
    """Run every case on the subject with queued orders, on copies of the template."""
    request = VerifyRequest(ROOT, subject.specification, (subject,), folder / "logs", jobs=JOBS)
    workers = Workers(request, [Pairing(subject)], Listener(), [()], [subject.name])
    with watchdog(folder / "runtime") as watch:
        artifact = build(subject, ROOT, watch)
    workers.run(queued_units(subject), {subject.name: artifact}, stores_at(server, template))
    return workers.done[0]


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", ["go", "jakarta@liberty"])
def test_queued_orders_may_complete_in_any_order(database_cluster: Database, tmp_path: Path, name: str) -> None:
    subject = find_subject(ROOT, name, "brokerage").for_cases()
    dataset = subject.specification.datasets("tiny")["brokerage"]
    triggers = {"usual": "", "odd": KEPT_BACK.format(parity=1), "even": KEPT_BACK.format(parity=0)}
    runs = []
    for one, trigger in triggers.items():
        template = f"middlemark_kept_back_{one}"
        load_dataset(database_cluster, dataset, template)
        with database_cluster.connected(template) as connection:
            connection.execute(trigger.encode())
        runs.append(run_queued(subject, database_cluster, template, tmp_path / one))
    failed = [f"{one.execution.label}: {one.execution.failures}" for one in runs[0] if one.execution.failures]
    assert not failed
    found = differences(list(triggers), runs, ())
    assert not [f"{one.one} and {one.other}: {one.execution}: {one.what}: {one.text}" for one in found]
