"""The proofs of what a run measures: copied into its folder, and read for each point's own configuration.

Where the entry is another subject's that is the proof of the pairing, of the subject behind it, and of the front end's
own pages. No verification combines subjects in any other way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from middlemark.conformance.reporting.own_executions import MeasuredConfiguration
from middlemark.conformance.reporting.proof import Verified, copy_proof, proof_in
from middlemark.conformance.result import pairing_name
from middlemark.experiment.combinations import requested_deployment
from middlemark.experiment.preparation import Preparation
from middlemark.records.point import Proof
from middlemark.saving import saving_under
from middlemark.topology.request import DeploymentRequest, Program
from middlemark.wording import counted


def copy_proofs(
    preparation: Preparation, programs: Mapping[str, Program], root: Path, report: Callable[[str], None]
) -> None:
    """Put what was verified of every subject and pairing into the result folder, and report what was not verified."""
    entry = next(iter(programs.values())).subject.specification.description.entry
    both = dict.fromkeys((one.subject, one.tiers.get(entry, one.subject)) for one in preparation.combinations)
    pairs = [pair for pair in both if len(set(pair)) > 1]
    with saving_under(root):
        missing = [name for name, program in programs.items() if not copy_proof(Verified(program), root)]
        apart = [pair for pair in pairs if not copy_proof(Verified(programs[pair[0]], programs[pair[1]]), root)]
    for name in missing:
        report(f"{name} as it is now was not verified: `{_command(programs, [name])}` does it")
    if apart:
        names = ", ".join(pairing_name(*pair) for pair in apart)
        command = _command(programs, list(dict.fromkeys(name for pair in apart for name in pair)))
        report(f"not verified together as they are now: {names}: `{command}` does it")
    for subjects, configurations in _not_verified(preparation, programs, root).items():
        what = f"{' and '.join(subjects)}: {counted(len(configurations), 'configuration')} of this run"
        command = " --configuration ".join([_command(programs, subjects), *configurations])
        report(f"{what} with several modes changed together, not verified so: `{command}` does it")


def proofs_of(root: Path, request: DeploymentRequest) -> dict[str, Proof | None]:
    """What was proven of everything that runs, in its configuration, by name; None: nothing."""
    description = request.specification.description

    def measured(program: Program) -> MeasuredConfiguration:
        return MeasuredConfiguration(description, request.modes_of(program))

    behind = request.subject.name
    proofs = {behind: proof_in(root, behind, measured(request.program))}
    for tier, program in request.tiers.items():
        name = program.subject.name
        proofs[name] = proof_in(root, name, measured(program), pages_only=tier == description.entry)
        together = pairing_name(behind, name) if tier == description.entry else f"{tier} of {name} with {behind}"
        proofs[together] = proof_in(root, together, measured(request.program))
    return proofs


def _not_verified(
    preparation: Preparation, programs: Mapping[str, Program], root: Path
) -> dict[tuple[str, ...], list[str]]:
    """The configurations that are measured and that no verification had, by the subjects to be verified."""
    found: dict[tuple[str, ...], list[str]] = {}
    for combination in preparation.combinations:
        request = requested_deployment(preparation.home, programs, combination)
        for name, proof in proofs_of(root, request).items():
            if proof is not None and not proof.executions:
                subjects = (name,) if name in programs else combination.subjects
                own = found.setdefault(subjects, [])
                configuration = proof.configuration.replace(", ", ",")
                if configuration not in own:
                    own.append(configuration)
    return found


def _command(programs: Mapping[str, Program], names: Sequence[str]) -> str:
    subject = programs[names[0]].subject
    several = len(subject.platform.description.specs) > 1
    return f"middlemark verify {' '.join(names)}" + (f" --spec {subject.spec}" if several else "")
