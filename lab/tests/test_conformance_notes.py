"""What an application has sent is noted so that only what the specification decides is left to compare."""

from __future__ import annotations

import datetime
import uuid

from middlemark.conformance.execution.state.tables import LoadedIds
from middlemark.conformance.execution.steps.notes import Notes

OLD = "00000000-0000-4000-8000-000000000001"
LOADED = LoadedIds({("orders", "order_id"): 250, ("holdings", "holding_id"): 250}, frozenset({OLD}))


def noted(first: int, second: int, time: str) -> list[str]:
    """Return the notes of two orders with these ids, seen in every form."""
    notes = Notes(datetime.datetime(2026, 1, 31, tzinfo=datetime.UTC), LOADED)
    notes.value("1", {"orders": [{"orderId": second, "openTime": time}, {"orderId": first, "holdingId": 7}]})
    notes.text("2", f'{{"holdingId": {first + 900}, "orderId": {first}, "quantity": 40}}')
    notes.text("3", f"<m:orderId>{second}</m:orderId><m:orderId>12</m:orderId>")
    notes.text("4", f"User uid:1 has no holding {first + 900}.")
    return notes.lines


def test_ids_are_numbered_as_they_appear_whichever_is_the_greater() -> None:
    now = datetime.datetime.now(datetime.UTC)
    one = noted(251, 252, f"{now:%Y-%m-%dT%H:%M:%S.%fZ}")
    other = noted(777, 300, f"{now - datetime.timedelta(minutes=1):%Y-%m-%dT%H:%M:%S.%fZ}")
    assert one == other
    assert one == [
        '1: {"orders": [{"openTime": "now", "orderId": "new 1"}, {"holdingId": 7, "orderId": "new 2"}]}',
        '2: {"holdingId": new 3, "orderId": new 2, "quantity": 40}',
        "3: <m:orderId>new 1</m:orderId><m:orderId>12</m:orderId>",
        "4: User uid:1 has no holding new 3.",
    ]


def test_the_same_id_twice_is_not_two_ids() -> None:
    assert noted(251, 251, "") != noted(251, 252, "")


def with_uuids(*drawn: uuid.UUID) -> list[str]:
    """Return the notes of responses that name these uuids, and a loaded one."""
    notes = Notes(datetime.datetime.now(datetime.UTC), LOADED)
    for each in drawn:
        notes.value("1", {"receipt": str(each), "after": OLD})
        notes.text("2", f"/receipts/{each}?part=2, {str(each).upper()}")
    return notes.lines


def test_uuids_that_were_drawn_are_numbered_and_loaded_ones_stay() -> None:
    first, second = uuid.uuid4(), uuid.uuid4()
    assert with_uuids(first, second)[2:] == [
        f'1: {{"after": "{OLD}", "receipt": "new 2"}}',
        "2: /receipts/new 2?part=2, new 2",
    ]
    assert with_uuids(first, second) == with_uuids(uuid.uuid4(), uuid.uuid4())
    assert with_uuids(first, second) != with_uuids(first, first)


def test_what_was_noted_in_vain_is_forgotten() -> None:
    notes = Notes(datetime.datetime.now(datetime.UTC), LoadedIds())
    notes.text("1", "kept")
    mark = notes.mark()
    notes.choice("2", refused=True)
    notes.text("2", "gone")
    notes.forget(mark)
    assert (notes.lines, notes.choices) == (["1: kept"], [])
