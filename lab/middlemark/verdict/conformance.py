"""Whether what is measured obeys its specification: proven before the load, and looked at again after it."""

from __future__ import annotations

from middlemark.records.point import Check, Outcome
from middlemark.records.proof import Proof, Replay

LIMIT = "every case passes before the load, and some again after it"


def conformance_check(proof: Proof | None, replay: Replay | None) -> Check:
    """The subject as it is was verified completely, and still answers as specified after the load."""
    outcomes = [_before(proof), _after(replay)]
    worst = next(
        (one for one in (Outcome.FAILED, Outcome.NOT_CHECKED) if one in {outcome for outcome, _ in outcomes}),
        Outcome.PASSED,
    )
    return Check(name="conformance", outcome=worst, value="; ".join(said for _, said in outcomes), limit=LIMIT)


def _before(proof: Proof | None) -> tuple[Outcome, str]:
    if proof is None:
        return Outcome.NOT_CHECKED, "what was measured was not verified before"
    played_with = f", played with {' '.join(proof.environment)} (not measured so)" if proof.environment else ""
    when = f"verified {proof.started.replace('T', ' ')} at commit {proof.commit}{played_with}"
    if proof.failed:
        return Outcome.FAILED, f"{when}: {proof.failed:,} of {proof.plays:,} plays failed, the first: {proof.first}"
    if proof.missed:
        return Outcome.FAILED, f"{when}: {proof.missed:,} known failures did not fail"
    rest = [(proof.known, "known failures"), (proof.not_checked, "not checked")]
    said = ", ".join([f"{proof.plays:,} plays", *(f"{count:,} {what}" for count, what in rest if count)])
    return Outcome.PASSED, f"{when}: {said}"


def _after(replay: Replay | None) -> tuple[Outcome, str]:
    if replay is None:
        return Outcome.NOT_CHECKED, "nothing was played after the load"
    if replay.failed:
        return (
            Outcome.FAILED,
            f"{replay.failed} of {replay.plays} cases failed after the load, the first: {replay.first}",
        )
    return Outcome.PASSED, f"{replay.plays} cases passed after the load, on the processes that were measured"
