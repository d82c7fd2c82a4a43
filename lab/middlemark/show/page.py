"""Makes the report of findings: one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import jinja2

from middlemark.records.findings import Findings
from middlemark.records.run import Run, RunStatus
from middlemark.show import beside, conditions, disclosure, lead, matrices, ratios, resources, times
from middlemark.show.chart import swatch
from middlemark.show.contrasts import contrasts
from middlemark.show.curves import load_curves, percentile_curve, tier_curves, time_strips
from middlemark.show.diagram import topology_figures
from middlemark.show.soak import soaks
from middlemark.show.tables import Section, Text, blocks, fold, table
from middlemark.wording import counted, sentence

BANNERS = {
    RunStatus.RUNNING: "This run has not finished: it is still running, or it was killed.",
    RunStatus.INTERRUPTED: "This run did not finish.",
    RunStatus.FAILED: "This run failed.",
}
MAX_TOPOLOGIES = 3
WORDS = {
    "combination": "A subject with one value for each choice. Combinations are compared with each other.",
    "window": "A measurement of one combination at one load, after its data were reset.",
    "round": "One window of each combination, measured one after the other.",
    "start": "The rounds measured on the same processes. Each further start begins new processes.",
    "95 % interval": "Where the mean, or the ratio, of further runs is expected to lie. A verdict follows from a wider "
    "one: all comparisons of a run share the 5 % of false words.",
    "spread between starts": "How far the same program differs from one start to the next. One start cannot show it.",
    "disturbed": "Other work took CPU time from the window. It was measured again, up to twice; then the last counts.",
    "tier": "The processes of one role: a tier of the application, a reverse proxy, a database server, the driver. "
    "Roles in one process are joined by +.",
    "platform's tiers": "The tiers of the application: their CPU time is the platform's cost. That of driver, database "
    "servers and reverse proxy is shown and not added.",
}


def report_page(findings: Findings) -> str:
    """The report as HTML. Every sentence with a figure in it is made from the findings."""
    run = findings.run
    return rendered(
        run,
        "Middlemark report",
        _sections(findings),
        aside=run.started.replace("T", " "),
        answer=findings.answer,
        basis=findings.basis,
        banner=_banner(findings),
        chips=_chips(findings),
        lead=blocks(*_lead(findings)),
        source="the findings of this result folder",
        command="report",
        lab=findings.lab,
    )


def rendered(run: Run, title: str, sections: Iterable[Section], **parts: object) -> str:
    """A page of a run, of the sections that have blocks and these parts; all text is escaped."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("middlemark.show"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["swatch"] = swatch
    shown = [one for one in sections if one.blocks]
    return environment.get_template("page.html").render(run=run, title=title, sections=shown, **parts)


def _lead(findings: Findings) -> Iterator[object]:
    """Yield what stands below the answer: the ranking, then what it took."""
    if findings.run.faults:
        yield from conditions.faults(findings)
        return
    if len(findings.combinations) > 1:
        yield from lead.ranking(findings)
    yield from lead.quantities(findings)


