"""The proofs of what a run measures: copied into its folder, and read for each point's own configuration.

Where the entry is another subject's that is the proof of the pairing, of the subject behind it, and of the front end's
own pages. No verification combines subjects in any other way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from middlemark.conformance.reporting.own_executions import MeasuredConfiguration
from middlemark.conformance.reporting.proof import Verified, copy_proof, proof_in
from middlemark.conformance.result import pairing_name
from middlemark.experiment.requested_deployment import requested_deployment
from middlemark.experiment.running_subject import RunningSubject
from middlemark.records.folder import saving_under
from middlemark.records.proof import Proof
from middlemark.records.run import Combination
from middlemark.topology.request import Program


def copy_proofs(
    programs: Mapping[str, Program], combinations: Iterable[Combination], root: Path, report: Callable[[str], None]
) -> None:
    """Put what was verified of every subject and pairing into the result folder, and report what was not verified."""
    pairs = dict.fromkeys(pair for one in combinations for pair in _pairs(programs, one))
    with saving_under(root):
        missing = [name for name, program in programs.items() if not copy_proof(Verified(program), root)]
        apart = [pair for pair in pairs if not copy_proof(Verified(programs[pair[0]], programs[pair[1]]), root)]
    for name in missing:
        report(f"{name} as it is now was not verified: `{_command(programs, [name])}` does it")
    if apart:
        names = ", ".join(pairing_name(*pair) for pair in apart)
        command = _command(programs, list(dict.fromkeys(name for pair in apart for name in pair)))
        report(f"not verified together as they are now: {names}: `{command}` does it")


def proofs_of(running: RunningSubject) -> dict[str, Proof | None]:
    """Return what was proven of everything that runs, in the configuration in which it does, by name; None: nothing."""
    context, combination = running.context, running.combination
    description = context.preparation.specification.description
    request = requested_deployment(context.preparation.home, context.programs, combination)

    def measured(subject: str) -> MeasuredConfiguration:
        return MeasuredConfiguration(description, request.modes_of(context.programs[subject]))

    behind = combination.subject
    proofs = {behind: proof_in(context.root, behind, measured(behind))}
    for tier, program in request.tiers.items():
        name = program.subject.name
        proofs[name] = proof_in(context.root, name, measured(name), pages_only=tier == description.entry)
        together = pairing_name(behind, name) if tier == description.entry else f"{tier} of {name} with {behind}"
        proofs[together] = proof_in(context.root, together, measured(behind))
    return proofs


def _pairs(programs: Mapping[str, Program], combination: Combination) -> Iterable[tuple[str, str]]:
    """Yield the subject and the one whose entry stands before it, where these are two."""
    description = programs[combination.subject].subject.specification.description
    entry = combination.tiers.get(description.entry, combination.subject)
    if entry != combination.subject:
        yield combination.subject, entry


def _command(programs: Mapping[str, Program], names: list[str]) -> str:
    """Return the command that verifies these."""
    subject = programs[names[0]].subject
    several = len(subject.platform.description.specs) > 1
    return f"middlemark verify {' '.join(names)}" + (f" --spec {subject.spec}" if several else "")
