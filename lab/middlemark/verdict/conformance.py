"""Whether what is measured obeys its specification: proven before the load, and looked at again after it."""

from __future__ import annotations

from collections.abc import Mapping

from middlemark.records.point import Outcome, Proof, Replay
from middlemark.records.window import Check
from middlemark.wording import counted

REQUIREMENT = "every case of its configuration passes before the load, and some again after it"


def conformance_check(proofs: Mapping[str, Proof | None], replay: Replay | None) -> Check:
    """What is measured was verified in its own configuration, and still answers as specified after the load.

    `proofs` are of every subject that takes part, and of the pairing where the front end is another's.
    """
    before = [_before(proof, f"{subject}: " if len(proofs) > 1 else "") for subject, proof in proofs.items()]
    outcomes = [*(before or [_before(None, "")]), _after(replay)]
    worst = next(
        (one for one in (Outcome.FAILED, Outcome.NOT_CHECKED) if one in {outcome for outcome, _ in outcomes}),
        Outcome.PASSED,
    )
    failed = [proof.failed + proof.missed for proof in proofs.values() if proof]
    failed += [replay.failed] if replay else []
    return Check(
        name="conformance",
        outcome=worst,
        message="; ".join(text for _, text in outcomes),
        requirement=REQUIREMENT,
        found=sum(failed) if failed else None,
        limit=0,
    )


def _before(proof: Proof | None, of: str) -> tuple[Outcome, str]:
    """Return what is proven before the load; `of` names the subject where there are several."""
    if proof is None:
        return Outcome.NOT_CHECKED, f"{of}what was measured was not verified before"
    cases_with = f", cases run with {' '.join(proof.environment)} (not measured so)" if proof.environment else ""
    changes = " with changes that are in no commit" if proof.changed else ""
    when = f"{of}verified {proof.started.replace('T', ' ')} at commit {proof.commit}{changes}{cases_with}"
    if proof.failed:
        failed = f"{proof.failed:,} of {proof.executions:,} executions failed, the first: {proof.first}"
        return Outcome.FAILED, f"{when}: {failed}"
    if proof.missed:
        return Outcome.FAILED, f"{when}: {proof.missed:,} known failures did not fail"
    if not proof.verified:
        why = f"but not in the configuration that was measured ({proof.configuration}): it changes one mode at a time"
        return Outcome.NOT_CHECKED, f"{when}, {why}"
    rest = [(proof.known, "known failures"), (proof.not_checked, "not checked")]
    counts = [f"{proof.executions:,} executions", *(f"{count:,} {what}" for count, what in rest if count)]
    elsewhere = f"; {proof.failed_elsewhere:,} failed in other configurations" if proof.failed_elsewhere else ""
    return Outcome.PASSED, f"{when}: {', '.join(counts)}{elsewhere}"


def _after(replay: Replay | None) -> tuple[Outcome, str]:
    if replay is None:
        return Outcome.NOT_CHECKED, "no case was run after the load"
    if replay.failed:
        failed = f"{replay.failed} of {replay.executions} cases failed after the load, the first: {replay.first}"
        return Outcome.FAILED, failed
    cases = counted(replay.executions, "case")
    return Outcome.PASSED, f"{cases} passed after the load, on the processes that were measured"