def _sections(findings: Findings) -> Iterator[Section]:
    spec, run = findings.run.specification, findings.run
    yield Section("contents", "Contents and subjects", blocks(*matrices.contents(findings)))
    yield Section("interoperability", "Interoperability", blocks(*matrices.interoperability(findings)))
    yield Section("soak", "Soak: the load held over time", blocks(*soaks(findings)))
    if not run.faults:
        yield from _comparisons(findings)
    yield Section("differences", "What differs between the combinations", blocks(*disclosure.differences(findings)))
    yield Section("search", "Searches for the load", blocks(*beside.searches(findings)))
    over_time = f"Throughput and CPU use over time, at {findings.at}"
    yield Section("time", over_time, blocks(*time_strips(findings), percentile_curve(findings)))
    by = f"Response times by {spec.timed}"
    yield Section(
        "transactions", by, blocks(*times.transactions(findings), *beside.work(findings), *times.times(findings))
    )
    yield Section("resources", "CPU, memory and other resources of every tier", blocks(*_resources(findings)))
    yield Section("tiers", "The tiers as they ran", blocks(*_topologies(findings)))
    yield Section("platforms", "Start-up and code of the platforms", blocks(*beside.platforms(findings)))
    known = blocks(conditions.marks(findings), _placement_notes(findings), *conditions.conditions(findings))
    yield Section("conditions", "What to know: conditions of every window", known, folded=True)
    if spec.databases:
        many = "database" if len(spec.databases) == 1 else "databases"
        yield Section("audit", f"Audit of the {many}", blocks(*conditions.audits(findings)), folded=True)
    yield Section("sequence", "Windows as they ran", blocks(*conditions.in_sequence(findings)), folded=True)
    repeat = "Disclosure: what it takes to repeat this run"
    yield Section("disclosure", repeat, blocks(*disclosure.disclosure(findings)), folded=True)
    steps = f"the transaction {' or '.join(spec.counted)}" if spec.counted else "one step"
    words = table(WORDS.items(), "word: 0 | what it means here: 1")
    unit = Text(f"One {spec.unit} is {steps} of a virtual user's session, answered completely and validly.")
    yield Section("words", "Words of this report", blocks(unit, words), folded=True)


def _comparisons(findings: Findings) -> Iterator[Section]:
    """Yield what compares figures; those of windows with faults are of the faults."""
    yield Section("ratios", "Every comparison", blocks(lead.ratios(findings), *ratios.multiples(findings)))
    yield Section("contrasts", "Contrasts: choices set against each other", blocks(*contrasts(findings)))
    load = f"Throughput, cost and response time against {findings.run.load_unit}"
    yield Section("load", load, blocks(*load_curves(findings)))
    title = "Published ratios and those of this run, not ranked"
    yield Section("published", title, blocks(*beside.published(findings)))


def _resources(findings: Findings) -> Iterator[object]:
    if not any(window.tiers for window in findings.rounds):
        yield Text("No tier was measured.", "none")
        return
    yield Text(f"CPU time inside the window in % of one CPU (the machine has {findings.run.host.cpus}).")
    yield tier_curves(findings)
    yield from resources.tiers(findings)
    heaps = disclosure.heaps(findings)
    where = f": {heaps}" if heaps else ""
    yield Text(
        "Memory is what a tier's processes have, not what they need: a virtual machine takes what its heap allows. "
        f"Where that was set, the disclosure has it{where}."
    )
    yield from resources.surroundings(findings)
    yield from resources.limits(findings)


def _topologies(findings: Findings) -> Iterator[object]:
    found = topology_figures(findings)
    yield from found[:MAX_TOPOLOGIES]
    yield fold(counted(len(found) - MAX_TOPOLOGIES, "more diagram"), *found[MAX_TOPOLOGIES:])


def _placement_notes(findings: Findings) -> Text | None:
    """What else is to be known of the CPUs that the roles had."""
    notes = dict.fromkeys(one.note for one in findings.run.placement.values() if one.cpus and one.note)
    return Text(" ".join(f"{sentence(note)}." for note in notes), "") if notes else None


def _chips(findings: Findings) -> Sequence[tuple[str, str]]:
    """Short marks below the answer, each with the whole sentence; how many windows count comes first."""
    valid = sum(window.valid for window in findings.rounds)
    count = f"{valid} of {counted(findings.expected_windows, 'window')} count"
    chips = [(count, "Windows that count, of all that the run was to have")]
    for mark in findings.marks:
        number = f"{mark.concerns} of {mark.of} " if mark.concerns and mark.of else ""
        chips.append((f"{number}{mark.kind}", mark.text))
    return chips


def _banner(findings: Findings) -> str:
    """That the run did not finish and, where the lab ended suddenly, when and what was stopped then."""
    run, cleared = findings.run, findings.cleared
    banner = BANNERS.get(run.status, "")
    if cleared is not None:
        banner = "This run has not finished." if run.status is RunStatus.RUNNING else banner
        banner = f"{banner} {sentence(cleared.cause)}; {cleared.outcome}.".lstrip()
    if not banner:
        return ""
    message = f"{sentence(run.message).rstrip('.')}. " if run.message else ""
    return f"{banner} {message}What was measured until then is shown below."
