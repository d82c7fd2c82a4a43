"""Operations."""

from __future__ import annotations

import re
from collections.abc import Mapping

from middlemark.conformance.cases.expectation import MALFORMED, Refusal
from middlemark.conformance.cases.expected import Expected
from middlemark.conformance.cases.names import filled, filled_value
from middlemark.conformance.cases.step import Call
from middlemark.conformance.comparison.match import difference, shown
from middlemark.conformance.execution.calling import (
    ContractBroken,
    NoResponse,
    Performed,
    Refused,
    Result,
    Unread,
)
from middlemark.conformance.execution.steps.actor import Actor
from middlemark.conformance.execution.steps.internals import internals_fault
from middlemark.conformance.execution.steps.patience import patiently
from middlemark.conformance.failure import StepFailed

_INDEX = re.compile(r"\d+\Z")
_UNAVAILABLE = "unavailable"


def call(step: Call, actor: Actor, where: str) -> None:
    """Call the operation and hold the result against the case."""
    patiently(lambda: _call(step, actor, where), actor, step.within)


def _call(step: Call, actor: Actor, where: str) -> None:
    request = {key: filled_value(value, actor.captured) for key, value in step.with_.items()}
    try:
        headers = {name: filled(value, actor.captured) for name, value in step.headers.items()}
        result = actor.caller().call(step.call, request, headers)
    except ContractBroken as broken:
        passing = isinstance(broken, NoResponse)
        raise StepFailed(f"outside the contract: {broken}", passing=passing) from broken
    _note(step, result, actor, where)
    if actor.outcomes is not None:
        actor.outcomes[_outcome(result)] += 1
    if isinstance(result, Performed):
        _hold_response(step, result, actor)
        return
    fault = internals_fault(result.shown, str(request))
    if fault:
        raise StepFailed(fault)
    _hold_refusal(step, result, actor)


def _note(step: Call, result: Result, actor: Actor, where: str) -> None:
    """Note what the specification determines of the result, and which way it went where it may go two."""
    if step.refused == MALFORMED:
        actor.notes.text(where, "performed" if isinstance(result, Performed) else "refused as malformed")
        return
    if step.may_refuse:
        actor.notes.choice(where, refused=not isinstance(result, Performed))
    if isinstance(result, Performed):
        actor.notes.value(where, result.value)
    elif not step.may_refuse:
        actor.notes.text(where, _refusal_noted(step, result))


def _refusal_noted(step: Call, result: Refused | Unread) -> str:
    if isinstance(result, Unread):
        return "refused as malformed"
    is_open = isinstance(step.refused, Refusal) and step.refused.has_open_message
    return f"refused {result.code}" if is_open else f"refused {result.code}: {result.message}"


def _outcome(result: Result) -> str:
    if isinstance(result, Performed):
        return "performed"
    return f"refused {result.code if isinstance(result, Refused) else MALFORMED}"


def _hold_response(step: Call, result: Performed, actor: Actor) -> None:
    if step.refused is not None:
        wanted = "a refusal as malformed" if step.refused == MALFORMED else f"the refusal {_code(step)}"
        raise StepFailed(f"expected {wanted}, found the response {shown(dict(result.value))}")
    if step.response is not None:
        fault = difference(step.response, result.value, "response", actor.surroundings())
        if fault:
            raise StepFailed(fault)
    _capture(step, result, actor)


def _hold_refusal(step: Call, result: Refused | Unread, actor: Actor) -> None:
    passing = isinstance(result, Refused) and result.code == _UNAVAILABLE
    found = f"{result.code}: {result.message}" if isinstance(result, Refused) else "one as malformed"
    if step.refused == MALFORMED or step.may_refuse:
        if isinstance(result, Refused) and not result.blames_client:
            raise StepFailed(f"expected a refusal of the client's request, found the refusal {found}", passing=passing)
        return
    if isinstance(result, Unread):
        raise StepFailed(f"outside the contract: {result.broken}")
    if not isinstance(step.refused, Refusal):
        if step.response is None and actor.outcomes is not None:
            return
        raise StepFailed(f"expected a response, found the refusal {found}", passing=passing)
    if result.code != step.refused.code:
        raise StepFailed(f"expected the refusal {step.refused.code}, found {found}", passing=passing)
    _hold_message(step.refused, result, actor)


def _hold_message(refusal: Refusal, result: Refused, actor: Actor) -> None:
    """Hold the message against those of which it may have any."""
    around = actor.surroundings()
    faults = [difference(Expected(one), result.message, "message", around) for one in refusal.messages]
    if faults and all(faults):
        more = f" (nor one of the {len(faults) - 1} others)" if len(faults) > 1 else ""
        raise StepFailed(f"{faults[0]}{more}")


def _code(step: Call) -> str:
    return step.refused.code if isinstance(step.refused, Refusal) else ""


def _capture(step: Call, result: Performed, actor: Actor) -> None:
    for name, path in step.capture.items():
        value: object = result.value
        for part in path.split("."):
            value = _part(value, part)
            if value is None:
                raise StepFailed(f"capture {name}: expected a value at {path}, found {shown(dict(result.value))}")
        actor.captured[name] = value


def _part(value: object, part: str) -> object:
    if isinstance(value, Mapping):
        return value.get(part)
    if isinstance(value, list | tuple) and _INDEX.match(part) and int(part) < len(value):
        return value[int(part)]
    return None
