"""What a result folder keeps of a specification, so that it is complete without the checkout."""

from __future__ import annotations

from middlemark.records.run_parts import EfficiencyRecord, NotRankedValues, SpecificationRecord
from middlemark.specification.specification import Specification, about_name


def specification_record(specification: Specification) -> SpecificationRecord:
    """Return what verdicts and reports need to know of a specification."""
    description = specification.description
    efficiency = description.report.efficiency
    not_ranked = {
        name: tuple(NotRankedValues(values=rule.values, why=rule.why) for rule in mode.never_ranked_together)
        for name, mode in description.modes.items()
        if mode.never_ranked_together
    }
    return SpecificationRecord(
        title=description.title,
        unit=description.report.unit,
        leads_with=description.report.leads_with,
        databases=tuple(description.databases),
        given_settings=tuple(sorted(specification.given_settings)),
        mode_settings=tuple(sorted(about_name(mode.variable) for mode in description.modes.values())),
        never_ranked_together=not_ranked,
        phrases={name: dict(mode.phrases) for name, mode in description.modes.items() if mode.phrases},
        effects={name: effect.plural for name, effect in description.effects.items()},
        efficiency=EfficiencyRecord(name=efficiency.name, reference=efficiency.reference) if efficiency else None,
    )
