"""The part of every model of the plan that leaves out what is not there."""

from __future__ import annotations

from typing import ClassVar

from pydantic import SerializerFunctionWrapHandler, model_serializer

from middlemark.records.record import Record


class Brief(Record):
    """A part of the plan that leaves out keys without a value.

    Only those in `MAY_BE_ABSENT`: what a plan always held stays there. So the plan of a session that uses nothing of
    it stays what it was, and its hash too.
    """

    MAY_BE_ABSENT: ClassVar[frozenset[str]] = frozenset()

    @model_serializer(mode="wrap")
    def _without_what_is_absent(self, write: SerializerFunctionWrapHandler) -> dict[str, object]:
        written: dict[str, object] = write(self)
        for name in self.MAY_BE_ABSENT:
            value = getattr(self, name)
            # A number 0 is a value.
            if value is None or value is False or value in ([], {}):
                del written[name]
        return written
